/// Models that have left the context, deleted by another one or removed before their first save: the
/// relationships in memory that refer to them, and the edits that no save can store.
///
/// Belongs to one context and is used on its thread only.
final class LostReferences {
  private let changes: ChangeTracker
  private let identities: IdentityRegistry
  private let watchers: EditWatchers
  /// Edits of rows that another writer deleted. No save can store them; the next save reports them.
  private(set) var discardedEdits: [PersistentIdentifier: [String]] = [:]
  /// Whether pending models may refer to models that have left the context.
  private(set) var mayExist = false

  init(_ changes: ChangeTracker, _ identities: IdentityRegistry, _ watchers: EditWatchers) {
    self.changes = changes
    self.identities = identities
    self.watchers = watchers
  }

  /// Called when a model has left the context.
  func expect() { mayExist = true }

  /// Called when no pending model is left.
  func expectNone() { mayExist = false }

  func forgetDiscardedEdits() { discardedEdits = [:] }

  /// Called when a model without a row is inserted again.
  func forgetDiscardedEdits(of storage: _ModelStorage) {
    if !discardedEdits.isEmpty { discardedEdits[storage.identifier] = nil }
  }

  /// Removes models without a row from the lists of relationships in memory.
  func dropDeletedMembers() {
    let models = identities.models(where: { !$0.overlay.isEmpty })
    for live in models { dropDeletedMembers(of: live.storage, live.storage.descriptor.toManySlots) }
    withExtendedLifetime(models) {}
  }

  /// Removes models without a row from some lists of one model.
  func dropDeletedMembers(of storage: _ModelStorage, _ slots: SlotSet) {
    for slot in storage.descriptor.relationshipSlots where slots.contains(slot) {
      guard case .toMany(let value) = storage.overlaid(slot) else { continue }
      drop(from: value, of: storage, slot) { $0._$storage.flags.contains(.hasNoRow) }
    }
  }

  /// Removes models from a list, if it has them.
  private func drop(
    from list: _ToManyValue, of storage: _ModelStorage, _ slot: Int,
    where isGone: (any PersistentModel) -> Bool
  ) {
    guard list.mentions(where: isGone) else { return }
    var dropped: [any PersistentModel] = []
    storage.notifyingObservers(of: slot) { dropped = list.dropAll(where: isGone) }
    watchers.didChangeReferences(of: storage, slot: slot)
    withExtendedLifetime(dropped) {}
  }

  /// Called before a save, so that no pending change concerns a model that has left the context.
  func dropAll() {
    guard mayExist else { return }
    for storage in Array(changes.changed) where storage.flags.contains(.hasNoRow) {
      discardEdits(of: storage)
    }
    // Their links would name rows that are gone.
    for storage in changes.deleted where storage.flags.contains(.hasNoRow) {
      storage.relationships.releaseAll()
    }
    dropReferences()
  }

  /// Removes references of pending models to models that have left the context: deleted by another
  /// one, or removed before their first save. Relationships change as if a stored model had been
  /// deleted. A required related model stays and remains readable; the save is refused.
  func dropReferences() {
    for storage in [changes.inserted, changes.changed, changes.deleted].flatMap(Array.init)
    where !storage.flags.contains(.hasNoRow) {
      for slot in storage.descriptor.relationshipSlots {
        switch storage.relationships.value(slot) {
        case .toMany(let value):
          drop(from: value, of: storage, slot) { $0._$storage.hasLeftContext }
        case .model(let partner):
          guard partner._$storage.hasLeftContext, storage.descriptor.properties[slot].isOptional
          else { continue }
          // A related model that never had a row was removed by this context itself.
          if !storage.flags.contains(.isDeleted), storage.changedSlots.contains(slot),
            !partner._$storage.identifier.isTemporary
          {
            noteDiscarded(SlotSet(slot), of: storage)
          }
          storage.notifyingObservers(of: slot) { storage.overlay(.null, at: slot) }
          watchers.didChangeReferences(of: storage, slot: slot)
        case .unset, .null, .identifier, .weakReferences: continue
        }
      }
    }
  }

  /// Removes the unsaved changes of a model whose row no longer exists; the next successful save
  /// reports them. The model keeps the values that it shows, but retains no related model: nothing would release
  /// two that are lost and refer to each other.
  private func discardEdits(of storage: _ModelStorage) {
    noteDiscarded(storage.changedSlots, of: storage)
    storage.overlay.forgetChanges()
    storage.relationships.releaseAll()
    changes.forget(storage)
  }

  /// Called at the end of the context.
  func close() {
    for storage in [changes.changed, changes.deleted].flatMap(Array.init)
    where storage.flags.contains(.hasNoRow) {
      storage.relationships.releaseAll()
    }
  }

  /// Records an edit of a model that is known to have no row.
  func recordEditWithoutRow(of storage: _ModelStorage, _ slot: Int) {
    mayExist = true
    guard storage.flags.isDisjoint(with: .isPending) else { return }
    var slots = SlotSet()
    slots.insert(slot)
    noteDiscarded(slots, of: storage)
  }

  /// To-many relationships are not reported: changed members are not lost values of the model.
  private func noteDiscarded(_ slots: SlotSet, of storage: _ModelStorage) {
    let names = storage.descriptor.names(of: slots, includingToMany: false)
    if names.isEmpty { return }
    let known = discardedEdits[storage.identifier] ?? []
    discardedEdits[storage.identifier] = known + names.filter { !known.contains($0) }
  }
}
