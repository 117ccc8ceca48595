/// The changes to a to-many relationship when an array is assigned to it.
struct ArrayChange {
  private(set) var removed: [any PersistentModel] = []
  private(set) var added: [any PersistentModel] = []
  /// All members in the new order; nil if removing and appending members already gives that order.
  private(set) var order: ModelList?

  /// Whether the array is the old one with further members at its end.
  var onlyAppends: Bool { removed.isEmpty && order == nil }

  /// Most assigned arrays are the old one with one more member, so only the part after the common
  /// beginning is compared.
  init(from old: ModelList, to models: [any PersistentModel]) {
    var (rest, shared) = (old.makeIterator(), 0)
    var next = rest.next()
    while let model = next, shared < models.count, model === models[shared] {
      shared += 1
      next = rest.next()
    }
    var oldRest: [any PersistentModel] = []
    while let model = next {
      oldRest.append(model)
      next = rest.next()
    }
    let newRest = ArrayChange.withoutRepeats(models, after: shared)
    let known = Set(oldRest.map(ObjectIdentifier.init))
    let wanted = Set(newRest.map(ObjectIdentifier.init))
    removed = oldRest.filter { !wanted.contains(ObjectIdentifier($0)) }
    added = newRest.filter { !known.contains(ObjectIdentifier($0)) }
    let inOrder = oldRest.filter { wanted.contains(ObjectIdentifier($0)) } + added
    if !inOrder.elementsEqual(newRest, by: { $0 === $1 }) {
      order = ModelList(models[..<shared] + newRest)
    }
  }

  /// The distinct models from position `count` on; the models before it are known to be distinct.
  private static func withoutRepeats(
    _ models: [any PersistentModel], after count: Int
  ) -> [any PersistentModel] {
    let rest = models[count...]
    if rest.isEmpty { return [] }
    if rest.count > 2 {
      var known = Set(models[..<count].map(ObjectIdentifier.init))
      return rest.filter { known.insert(ObjectIdentifier($0)).inserted }
    }
    var unique: [any PersistentModel] = []
    for model in rest
    where !models[..<count].contains(where: { $0 === model })
      && !unique.contains(where: { $0 === model })
    {
      unique.append(model)
    }
    return unique
  }
}
