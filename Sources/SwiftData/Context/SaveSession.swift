import Foundation

/// One save, from the pending changes to the receipt of the stores. `ContextCore.save` makes it.
///
/// 1. *Organise*: delete rules find what else is changed or deleted; validation judges the pending set.
/// 2. *Collect*: snapshots of everything pending become one request per store.
/// 3. *Prepare*: each store writes its request in a transaction that stays open. A store that can't
///    take a save back is asked last.
/// 4. *Announce*: the other contexts get to know the changes, while the rows are still locked.
/// 5. *Commit*: each store commits.
/// 6. *Finalise*: temporary identifiers become permanent in place, changes count as stored.
///
/// A throw before the first commit abandons the prepared saves, withdraws the announcement, undoes what the
/// delete rules did in memory, and leaves the context as it was. Where several stores take part, a
/// later one may still fail to commit after an earlier one has; the context then keeps its changes.
struct SaveSession {
  let core: ContextCore
  private var rules: DeleteRules

  init(core: ContextCore) {
    self.core = core
    rules = DeleteRules(core: core)
  }

  struct Saved {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
    /// What others had saved since this context read it, and this save replaced.
    var overwritten: [PersistentIdentifier: [String]] = [:]
    /// Edits of models whose rows others had deleted.
    var discarded: [PersistentIdentifier: [String]] = [:]
    /// What is told to other contexts and to watchers; empty where there are none.
    var note = SavedChanges()

    var userInfo: [AnyHashable: Any] {
      let lists: [(ModelContext.NotificationKey, [PersistentIdentifier])] = [
        (.insertedIdentifiers, inserted), (.updatedIdentifiers, updated),
        (.deletedIdentifiers, deleted),
      ]
      var userInfo: [AnyHashable: Any] = [:]
      for (key, identifiers) in lists {
        for name in key.userInfoNames { userInfo[name] = identifiers }
      }
      return userInfo
    }
  }

  /// What one store has to write.
  private struct Batch {
    let port: any StorePort
    var insertedStorages: [_ModelStorage] = []
    var inserted: [DefaultSnapshot] = []
    var updatedStorages: [_ModelStorage] = []
    var updated: [DefaultSnapshot] = []
    var deleted: [DefaultSnapshot] = []

    /// Models let go of values that the store put outside of their rows.
    func forgetStored(_ places: ExternalPlaces) {
      for (index, slots) in places.inserted { insertedStorages[index].forgetStored(slots) }
      for (index, slots) in places.updated { updatedStorages[index].forgetStored(slots) }
    }
  }

  /// Rows that another container or process deleted are noticed while the store writes. Their edits
  /// are dropped then, and the save begins anew.
  mutating func run() throws -> Saved {
    while true {
      do {
        return try attempt()
      } catch let lost as DeletedRows {
        let application = ExternalChangeApplication(core: core)
        guard application.applyDeletion(of: lost.identifiers) else { throw lost.error }
        rules = DeleteRules(core: core)
      }
    }
  }

  private mutating func attempt() throws -> Saved {
    do {
      core.dropLostModels()
      core.failedReads.removeAll()
      let denied = rules.apply()
      let failures = denied + Validation(core: core).failures(shrunk: rules.shrunk)
      try core.failedReads.throwFirst()
      try SwiftDataError.throwAll(failures)
      let batches = try collect()
      let prepared = try prepare(batches)
      return try commit(batches, prepared)
    } catch {
      rules.undo()
      throw error
    }
  }

  private func prepare(_ batches: [Batch]) throws -> [any PreparedSave] {
    var prepared: [any PreparedSave] = []
    do {
      for batch in batches {
        prepared.append(
          try batch.port.prepare(
            DataStoreSaveChangesRequest(
              inserted: batch.inserted, updated: batch.updated, deleted: batch.deleted,
              editingState: core.editingState), source: core))
      }
      return prepared
    } catch {
      for save in prepared.reversed() { save.abandon() }
      throw error
    }
  }

  private func commit(_ batches: [Batch], _ prepared: [any PreparedSave]) throws -> Saved {
    let others = core.externalChanges
    let announced = others.hasReaders ? others.announce(pendingNote()) : nil
    var waiting = prepared[...]
    do {
      while let next = waiting.popFirst() { try next.commit() }
    } catch {
      for save in waiting { save.abandon() }
      if let announced { others.withdraw(announced) }
      throw error
    }
    let overwritten = contestedNames()
    let isNoted = announced != nil || core.watchers.all.contains(where: \.wantsSavedChanges)
    var saved = finalise(batches, prepared.map(\.receipt), isNoted ? pendingNote() : nil)
    saved.overwritten = overwritten
    saved.discarded = core.discardedEdits
    core.discardedEdits = [:]
    if let announced { others.complete(announced, with: saved.note) }
    core.coordinator.commits.fire()
    return saved
  }

