/// Records changes of models: notifies the watchers first, then adds the change to the tracker.
///
/// Each edit goes through `willChange`: of attributes directly from `_FaultSource`, of relationships
/// through `RelationshipFixer`. Insertions and deletions come from `ModelGraph`, `DeleteRules` and
/// `UndoApplication`. Belongs to one context and is used on its thread only.
final class ChangeRecorder {
  let changes: ChangeTracker
  private let watchers: EditWatchers
  private let identities: IdentityRegistry
  private let lostReferences: LostReferences
  private let faults: FaultResolver

  init(
    _ watchers: EditWatchers, _ changes: ChangeTracker, _ identities: IdentityRegistry,
    _ lostReferences: LostReferences, _ faults: FaultResolver
  ) {
    self.watchers = watchers
    self.changes = changes
    self.identities = identities
    self.lostReferences = lostReferences
    self.faults = faults
  }

  /// Called before a property of a registered model changes.
  func willChange(_ storage: _ModelStorage, slot: Int) {
    guard storage.canBeTracked else { return }
    if !storage.flags.isDisjoint(with: [.isFault, .hasNoRow]) {
      if storage.flags.contains(.isFault) { faults.fill(storage) }
      if storage.flags.contains(.hasNoRow) {
        lostReferences.recordEditWithoutRow(of: storage, slot)
      }
    }
    if watchers.isActive { watchers.willEdit(storage, slot: slot) }
    changes.change(storage)
    storage.overlay.markChanged(slot)
  }

  /// Restores the saved value of a property of a stored model, because another instance of the row gets the edit.
  func takeBackEdit(of storage: _ModelStorage, slot: Int) {
    guard storage.flags.contains(.isChanged), storage.changedSlots.contains(slot) else { return }
    willChange(storage, slot: slot)
    changes.takeBack(storage, slot: slot)
  }

  /// Called after a save for an edit that was made while it wrote, and that the watchers have seen then.
  /// - Returns: Whether the model can keep the edit; false if its row no longer exists.
  func repeatChange(_ storage: _ModelStorage, slot: Int) -> Bool {
    if storage.flags.contains(.isFault) { faults.fill(storage) }
    if storage.flags.contains(.hasNoRow) {
      lostReferences.recordEditWithoutRow(of: storage, slot)
      return false
    }
    changes.change(storage)
    storage.overlay.markChanged(slot)
    return true
  }

  /// All instances of a model's row, the registered one first; none if no upsert has left several of any row.
  func instances(of model: any PersistentModel) -> [any PersistentModel] {
    guard identities.hasDuplicates, let row = model._$storage.knownIdentifier else { return [] }
    return identities.instances(of: row).compactMap(\.storage.persistentModel)
  }

  /// Called when members of a list have changed, after `willChange` of its slot.
  func didEditMembers(_ edit: ToManyEdits.Edit, of storage: _ModelStorage, slot: Int) {
    if watchers.isActive { watchers.didEditMembers(edit, of: storage, slot: slot) }
  }

  /// Adds one new model to the unit of work, without its relationships.
  func insert(_ storage: _ModelStorage, in source: any _FaultSource) {
    if watchers.isActive { watchers.willInsert(storage) }
    // A fault whose row was not found is still registered.
    if storage.flags.contains(.hasNoRow) {
      identities.remove(storage)
      lostReferences.forgetDiscardedEdits(of: storage)
    }
    changes.insert(storage, in: source)
  }

  /// Marks one stored model for deletion, with the other instances of its row, or removes one new
  /// model from the tracker.
  /// - Returns: Whether the model was new, and so is no longer pending.
  func delete(_ storage: _ModelStorage) -> Bool {
    if watchers.isActive { watchers.willDelete(storage) }
    if changes.delete(storage) { return true }
    for other in identities.otherInstances(of: storage) { _ = changes.delete(other.storage) }
    return false
  }

  /// Takes back the deletion of a row at the request of the user.
  func undoDeletion(of storage: _ModelStorage) {
    if watchers.isActive { watchers.willInsert(storage) }
    restoreDeleted(storage)
  }

  /// Takes back the deletion of a row, for all its instances.
  func restoreDeleted(_ storage: _ModelStorage) {
    changes.undoDeletion(of: storage)
    for other in identities.otherInstances(of: storage) {
      changes.undoDeletion(of: other.storage)
    }
  }

  /// Called when a failed save has restored a relationship that its rules had changed.
  func didRestore(_ storage: _ModelStorage, slot: Int) {
    watchers.didChangeReferences(of: storage, slot: slot)
  }

  /// One model for each row to delete.
  var rowsToDelete: [_ModelStorage] {
    // Instances of a row that another context deleted are no longer duplicates in the registry.
    guard identities.hasDuplicates || lostReferences.mayExist else { return Array(changes.deleted) }
    var seen: Set<PersistentIdentifier> = []
    return changes.deleted.filter { seen.insert($0.identifier).inserted }
  }
}
