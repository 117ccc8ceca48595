import Foundation

/// Finds pending models by class, and by the value of a property, so that a fetch need not look at
/// all of them.
///
/// Belongs to one `OrderedModels` and knows its models by their places there. It takes new ones when
/// it is asked, so inserts and edits pay nothing for it until a fetch has asked for values; then each
/// edit notes the place of its model, which is put under its new value when the next fetch asks. A
/// model stays under its old values too: what is found is a superset, to be judged.
struct PendingIndex {
  /// A value that equals another one exactly when the predicate says so.
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
      case .model, .identifier, .toMany, .weakPartners: return nil
      }
    }
  }

  /// An object, like `Values`: a loop over the classes must not copy what grows with the models.
  private final class Models {
    let descriptor: _ModelDescriptor
    var places: [Int32] = []
    /// How many of them are pending no more.
    var goneCount = 0
    /// The places of models that were edited, in the order of the edits.
    var edits: [Int32] = []
    var values: [Int: Values] = [:]

    init(_ descriptor: _ModelDescriptor) { self.descriptor = descriptor }
  }

  /// The places of models by the value of one property.
  private final class Values {
    var places: [Key: [Int32]] = [:]
    /// How many of the models, and of the edits, were taken.
    var takenPlaces = 0
    var takenEdits = 0
  }

  private var classes: [ObjectIdentifier: Models] = [:]
  private var taken = 0
  private(set) var hasValues = false
  /// How many models were put under a value.
  private(set) var insertions = 0

  /// Below this many models a look at all of them costs less.
  private static var smallest: Int { 16 }

  /// The classes of the models.
  var descriptors: [_ModelDescriptor] { classes.values.map(\.descriptor) }

  /// Takes the models that came since.
  mutating func take(from count: Int, _ descriptor: (Int) -> _ModelDescriptor?) {
    while taken < count {
      if let descriptor = descriptor(taken) {
        models(of: descriptor).places.append(Int32(taken))
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

  func noteEdit(at place: Int32, of descriptor: _ModelDescriptor) {
    guard let models = classes[ObjectIdentifier(descriptor)], !models.values.isEmpty else { return }
    // Several edits of a model in a row are one, as long as nobody has taken it.
    let count = models.edits.count
    if models.edits.last == place, models.values.values.allSatisfy({ $0.takenEdits < count }) {
      return
    }
    models.edits.append(place)
  }

  /// A model that was pending is so no more.
  func noteRemoval(from place: Int32, of descriptor: _ModelDescriptor) {
    if place < taken { classes[ObjectIdentifier(descriptor)]?.goneCount += 1 }
  }

  /// How many models of a class and of its subclasses there are.
  func count(of descriptor: _ModelDescriptor) -> Int {
    classes.values.reduce(0) { count, models in
      models.descriptor.isKind(of: descriptor)
        ? count + models.places.count - models.goneCount : count
    }
  }

  /// The places of the models of a class and of its subclasses, in order.
  /// - Parameters:
  ///   - values: Models without one of them may be left out.
  ///   - storage: The model at a place; `nil` where it is not pending any more.
  mutating func places(
    of descriptor: _ModelDescriptor, having values: [RequiredValue],
    _ storage: (Int32) -> _ModelStorage?
  ) -> [Int32] {
    var found: [Int32] = []
    var isOrdered = true
    for models in classes.values where models.descriptor.isKind(of: descriptor) {
      isOrdered = found.isEmpty
      let wanted = values.lazy.compactMap { value in Key(value.value).map { (value.slot, $0) } }
      if models.places.count >= Self.smallest, let (slot, value) = wanted.first {
        found += places(of: models, slot, value, storage)
      } else {
        found += models.places
      }
    }
    return isOrdered ? found : found.sorted()
  }

  private mutating func places(
    of models: Models, _ slot: Int, _ value: Key, _ storage: (Int32) -> _ModelStorage?
  ) -> [Int32] {
    let values = models.values[slot] ?? Values()
    models.values[slot] = values
    hasValues = true
    func put(_ place: Int32) {
      guard let storage = storage(place), let key = Key(storage.explicitValue(slot)) else { return }
      values.places[key, default: []].append(place)
      insertions += 1
    }
    for place in models.places[values.takenPlaces...] { put(place) }
    for place in models.edits[values.takenEdits...] { put(place) }
    values.takenPlaces = models.places.count
    values.takenEdits = models.edits.count
    let found = values.places[value] ?? []
    return found.count < 2 ? found : Set(found).sorted()
  }
}
