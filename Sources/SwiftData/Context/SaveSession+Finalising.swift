/// What a save does to models in memory once stores have committed: its last step.
extension SaveSession {
  /// - Parameters:
  ///   - batches: The committed ones.
  ///   - announced: The serial number of the save in the log; `nil` inside a transaction, which
  ///     announces all of its saves when it commits.
  func finalise(_ batches: [Batch], _ announced: Int?) -> Saved {
    let others = core.externalChanges
    var saved = Saved()
    saved.overwritten = core.overwrittenNames(batches)
    core.transaction?.note(batches)
    let isNoted =
      announced == nil || others.hasReaders
      || core.watchers.all.contains(where: \.wantsSavedChanges)
    var note = isNoted ? core.note(of: batches) : nil
    let models = core.settleChanges(of: batches)
    if !core.unreadableValues.isEmpty { core.forgetUnreadable(of: batches) }
    var upserted: [(storage: _ModelStorage, permanent: PersistentIdentifier, isShown: Bool)] = []
    for batch in batches {
      saved.deleted += batch.deletedStorages.map(\.identifier)
      let dropped = Set(batch.receipt.consequences.dropped)
      for (index, (storage, permanent)) in zip(batch.insertedStorages, batch.receipt.inserted)
        .enumerated()
      {
        if !dropped.isEmpty, dropped.contains(index) { continue }
        let isShown = core.makePermanent(storage, permanent)
        saved.inserted.append(permanent)
        if storage.descriptor.isConstrained || !isShown {
          upserted.append((storage, permanent, isShown))
        }
      }
    }
    // An upsert may have changed a row that other instances show. Their related models can be
    // looked up now that all models of this save have their identifiers.
    for (storage, permanent, isShown) in upserted {
      if !isShown { core.becomeDuplicate(storage, of: permanent) }
      core.forgetEmptyToOnes(of: storage)
    }
    for batch in batches {
      for storage in batch.insertedStorages { storage.acceptChanges() }
      for storage in batch.updatedStorages {
        saved.updated.append(storage.identifier)
        storage.acceptChanges()
      }
    }
    for batch in batches {
      for storage in batch.updatedStorages { core.refreshDuplicates(of: storage) }
      batch.forgetStored(batch.receipt.external)
    }
    for storage in models.deleted { core.finishDeletion(of: storage) }
    for batch in batches { core.show(batch, &saved) }
    let rewritten = batches.flatMap(\.receipt.reregistered)
    for snapshot in rewritten { core.reregister(snapshot) }
    if note != nil {
      note?.setInserted(saved.inserted)
      let identifiers = upserted.map(\.permanent) + rewritten.map(\.persistentIdentifier)
      note?.updated += identifiers.map { ($0, .all) }
    }
    saved.note = note ?? SavedChanges()
    // Edits of new models were recorded under temporary identifiers.
    saved.discarded = Dictionary(
      core.lostReferences.discardedEdits.map { ($0.resolved, $1) }, uniquingKeysWith: { $0 + $1 })
    core.lostReferences.forgetDiscardedEdits()
    if let announced { others.complete(announced, with: saved.note) }
    // Released after the lists of the context are updated: deinitialisers of models may call back.
    return withExtendedLifetime(models) { saved }
  }
}

extension SaveSession.Batch {
  /// Models release values that the store moved out of their rows.
  fileprivate func forgetStored(_ storedSlots: ExternalValueSlots) {
    for (index, slots) in storedSlots.inserted { insertedStorages[index].forgetStored(slots) }
    for (index, slots) in storedSlots.updated { updatedStorages[index].forgetStored(slots) }
  }
}

extension ContextCore {
  /// The stores of the pending changes, in the order in which they are locked.
  func portsOfChanges() throws -> [any StorePort] {
    if changes.isEmpty { return [] }
    if coordinator.ports.count == 1 { return coordinator.ports }
    var found: [any StorePort] = []
    for descriptor in (Array(changes.inserted) + changes.changed + changes.deleted).descriptors {
      guard let port = coordinator.port(forEntity: descriptor.entityName) else {
        throw SwiftDataError.notStored(entity: descriptor.entityName)
      }
      if !found.contains(where: { $0 === port }) { found.append(port) }
    }
    return found.filter(\.isTransactional).sorted { $0.identifier < $1.identifier }
      + coordinator.ports.filter { port in
        !port.isTransactional && found.contains { $0 === port }
      }
  }

  /// What a save changes, for the other contexts of the container.
  func note(of batches: [SaveSession.Batch]) -> SavedChanges {
    var note = SavedChanges()
    for batch in batches {
      note.insert(rowsOf: Set(batch.insertedStorages.descriptors.map(\.entityName)))
      note.updated += batch.updatedStorages.map { ($0.identifier, $0.changedSlots) }
      note.deleted += batch.deletedStorages.map(\.identifier)
      let consequences = batch.receipt.consequences
      note.deleted += consequences.deleted
      note.updated += consequences.links.map { ($0.identifier, SlotSet($0.slot)) }
    }
    return note
  }

  /// Removes the pending changes of some batches from the lists.
  /// - Returns: The earlier lists, which keep the models alive, and the instances of deleted rows.
  fileprivate func settleChanges(
    of batches: [SaveSession.Batch]
  ) -> (changes: ChangeTracker, deleted: [_ModelStorage]) {
    let before = changes
    let isWhole = coordinator.ports.count == 1
    let deleted = before.deleted.filter { storage in
      isWhole || batches.contains { $0.port === port(of: storage) }
    }
    if isWhole {
      changes.removeAll()
    } else {
      for batch in batches {
        for storage in batch.insertedStorages { changes.settle(storage) }
        for storage in batch.updatedStorages { changes.settle(storage) }
      }
      for storage in deleted { changes.settle(storage) }
    }
    if changes.isEmpty { lostReferences.expectNone() }
    displacedLinks.removeAll()
    return (before, deleted)
  }

