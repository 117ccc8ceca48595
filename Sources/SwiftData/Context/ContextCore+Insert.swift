/// Inserts models into a unit of work, and deletes models before the save.
///
/// Called by `ModelContext.insert` and `delete`, by the setters of relationships (through
/// `_FaultSource`, for new related models), by `DeleteRules` and by `UndoApplication`.
/// `ModelLifeCycle.swift` explains the states.
extension ContextCore {
  /// Adds a model, and all new models reachable from it, to this unit of work.
  ///
  /// The graph is traversed twice: first every reachable new model is added, then both sides of
  /// their relationships are made consistent.
  func insert(_ storage: _ModelStorage) {
    guard canTrack(storage) else { return }
    if let source = storage.source, !storage.flags.contains(.hasNoRow) {
      if source === self {
        if storage.flags.contains(.isDeleted) { undoDeletion(of: storage) }
        return
      }
      rejectModelOfOtherContext(storage)
      return
    }
    guard knows(storage) else { return }
    var joined = [storage]
    join(storage)
    var next = 0
    while next < joined.count {
      let current = joined[next]
      next += 1
      guard !current.descriptor.relationshipSlots.isEmpty else { continue }
      RelationshipFixer(core: self).adoptRelatedModels(of: current)
      for partner in current.relationships.unsavedModels where partner._$storage.source == nil {
        let storage = partner._$storage
        guard knows(storage) else { continue }
        join(storage)
        joined.append(storage)
      }
    }
    for storage in joined where !storage.descriptor.relationshipSlots.isEmpty {
      RelationshipFixer(core: self).reconcile(storage)
    }
  }

  func undoDeletion(of storage: _ModelStorage) {
    if watchers.isActive { notifyWillInsert(of: storage) }
    restoreDeleted(storage)
  }

  /// Takes back the deletion of a row, for all its instances.
  func restoreDeleted(_ storage: _ModelStorage) {
    changes.undoDeletion(of: storage)
    for other in otherInstances(of: storage) { changes.undoDeletion(of: other.storage) }
  }

  /// Adds one new model to the unit of work, without its relationships.
  func join(_ storage: _ModelStorage) {
    if watchers.isActive { notifyWillInsert(of: storage) }
    // A fault whose row was not found is still registered.
    if storage.flags.contains(.hasNoRow) {
      identities.remove(storage)
      lostReferences.forgetDiscardedEdits(of: storage)
    }
    changes.insert(storage, in: self)
  }

  /// Whether the schema contains the model's class; if not, the next save throws.
  private func knows(_ storage: _ModelStorage) -> Bool {
    if coordinator.knows(storage.descriptor) { return true }
    pendingErrors.note(coordinator.unknown(storage.descriptor))
    return false
  }

  /// Marks a model for deletion. A model that was never saved leaves the context immediately, with
  /// the models that its delete rules cascade to. The save applies the delete rules of stored
  /// models.
  func delete(_ storage: _ModelStorage) {
    guard canTrack(storage) else { return }
    guard storage.source === self else {
      if storage.source != nil { rejectModelOfOtherContext(storage) }
      return
    }
    var going = [storage]
    var partners: [any PersistentModel] = []
    var next = 0
    while next < going.count {
      let current = going[next]
      next += 1
      guard current.source === self else { continue }
      if current.flags.contains(.isInserted) {
        let reached = cascadeTargets(of: current)
        partners += reached
        going += reached.map { $0._$storage }
      }
      deleteAlone(current)
    }
    withExtendedLifetime(partners) {}
  }

  /// Marks one stored model for deletion, or removes one new model, without applying delete rules.
  /// Other instances of its row are marked too.
  func deleteAlone(_ storage: _ModelStorage) {
    if watchers.isActive { notifyWillDelete(of: storage) }
    let wasNew = changes.delete(storage)
    if wasNew { return forgetNew(storage) }
    for other in otherInstances(of: storage) { _ = changes.delete(other.storage) }
  }

  /// One model for each row to delete.
  var rowsToDelete: [_ModelStorage] {
    // Instances of a row that another context deleted are no longer duplicates in the identity map.
    guard identities.hasDuplicates || lostReferences.mayExist else { return Array(changes.deleted) }
    var seen: Set<PersistentIdentifier> = []
    return changes.deleted.filter { seen.insert($0.identifier).inserted }
  }

  private func cascadeTargets(of storage: _ModelStorage) -> [any PersistentModel] {
    storage.descriptor.relationshipSlots.flatMap { slot in
      storage.descriptor.link(slot, in: coordinator)?.deleteRule == .cascade
        ? storage.relationships.partners(slot) : []
    }
  }

  /// Removes a new model from the unit of work.
  private func forgetNew(_ storage: _ModelStorage) {
    lostReferences.expect()
    RelationshipFixer(core: self).unlink(storage)
    storage.leaveContext()
  }
}