  /// What this save changes, for the other contexts of the container.
  private func pendingNote() -> SavedChanges {
    var note = SavedChanges()
    note.insert(rowsOf: Set(core.changes.inserted.descriptors.map(\.entityName)))
    note.updated = core.changes.changed.map { ($0.identifier, $0.changedSlots) }
    note.deleted = core.rowsToDelete.map(\.identifier)
    return note
  }

  /// The names of the contested properties that this save wrote.
  private func contestedNames() -> [PersistentIdentifier: [String]] {
    let contested = core.externalChanges.contested
    if contested.isEmpty { return [:] }
    core.externalChanges.forgetContested()
    var names: [PersistentIdentifier: [String]] = [:]
    func add(_ storage: _ModelStorage, _ slots: SlotSet?) {
      let slots = slots?.intersection(contested[storage.identifier] ?? SlotSet())
      let written = storage.descriptor.names(of: slots ?? SlotSet(), includingToMany: false)
      if !written.isEmpty { names[storage.identifier] = written }
    }
    for storage in core.changes.changed { add(storage, storage.changedSlots) }
    for storage in core.changes.deleted { add(storage, .all) }
    return names
  }

  private func collect() throws -> [Batch] {
    var batches: [Batch] = []
    var places: [ObjectIdentifier: Int] = [:]
    func place(_ storage: _ModelStorage) throws -> Int {
      guard let port = core.port(of: storage) else {
        throw SwiftDataError.notKept(entity: storage.descriptor.entityName)
      }
      if let place = places[ObjectIdentifier(port)] { return place }
      places[ObjectIdentifier(port)] = batches.count
      batches.append(Batch(port: port))
      return batches.count - 1
    }
    for storage in core.changes.inserted {
      let place = try place(storage)
      batches[place].insertedStorages.append(storage)
      batches[place].inserted.append(try DefaultSnapshot(storage))
    }
    for storage in core.changes.changed {
      let place = try place(storage)
      batches[place].updatedStorages.append(storage)
      batches[place].updated.append(
        try DefaultSnapshot(storage, changedSlots: storage.changedSlots))
    }
    for storage in core.rowsToDelete {
      let place = try place(storage)
      if !storage.descriptor.externalSlots.isEmpty { storage.keepExternalValues() }
      batches[place].deleted.append(DefaultSnapshot(lenient: storage))
    }
    return batches.filter(\.port.isReversible) + batches.filter { !$0.port.isReversible }
  }

  private func forgetUnreadable(_ changes: ChangeTracker) {
    let stored = changes.changed.map {
      ($0.identifier, Set<String>?.some(Set($0.descriptor.names(of: $0.changedSlots))))
    }
    core.forgetUnreadable(stored + changes.deleted.map { ($0.identifier, nil) })
  }

  /// - Parameter note: What is told of the save, with the keys that new rows have got; `nil` for nothing.
  private func finalise(
    _ batches: [Batch], _ receipts: [SaveReceipt], _ note: SavedChanges?
  ) -> Saved {
    var saved = Saved()
    let changes = core.changes
    saved.deleted = core.rowsToDelete.map(\.identifier)
    if !core.unreadableValues.isEmpty { forgetUnreadable(changes) }
    core.changes.removeAll()
    var upserted: [(storage: _ModelStorage, permanent: PersistentIdentifier, isShown: Bool)] = []
    for (batch, receipt) in zip(batches, receipts) {
      for (storage, permanent) in zip(batch.insertedStorages, receipt.inserted) {
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
    for storage in changes.inserted { storage.acceptChanges() }
    for storage in changes.changed {
      saved.updated.append(storage.identifier)
      storage.acceptChanges()
    }
    for storage in changes.changed { core.refreshDuplicates(of: storage) }
    for (batch, receipt) in zip(batches, receipts) { batch.forgetStored(receipt.external) }
    for storage in changes.deleted { core.finishDeletion(of: storage) }
    core.hasLostModels = false
    if core.leavesUnseenMembers(changes.deleted) { core.dropGoneMembers() }
    let rewritten = receipts.flatMap(\.reregistered)
    for snapshot in rewritten { core.reregister(snapshot) }
    if var note {
      note.setInserted(saved.inserted)
      let identifiers = upserted.map(\.permanent) + rewritten.map(\.persistentIdentifier)
      note.updated += identifiers.map { ($0, .all) }
      saved.note = note
    }
    // Released when the lists of the context are settled: deinitialisers of models may call back.
    return withExtendedLifetime(changes) { saved }
  }
}
