/// Which models have changed since observers last looked. Many models of a class are not named, so its size does
/// not grow with the number of changes.
struct TouchedModels {
  /// What has happened to the models of one class.
  struct Kind {
    let descriptor: _ModelDescriptor
    /// Properties that were changed in any of them.
    var slots = SlotSet()
    /// Whether any of them are new, or gone.
    var haveComeOrGone = false
    /// Which they are.
    var models = NamedModels()
    /// Whether others have saved some of them, so that their rows are fresh.
    var haveFreshRows = false
  }

  private(set) var kinds: [ObjectIdentifier: Kind] = [:]
  /// Any model may have changed.
  private(set) var isEverything = false

  var isEmpty: Bool { kinds.isEmpty && !isEverything }

  private mutating func change(_ descriptor: _ModelDescriptor, _ body: (inout Kind) -> Void) {
    body(&kinds[ObjectIdentifier(descriptor), default: Kind(descriptor: descriptor)])
  }

  mutating func insert(_ storage: _ModelStorage, slot: Int) {
    change(storage.descriptor) { kind in
      kind.slots.insert(slot)
      kind.models.insert(storage)
    }
  }

  mutating func insertComingOrGoing(_ storage: _ModelStorage) {
    change(storage.descriptor) { kind in
      kind.haveComeOrGone = true
      kind.models.insert(storage)
    }
  }

  mutating func insertEverything() { isEverything = true }

  /// What other contexts, containers or processes have saved.
  mutating func insert(savedByOthers saved: SavedChanges, in coordinator: any StoreCoordinator) {
    insertSaved(saved, in: coordinator) { $1 }
    for entity in Set(saved.updated.lazy.map(\.identifier.entityName)) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { $0.haveFreshRows = true }
    }
  }

  /// What the context itself has saved: new models got their keys, by which the store orders them, or turned out
  /// to be rows that are known. Delete rules took models with others and out of relationships. Edits are known.
  mutating func insert(savedByContext saved: SavedChanges, in coordinator: any StoreCoordinator) {
    insertSaved(saved, in: coordinator) { descriptor, slots in
      slots == .all ? slots : slots.intersection(descriptor.relationshipSet)
    }
  }

  /// - Parameter relevant: Which of the changed properties of a class count.
  private mutating func insertSaved(
    _ saved: SavedChanges, in coordinator: any StoreCoordinator,
    _ relevant: (_ModelDescriptor, SlotSet) -> SlotSet
  ) {
    if saved.isEverything { isEverything = true }
    for (entity, updated) in Dictionary(grouping: saved.updated, by: \.identifier.entityName) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { kind in
        for (identifier, slots) in updated {
          let slots = relevant(descriptor, slots)
          if slots.isEmpty { continue }
          kind.slots.formUnion(slots)
          kind.models.insert(identifier)
        }
      }
    }
    for (entity, inserted) in Dictionary(grouping: saved.inserted, by: \.entityName) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { kind in
        kind.haveComeOrGone = true
        for identifier in inserted { kind.models.insert(identifier) }
      }
    }
    for entity in Set(saved.deleted.lazy.map(\.entityName)) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { $0.haveComeOrGone = true }
    }
    for entity in saved.insertedEntities.union(saved.invalidatedEntities) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { kind in
        kind.haveComeOrGone = true
        kind.models.insertUnnamed()
        if saved.invalidatedEntities.contains(entity) { kind.slots = .all }
      }
    }
  }
}

extension StoreCoordinator {
  fileprivate func descriptor(_ entity: String) -> _ModelDescriptor? {
    modelType(forEntity: entity)?._$descriptor
  }
}

extension _ModelDescriptor {
  fileprivate var relationshipSet: SlotSet {
    var slots = SlotSet()
    for slot in relationshipSlots { slots.insert(slot) }
    return slots
  }
}