  fileprivate func forgetUnreadable(of batches: [SaveSession.Batch]) {
    for batch in batches {
      let stored = batch.updatedStorages.map {
        ($0.identifier, Set<String>?.some(Set($0.descriptor.names(of: $0.changedSlots))))
      }
      forgetUnreadable(stored + batch.deletedStorages.map { ($0.identifier, nil) })
    }
  }

  /// The names of contested properties that a save wrote.
  fileprivate func overwrittenNames(
    _ batches: [SaveSession.Batch]
  ) -> [PersistentIdentifier: [String]] {
    let conflictingSlots = externalChanges.conflictingSlots
    if conflictingSlots.isEmpty { return [:] }
    externalChanges.clearConflicts()
    var names: [PersistentIdentifier: [String]] = [:]
    func add(_ storage: _ModelStorage, _ slots: SlotSet?) {
      let slots = slots?.intersection(conflictingSlots[storage.identifier] ?? SlotSet())
      let written = storage.descriptor.names(of: slots ?? SlotSet(), includingToMany: false)
      if !written.isEmpty { names[storage.identifier] = written }
    }
    for batch in batches {
      for storage in batch.updatedStorages { add(storage, storage.changedSlots) }
      for storage in batch.deletedStorages { add(storage, .all) }
    }
    return names
  }

  // MARK: Effects of the schema's rules

  /// Pending models that the schema's rules delete.
  func deletedByRules(_ batches: [SaveSession.Batch]) -> Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    for batch in batches {
      let consequences = batch.receipt.consequences
      for index in consequences.dropped {
        found.insert(ObjectIdentifier(batch.insertedStorages[index]))
      }
      for identifier in consequences.deleted {
        if let live = registered(identifier) { found.insert(ObjectIdentifier(live.storage)) }
      }
    }
    return found
  }

  /// Called before the commit: models whose rows the rules delete keep their last values.
  func keepLastValues(_ batches: [SaveSession.Batch]) {
    for batch in batches {
      for snapshot in batch.receipt.consequences.lastValues {
        guard let live = registered(snapshot.persistentIdentifier),
          live.storage.flags.contains(.isFault)
        else { continue }
        live.storage.show(page: snapshot.page, row: snapshot.row)
      }
      for identifier in batch.receipt.consequences.deleted {
        for live in identities.instances(of: identifier, in: self)
        where !live.storage.descriptor.externalSlots.isEmpty { live.storage.keepExternalValues() }
      }
    }
  }

  /// Called after the commit: models show what the rules changed in their rows.
  fileprivate func show(_ batch: SaveSession.Batch, _ saved: inout SaveSession.Saved) {
    let consequences = batch.receipt.consequences
    // The row shows whether it already referred to another model.
    let deleted = Set(consequences.deleted)
    for storage in batch.displacedStorages where !deleted.contains(storage.identifier) {
      storage.refault()
    }
    for index in consequences.dropped {
      let storage = batch.insertedStorages[index]
      if watchers.isActive { notifyWillDelete(of: storage) }
      storage.notifyingObserversOfAll { storage.leaveContext() }
      weakenReferences(of: storage)
    }
    for identifier in consequences.deleted {
      saved.deleted.append(identifier)
      for live in identities.instances(of: identifier, in: self) {
        if watchers.isActive { notifyWillDelete(of: live.storage) }
        transaction?.note(deleted: live.storage)
        live.storage.notifyingObserversOfAll { finishDeletion(of: live.storage) }
      }
    }
    for link in consequences.nullified + consequences.displaced { empty(link) }
    for link in consequences.answered {
      for live in identities.instances(of: link.identifier, in: self)
      where live.storage.flags.isDisjoint(with: .isPending) { live.storage.refault() }
    }
    let known = Set(saved.updated)
    for link in consequences.links where !known.contains(link.identifier) {
      saved.updated.append(link.identifier)
    }
    for link in consequences.displaced {
      guard
        let descriptor = coordinator.modelType(forEntity: link.identifier.entityName)?._$descriptor
      else { continue }
      saved.overwritten[link.identifier, default: []].append(descriptor.properties[link.slot].name)
    }
    for (identifier, slots) in consequences.changedLists {
      for live in identities.instances(of: identifier, in: self) {
        lostReferences.dropDeletedMembers(of: live.storage, slots)
      }
    }
    if consequences.hasMissedRows
      || !batch.port.isTransactional && mayLeaveDeletedMembers(batch.deletedStorages)
    {
      lostReferences.dropDeletedMembers()
    }
  }

  private func empty(_ link: SaveConsequences.Link) {
    for live in identities.instances(of: link.identifier, in: self) {
      let storage = live.storage
      if storage.flags.contains(.isFault), storage.overlay.isEmpty { continue }
      if watchers.isActive { noteEdit(of: storage, slot: link.slot) }
      storage.notifyingObservers(of: link.slot) { storage.overlay(.null, at: link.slot) }
    }
  }
}

extension SaveConsequences {
  /// The to-one relationships that were written in addition to the request.
  fileprivate var links: [Link] { nullified + displaced + answered }
}
