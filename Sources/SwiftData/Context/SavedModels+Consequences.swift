/// What stores did by the rules of the schema, and how models show it.
///
/// Called by `SaveSession` before the commit, and by `SavedModels.finalise` after it.
extension SavedModels {
  /// Whether a model is in memory without its values.
  func isFault(_ identifier: PersistentIdentifier) -> Bool {
    identities.model(for: identifier)?.storage.flags.contains(.isFault) ?? false
  }

  /// Pending models that the schema's rules delete.
  func deletedByRules(_ batches: [SaveSession.Batch]) -> Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    for batch in batches {
      let consequences = batch.receipt.consequences
      for index in consequences.dropped {
        found.insert(ObjectIdentifier(batch.insertedStorages[index]))
      }
      for identifier in consequences.deleted {
        if let live = identities.model(for: identifier) { found.insert(ObjectIdentifier(live.storage)) }
      }
    }
    return found
  }

  /// Called before the commit: models whose rows the rules delete keep their last values.
  func keepLastValues(_ batches: [SaveSession.Batch]) {
    for batch in batches {
      for snapshot in batch.receipt.consequences.lastValues {
        guard let live = identities.model(for: snapshot.persistentIdentifier),
          live.storage.flags.contains(.isFault)
        else { continue }
        live.storage.show(page: snapshot.page, row: snapshot.row)
      }
      for identifier in batch.receipt.consequences.deleted {
        for live in identities.instances(of: identifier)
        where !live.storage.descriptor.externalSlots.isEmpty { live.storage.keepExternalValues() }
      }
    }
  }

  /// Called after the commit: models show what the rules changed in their rows.
  func show(
    _ batch: SaveSession.Batch, _ saved: inout SaveSession.Saved,
    in transaction: ContextTransaction?
  ) {
    let consequences = batch.receipt.consequences
    // The row shows whether it already referred to another model.
    let deleted = Set(consequences.deleted)
    for storage in batch.displacedStorages where !deleted.contains(storage.identifier) {
      storage.refault()
    }
    for index in consequences.dropped {
      let storage = batch.insertedStorages[index]
      if watchers.isActive { watchers.willDelete(storage) }
      storage.notifyingObserversOfAll { storage.leaveContext() }
      storage.weakenReferences(in: stores.coordinator)
    }
    for identifier in consequences.deleted {
      saved.deleted.append(identifier)
      for live in identities.instances(of: identifier) {
        if watchers.isActive { watchers.willDelete(live.storage) }
        transaction?.note(deleted: live.storage)
        live.storage.notifyingObserversOfAll { finishDeletion(of: live.storage) }
      }
    }
    for link in consequences.nullified + consequences.displaced { empty(link) }
    for link in consequences.answered {
      for live in identities.instances(of: link.identifier)
      where live.storage.flags.isDisjoint(with: .isPending) { live.storage.refault() }
    }
    let known = Set(saved.updated)
    for link in consequences.links where !known.contains(link.identifier) {
      saved.updated.append(link.identifier)
    }
    for link in consequences.displaced {
      guard
        let descriptor = stores.coordinator.modelType(forEntity: link.identifier.entityName)?._$descriptor
      else { continue }
      saved.overwritten[link.identifier, default: []].append(descriptor.properties[link.slot].name)
    }
    for (identifier, slots) in consequences.changedLists {
      for live in identities.instances(of: identifier) {
        lostReferences.dropDeletedMembers(of: live.storage, slots)
      }
    }
    if consequences.hasMissedRows
      || !batch.port.isTransactional && mayLeaveDeletedMembers(batch.deletedStorages)
    {
      lostReferences.dropDeletedMembers()
    }
  }

  /// Whether lists without an inverse may contain the deleted models.
  private func mayLeaveDeletedMembers(_ deleted: [_ModelStorage]) -> Bool {
    guard !deleted.isEmpty else { return false }
    return stores.coordinator.schema.entities.contains { entity in
      entity.relationships.contains { !$0.isToOneRelationship && $0.inverseName == nil }
    }
  }

  private func empty(_ link: SaveConsequences.Link) {
    for live in identities.instances(of: link.identifier) {
      let storage = live.storage
      if storage.flags.contains(.isFault), storage.overlay == nil { continue }
      if watchers.isActive { watchers.willEdit(storage, slot: link.slot) }
      storage.notifyingObservers(of: link.slot) { storage.overlay(.null, at: link.slot) }
    }
  }
}

extension SavedChanges {
  /// What a save changes, for the other contexts of the container.
  init(_ batches: [SaveSession.Batch]) {
    self.init()
    for batch in batches {
      insert(rowsOf: Set(batch.insertedStorages.descriptors.map(\.entityName)))
      updated += batch.updatedStorages.map { ($0.identifier, $0.changedSlots) }
      deleted += batch.deletedStorages.map(\.identifier)
      let consequences = batch.receipt.consequences
      deleted += consequences.deleted
      updated += consequences.links.map { ($0.identifier, SlotSet($0.slot)) }
    }
  }
}

extension SaveConsequences {
  /// The to-one relationships that were written in addition to the request.
  fileprivate var links: [Link] { nullified + displaced + answered }
}
