/// Which models have changed since observers last looked: kinds of models and properties, no identifiers, so
/// its size does not grow with the number of changes.
struct TouchedModels {
  /// What has happened to the models of one class.
  struct Kind {
    let descriptor: _ModelDescriptor
    /// Properties that were changed in any of them.
    var slots = SlotSet()
    /// Whether any of them are new, or gone.
    var haveComeOrGone = false
  }

  private(set) var kinds: [ObjectIdentifier: Kind] = [:]
  /// Any model may have changed.
  private(set) var isEverything = false

  var isEmpty: Bool { kinds.isEmpty && !isEverything }

  mutating func insert(_ descriptor: _ModelDescriptor, slot: Int) {
    kinds[ObjectIdentifier(descriptor), default: Kind(descriptor: descriptor)].slots.insert(slot)
  }

  mutating func insert(_ descriptor: _ModelDescriptor, slots: SlotSet) {
    kinds[ObjectIdentifier(descriptor), default: Kind(descriptor: descriptor)].slots
      .formUnion(slots)
  }

  mutating func insertComingOrGoing(_ descriptor: _ModelDescriptor) {
    kinds[ObjectIdentifier(descriptor), default: Kind(descriptor: descriptor)].haveComeOrGone = true
  }

  mutating func insertEverything() { isEverything = true }

  /// What other contexts, containers or processes have saved.
  mutating func insert(_ saved: SavedChanges, in coordinator: any StoreCoordinator) {
    func descriptor(_ name: String) -> _ModelDescriptor? {
      coordinator.modelType(forEntity: name)?._$descriptor
    }
    if saved.isEverything { isEverything = true }
    var known: [String: SlotSet] = [:]
    for (identifier, slots) in saved.updated {
      known[identifier.entityName, default: SlotSet()].formUnion(slots)
    }
    for (name, slots) in known { if let found = descriptor(name) { insert(found, slots: slots) } }
    let moved = saved.insertedEntities.union(saved.deleted.lazy.map(\.entityName))
    for name in moved { if let found = descriptor(name) { insertComingOrGoing(found) } }
    for name in saved.invalidatedEntities {
      guard let found = descriptor(name) else { continue }
      insert(found, slots: .all)
      insertComingOrGoing(found)
    }
  }
}
