/// Further instances of rows that are in the identity map already.
///
/// An upsert leads a new model to a row that another instance shows. The identity map keeps the
/// first; the new one is found here, so that a save through either is seen by the other.
struct Twins {
  private struct Reference {
    weak var storage: _ModelStorage?
  }

  private var references: [PersistentIdentifier: [Reference]] = [:]

  var isEmpty: Bool { references.isEmpty }

  subscript(identifier: PersistentIdentifier) -> [_ModelStorage] {
    if references.isEmpty { return [] }
    return references[identifier]?.compactMap(\.storage) ?? []
  }

  mutating func insert(_ storage: _ModelStorage, for identifier: PersistentIdentifier) {
    if references.count > 256 { dropDead() }
    references[identifier, default: []].append(Reference(storage: storage))
  }

  mutating func remove(_ identifier: PersistentIdentifier) { references[identifier] = nil }

  private mutating func dropDead() {
    references = references.compactMapValues { list in
      let living = list.filter { $0.storage != nil }
      return living.isEmpty ? nil : living
    }
  }
}

extension ContextCore {
  /// Instances that show a row somebody else has just saved read it anew.
  func refreshTwins(of storage: _ModelStorage) {
    guard !twins.isEmpty, let identifier = storage.knownIdentifier else { return }
    let instances = twins[identifier] + [registered(identifier)].compactMap(\.self)
    for other in instances where other !== storage && other.model != nil { other.refault() }
  }
}
