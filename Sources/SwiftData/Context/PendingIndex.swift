import Foundation

/// Finds pending models by class and by the value of a property, so that a fetch need not visit all
/// of them.
///
/// Belongs to one `OrderedModels` and identifies models by their positions in it. It adds new
/// models when it is queried, so inserts and edits cost nothing for it until a fetch asks for
/// values. From then on each edit records the position of its model, which is indexed under its new
/// value at the next query. A model stays indexed under its old values too: the result is a
/// superset and has to be evaluated.
struct PendingIndex {
  /// A value that equals another one exactly if the predicate says so.
  private enum Key: Hashable {
    case integer(Int64)
    case text(String)
    case uuid(UUID)

    init?(_ value: _SlotValue) {
      switch value {
      case .integer(let number): self = .integer(number)
      case .text(let text): self = .text(text)
      case .uuid(let uuid): self = .uuid(uuid)
      case .unset, .null, .real, .blob, .boxed: return nil
      case .model, .identifier, .toMany, .weakReferences: return nil
      }
    }
  }

  /// A class, like `Values`: a loop over the classes must not copy what grows with the models.
  private final class Models {
    let descriptor: _ModelDescriptor
    var positions: [Int32] = []
    /// How many of them are no longer pending.
    var removedCount = 0
    /// The positions of edited models, in the order of the edits.
    var edits: [Int32] = []
    var values: [Int: Values] = [:]

    init(_ descriptor: _ModelDescriptor) { self.descriptor = descriptor }
  }

  /// The positions of models by the value of one property.
  private final class Values {
    var positions: [Key: [Int32]] = [:]
    /// How many of the models, and of the edits, have been indexed.
    var indexedPositionCount = 0
    var indexedEditCount = 0
  }

  private var classes: [ObjectIdentifier: Models] = [:]
  private var taken = 0
  private(set) var hasValues = false
  /// How many models were indexed under a value.
  private(set) var insertions = 0

  /// With fewer models, visiting all of them costs less.
  private static var smallest: Int { 16 }

  /// The classes of the models.
  var descriptors: [_ModelDescriptor] { classes.values.map(\.descriptor) }

  /// Adds the models that were appended since the last call.
  mutating func take(from count: Int, _ descriptor: (Int) -> _ModelDescriptor?) {
    while taken < count {
      if let descriptor = descriptor(taken) {
        models(of: descriptor).positions.append(Int32(taken))
      }
      taken += 1
    }
  }

  private mutating func models(of descriptor: _ModelDescriptor) -> Models {
    if let known = classes[ObjectIdentifier(descriptor)] { return known }
    let made = Models(descriptor)
    classes[ObjectIdentifier(descriptor)] = made
    return made
  }

  func noteEdit(at position: Int32, of descriptor: _ModelDescriptor) {
    guard let models = classes[ObjectIdentifier(descriptor)], !models.values.isEmpty else { return }
    // Consecutive edits of a model count as one, until they have been indexed.
    let count = models.edits.count
    if models.edits.last == position,
      models.values.values.allSatisfy({ $0.indexedEditCount < count })
    {
      return
    }
    models.edits.append(position)
  }

  /// Called when a model is no longer pending.
  func noteRemoval(from position: Int32, of descriptor: _ModelDescriptor) {
    if position < taken { classes[ObjectIdentifier(descriptor)]?.removedCount += 1 }
  }

  /// The number of pending models of a class and of its subclasses.
  func count(of descriptor: _ModelDescriptor) -> Int {
    classes.values.reduce(0) { count, models in
      models.descriptor.isKind(of: descriptor)
        ? count + models.positions.count - models.removedCount : count
    }
  }

  /// The positions of the models of a class and of its subclasses, in order.
  /// - Parameters:
  ///   - values: Models without one of these values may be left out.
  ///   - storage: The model at a position; `nil` if it is no longer pending.
  mutating func positions(
    of descriptor: _ModelDescriptor, having values: [RequiredValue],
    _ storage: (Int32) -> _ModelStorage?
  ) -> [Int32] {
    var found: [Int32] = []
    var isOrdered = true
    for models in classes.values where models.descriptor.isKind(of: descriptor) {
      isOrdered = found.isEmpty
      let wanted = values.lazy.compactMap { value in Key(value.value).map { (value.slot, $0) } }
      if models.positions.count >= Self.smallest, let (slot, value) = wanted.first {
        found += positions(of: models, slot, value, storage)
      } else {
        found += models.positions
      }
    }
    return isOrdered ? found : found.sorted()
  }

  private mutating func positions(
    of models: Models, _ slot: Int, _ value: Key, _ storage: (Int32) -> _ModelStorage?
  ) -> [Int32] {
    let values = models.values[slot] ?? Values()
    models.values[slot] = values
    hasValues = true
    func put(_ position: Int32) {
      guard let storage = storage(position), let key = Key(storage.explicitValue(slot)) else {
        return
      }
      values.positions[key, default: []].append(position)
      insertions += 1
    }
    for position in models.positions[values.indexedPositionCount...] { put(position) }
    for position in models.edits[values.indexedEditCount...] { put(position) }
    values.indexedPositionCount = models.positions.count
    values.indexedEditCount = models.edits.count
    let found = values.positions[value] ?? []
    return found.count < 2 ? found : Set(found).sorted()
  }
}
