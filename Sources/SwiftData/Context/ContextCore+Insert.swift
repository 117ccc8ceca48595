/// Models that come into a unit of work and leave it: insertion, and deletion before the save.
///
/// Called by `ModelContext.insert` and `delete`, by the setters of relationships (through
/// `_FaultSource`, for new partners), by `DeleteRules` and by `UndoApplication`. What a state means
/// stands in `ModelLifeCycle.swift`.
extension ContextCore {
  /// Makes a model and all new models it reaches part of this unit of work.
  ///
  /// The graph is walked twice: first every reachable new model joins the context, then both sides
  /// of their relationships are brought into step.
  func insert(_ storage: _ModelStorage) {
    guard canTrack(storage) else { return }
    if let source = storage.source, !storage.flags.contains(.isGone) {
      if source === self {
        if storage.flags.contains(.isDeleted) { takeBackDeletion(of: storage) }
        return
      }
      refuseForeign(storage)
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
      RelationshipFixer(core: self).takeOverPartners(of: current)
      for partner in current.unsavedPartners where partner._$storage.source == nil {
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

  func takeBackDeletion(of storage: _ModelStorage) {
    if watchers.isActive { noteArrival(of: storage) }
    restoreDeleted(storage)
  }

  /// Takes the deletion of a row back for all models that show it.
  func restoreDeleted(_ storage: _ModelStorage) {
    changes.takeBackDeletion(of: storage)
    for other in otherInstances(of: storage) { changes.takeBackDeletion(of: other.storage) }
  }

  /// Makes one new model part of the unit of work, without regard to its relationships.
  func join(_ storage: _ModelStorage) {
    if watchers.isActive { noteArrival(of: storage) }
    // A fault whose row was not found is still registered.
    if storage.flags.contains(.isGone) {
      identities.remove(storage)
      if !discardedEdits.isEmpty { discardedEdits[storage.identifier] = nil }
    }
    changes.insert(storage, in: self)
  }

  /// Whether the schema has the model's class; the next save throws when it doesn't.
  private func knows(_ storage: _ModelStorage) -> Bool {
    if coordinator.knows(storage.descriptor) { return true }
    pendingErrors.note(coordinator.unknown(storage.descriptor))
    return false
  }

  /// Marks a model for deletion. A model that was never saved leaves the context at once, with what
  /// its delete rules cascade to; those of stored models are applied by the save.
  func delete(_ storage: _ModelStorage) {
    guard canTrack(storage) else { return }
    guard storage.source === self else {
      if storage.source != nil { refuseForeign(storage) }
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
        let reached = cascadePartners(of: current)
        partners += reached
        going += reached.map { $0._$storage }
      }
      deleteAlone(current)
    }
    withExtendedLifetime(partners) {}
  }

  /// Marks or forgets one model, without regard to delete rules. Other models that show its row are
  /// marked with it.
  func deleteAlone(_ storage: _ModelStorage) {
    if watchers.isActive { noteDeparture(of: storage) }
    let wasNew = changes.delete(storage)
    if wasNew { return forgetNew(storage) }
    for other in otherInstances(of: storage) { _ = changes.delete(other.storage) }
  }

  /// One model for each row that is to be deleted.
  var rowsToDelete: [_ModelStorage] {
    // Instances of a row that others deleted are no duplicates in the identity map any more.
    guard identities.hasDuplicates || hasLostModels else { return Array(changes.deleted) }
    var seen: Set<PersistentIdentifier> = []
    return changes.deleted.filter { seen.insert($0.identifier).inserted }
  }

  private func cascadePartners(of storage: _ModelStorage) -> [any PersistentModel] {
    storage.descriptor.relationshipSlots.flatMap { slot in
      storage.descriptor.link(slot, in: coordinator)?.deleteRule == .cascade
        ? storage.partners(slot) : []
    }
  }

  /// Takes a new model out of the unit of work again.
  private func forgetNew(_ storage: _ModelStorage) {
    hasLostModels = true
    RelationshipFixer(core: self).unlink(storage)
    storage.leaveContext()
  }
}

extension _ModelStorage {
  /// The models that unsaved relationship values of this one name.
  var unsavedPartners: [any PersistentModel] {
    var partners: [any PersistentModel] = []
    for slot in descriptor.relationshipSlots {
      switch overlaid(slot) {
      case .model(let partner): partners.append(partner)
      case .toMany(let value): partners += value.added
      case .unset, .null, .identifier, .weakPartners: continue
      case .integer, .real, .text, .blob, .uuid, .boxed: continue
      }
    }
    return partners
  }
}
