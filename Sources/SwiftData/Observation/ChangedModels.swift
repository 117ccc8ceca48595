/// Models that have changed since observers last read. Many changed models of a class are not
/// named, so the size does not grow with the number of changes.
struct ChangedModels {
  /// The changes of the models of one class.
  struct Kind {
    let descriptor: _ModelDescriptor
    /// Properties that were changed in any of them.
    var slots = SlotSet()
    /// Properties of which the context itself has saved changes. Only requests without pending changes find
    /// other models then.
    var savedSlots = SlotSet()
    /// Whether any of them are new or deleted.
    var haveInsertionsOrDeletions = false
    /// The changed models.
    var models = ChangedModelSet()
    /// Whether another writer has saved some of them, so that their rows are new.
    var haveNewRows = false
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

  mutating func insertInsertedOrDeleted(_ storage: _ModelStorage) {
    change(storage.descriptor) { kind in
      kind.haveInsertionsOrDeletions = true
      kind.models.insert(storage)
    }
  }

  /// Adds what a rollback takes back.
  mutating func insert(discarded changes: ChangeTracker) {
    for storage in changes.inserted { insertInsertedOrDeleted(storage) }
    for storage in changes.changed { insertEdits(of: storage) }
    for storage in changes.deleted {
      insertInsertedOrDeleted(storage)
      insertEdits(of: storage)
    }
  }

  private mutating func insertEdits(of storage: _ModelStorage) {
    change(storage.descriptor) { kind in
      kind.slots.formUnion(storage.changedSlots)
      kind.models.insert(storage)
    }
  }

  /// Adds what a failed transaction had saved.
  /// - Parameter models: Those that it had saved for the first time, or deleted.
  mutating func insert(
    undone saved: SavedChanges, of models: [_ModelStorage], in coordinator: any StoreCoordinator
  ) {
    insert(savedExternally: saved, in: coordinator)
    // Their rows are there again.
    for identifier in saved.deleted {
      guard let descriptor = coordinator.descriptor(identifier.entityName) else { continue }
      change(descriptor) { $0.models.insert(identifier) }
    }
    for storage in models { insertInsertedOrDeleted(storage) }
  }

  /// Adds what other contexts, containers or processes have saved.
  mutating func insert(savedExternally saved: SavedChanges, in coordinator: any StoreCoordinator) {
    insertSaved(saved, byContext: false, in: coordinator)
    for entity in Set(saved.updated.lazy.map(\.identifier.entityName)) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { $0.haveNewRows = true }
    }
  }

  /// Adds what the context itself has saved. New models got their keys, by which the store orders
  /// them, or became known rows. Delete rules deleted related models and removed models from
  /// relationships. Edits are recorded already, but change what is stored only now.
  mutating func insert(savedByContext saved: SavedChanges, in coordinator: any StoreCoordinator) {
    insertSaved(saved, byContext: true, in: coordinator)
  }

  private mutating func insertSaved(
    _ saved: SavedChanges, byContext isOwn: Bool, in coordinator: any StoreCoordinator
  ) {
    if saved.isEverything { isEverything = true }
    for (entity, updated) in Dictionary(grouping: saved.updated, by: \.identifier.entityName) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { kind in
        for (identifier, changed) in updated {
          if isOwn { kind.savedSlots.formUnion(changed) }
          let slots =
            isOwn && changed != .all
            ? changed.intersection(descriptor.relationshipSet) : changed
          if slots.isEmpty { continue }
          kind.slots.formUnion(slots)
          kind.models.insert(identifier)
        }
      }
    }
    insertLists(of: saved, byContext: isOwn, in: coordinator)
    for (entity, inserted) in Dictionary(grouping: saved.inserted, by: \.entityName) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { kind in
        kind.haveInsertionsOrDeletions = true
        for identifier in inserted { kind.models.insert(identifier) }
      }
    }
    for entity in Set(saved.deleted.lazy.map(\.entityName)) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { $0.haveInsertionsOrDeletions = true }
    }
    for entity in saved.insertedEntities.union(saved.invalidatedEntities) {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { kind in
        kind.haveInsertionsOrDeletions = true
        kind.models.markIncomplete()
        if saved.invalidatedEntities.contains(entity) { kind.slots = .all }
      }
    }
  }

  /// Adds the owners of lists that lost members.
  private mutating func insertLists(
    of saved: SavedChanges, byContext isOwn: Bool, in coordinator: any StoreCoordinator
  ) {
    for (identifier, slots) in saved.changedLists {
      guard let descriptor = coordinator.descriptor(identifier.entityName) else { continue }
      change(descriptor) { kind in
        if isOwn { kind.savedSlots.formUnion(slots) }
        kind.slots.formUnion(slots)
        kind.models.insert(identifier)
      }
    }
    for (entity, slots) in saved.changedListsOfEntities {
      guard let descriptor = coordinator.descriptor(entity) else { continue }
      change(descriptor) { kind in
        if isOwn { kind.savedSlots.formUnion(slots) }
        kind.slots.formUnion(slots)
        kind.models.markIncomplete()
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
