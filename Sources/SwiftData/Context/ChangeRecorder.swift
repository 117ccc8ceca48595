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
    changes.didPromote = { [weak self] in self?.instanceDidChange($0, replacing: $1) }
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

  /// Called when the identifier of a row leads to another instance.
  private func instanceDidChange(_ storage: _ModelStorage, replacing former: _ModelStorage?) {
    watchers.instanceDidChange(storage)
    forgetLists(around: storage)
    // A fault has no edits: it is in the same lists.
    if let former, !former.flags.contains(.isFault) { forgetLists(around: former) }
  }

  /// Makes loaded lists read their members again. They hold the instance that the identifier has led to.
  private func forgetLists(around storage: _ModelStorage) {
    let descriptor = storage.descriptor
    for slot in descriptor.relationshipSlots where descriptor.properties[slot].isToOne {
      guard let inverse = descriptor.link(slot, in: faults.coordinator)?.inverseSlot,
        let partner = storage.relationships.partner(slot)
      else { continue }
      let owner = partner._$storage
      guard case .toMany = owner.overlaid(inverse) else { continue }
      owner.notifyingObservers(of: inverse) { owner.relationships.forgetMembers(inverse) }
    }
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
    for other in identities.otherInstances(of: storage) {
      watchers.instanceDidChange(other.storage)
      _ = changes.delete(other.storage)
    }
    return false
  }

  /// The other models that show the row of a model.
  func otherInstances(of model: any PersistentModel) -> [any PersistentModel] {
    identities.otherInstances(of: model._$storage).compactMap(\.storage.persistentModel)
  }

  /// Takes back the deletion of a row at the request of the user.
  func undoDeletion(of storage: _ModelStorage) {
    if watchers.isActive { watchers.willInsert(storage) }
    restoreDeleted(storage)
  }

  /// Takes back the deletion of a row, for all its instances. The registered one is the last, as it was edited last.
  func restoreDeleted(_ storage: _ModelStorage) {
    func restore(_ storage: _ModelStorage) {
      changes.undoDeletion(of: storage)
      watchers.instanceDidChange(storage)
    }
    let others = identities.otherInstances(of: storage)
    let isLast = identities.isRegistered(storage)
    if !isLast { restore(storage) }
    for other in others.reversed() { restore(other.storage) }
    if isLast { restore(storage) }
    withExtendedLifetime(others) {}
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
