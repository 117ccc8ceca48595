/// What a save does to models in memory once stores have committed: the last step of a `SaveSession`.
extension SaveSession {
  /// - Parameters:
  ///   - batches: Those that were committed.
  ///   - announced: The announcement of the save; `nil` inside a transaction, which announces all of its
  ///     saves when it commits.
  func finalise(_ batches: [Batch], _ announced: Int?) -> Saved {
    let others = core.externalChanges
    var saved = Saved()
    saved.overwritten = core.contestedNames(batches)
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
      for (place, (storage, permanent)) in zip(batch.insertedStorages, batch.receipt.inserted)
        .enumerated()
      {
        if !dropped.isEmpty, dropped.contains(place) { continue }
        let isShown = core.makePermanent(storage, permanent)
        saved.inserted.append(permanent)
        if storage.descriptor.isConstrained || !isShown {
          upserted.append((storage, permanent, isShown))
        }
      }
    }
    // An upsert may have changed a row that others show. Looking at partners of such a row finds the
    // models of this save, now that all of them have their identifiers.
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
    // New models were named before they had their identifiers.
    saved.discarded = Dictionary(
      core.discardedEdits.map { ($0.resolved, $1) }, uniquingKeysWith: { $0 + $1 })
    core.discardedEdits = [:]
    if let announced { others.complete(announced, with: saved.note) }
    // Released when the lists of the context are settled: deinitialisers of models may call back.
    return withExtendedLifetime(models) { saved }
  }
}

extension SaveSession.Batch {
  /// Models let go of values that the store put outside of their rows.
  fileprivate func forgetStored(_ places: ExternalPlaces) {
    for (index, slots) in places.inserted { insertedStorages[index].forgetStored(slots) }
    for (index, slots) in places.updated { updatedStorages[index].forgetStored(slots) }
  }
}

extension ContextCore {
  /// The stores that the pending changes belong to, in the order in which they are locked.
  func portsOfChanges() throws -> [any StorePort] {
    if changes.isEmpty { return [] }
    if coordinator.ports.count == 1 { return coordinator.ports }
    var found: [any StorePort] = []
    for descriptor in (Array(changes.inserted) + changes.changed + changes.deleted).descriptors {
      guard let port = coordinator.port(forEntity: descriptor.entityName) else {
        throw SwiftDataError.notKept(entity: descriptor.entityName)
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

  /// Takes the pending changes of some batches out of the lists.
  /// - Returns: The lists as they were, which keep the models alive, and the instances of deleted rows.
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
    if changes.isEmpty { hasLostModels = false }
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

  /// The names of the contested properties that a save wrote.
  fileprivate func contestedNames(
    _ batches: [SaveSession.Batch]
  ) -> [PersistentIdentifier: [String]] {
    let contested = externalChanges.contested
    if contested.isEmpty { return [:] }
    externalChanges.forgetContested()
    var names: [PersistentIdentifier: [String]] = [:]
    func add(_ storage: _ModelStorage, _ slots: SlotSet?) {
      let slots = slots?.intersection(contested[storage.identifier] ?? SlotSet())
      let written = storage.descriptor.names(of: slots ?? SlotSet(), includingToMany: false)
      if !written.isEmpty { names[storage.identifier] = written }
    }
    for batch in batches {
      for storage in batch.updatedStorages { add(storage, storage.changedSlots) }
      for storage in batch.deletedStorages { add(storage, .all) }
    }
    return names
  }

  // MARK: What the rules of the schema did

  /// Pending models that the rules delete with others.
  func deletedByRules(_ batches: [SaveSession.Batch]) -> Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    for batch in batches {
      let consequences = batch.receipt.consequences
      for place in consequences.dropped {
        found.insert(ObjectIdentifier(batch.insertedStorages[place]))
      }
      for identifier in consequences.deleted {
        if let live = registered(identifier) { found.insert(ObjectIdentifier(live.storage)) }
      }
    }
    return found
  }

  /// Before the commit: models whose rows the rules delete keep their last values.
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

  /// After the commit: models show what the rules did to their rows.
  fileprivate func show(_ batch: SaveSession.Batch, _ saved: inout SaveSession.Saved) {
    let consequences = batch.receipt.consequences
    // Whether the row had another model by then is in the row.
    let deleted = Set(consequences.deleted)
    for storage in batch.displacedStorages where !deleted.contains(storage.identifier) {
      storage.refault()
    }
    for place in consequences.dropped {
      let storage = batch.insertedStorages[place]
      if watchers.isActive { noteDeparture(of: storage) }
      storage.notifyingObserversOfAll { storage.leaveContext() }
      weakenPartners(of: storage)
    }
    for identifier in consequences.deleted {
      saved.deleted.append(identifier)
      for live in identities.instances(of: identifier, in: self) {
        if watchers.isActive { noteDeparture(of: live.storage) }
        transaction?.note(deleted: live.storage)
        live.storage.notifyingObserversOfAll { finishDeletion(of: live.storage) }
      }
    }
    for link in consequences.emptied + consequences.displaced { empty(link) }
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
        dropGoneMembers(of: live.storage, slots)
      }
    }
    if consequences.hasMissedRows
      || !batch.port.isTransactional && leavesUnseenMembers(batch.deletedStorages)
    {
      dropGoneMembers()
    }
  }

  private func empty(_ link: SaveConsequences.Link) {
    for live in identities.instances(of: link.identifier, in: self) {
      let storage = live.storage
      if storage.flags.contains(.isFault), storage.overlay == nil { continue }
      if watchers.isActive { noteEdit(of: storage, slot: link.slot) }
      storage.notifyingObservers(of: link.slot) { storage.overlay(.null, at: link.slot) }
    }
  }
}

extension SaveConsequences {
  /// The to-one relationships that were written besides the request.
  fileprivate var links: [Link] { emptied + displaced + answered }
}
