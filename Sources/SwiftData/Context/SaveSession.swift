import Foundation

/// One save, from the pending changes to the receipts of the stores. Created by `ContextCore.save`.
///
/// 1. *Lock*: each store that has transactions begins one, in the order of store identifiers. The
///    order is the same in all containers and processes, so saves wait for each other without
///    deadlocks. A context that refuses conflicts looks for them now (`ConflictCheck`).
/// 2. *Organise*: validation checks what only the context knows. For a store that implements the
///    public protocol, `DeleteRules` finds what else is changed or deleted.
/// 3. *Collect*: snapshots of all pending models become one request per store.
/// 4. *Write*: each store writes its request, and applies the rules of the schema to its rows. A
///    store without transactions comes last: it commits at once.
/// 5. *Announce*: the changes are announced to the other contexts, while the rows are still locked.
/// 6. *Commit*: each store commits, in the order of the configurations. Inside
///    `ModelContext.transaction`, steps 5 and 6 wait for its end (`ContextTransaction`).
/// 7. *Finalise*: temporary identifiers become permanent in place, changes count as stored, and
///    models show what the rules changed (`SaveSession+Finalising`).
///
/// An error before the first commit abandons the open saves, withdraws the announcement, undoes
/// what `DeleteRules` changed in memory, and leaves the context as it was. If a later store fails
/// to commit, the changes of stores that have committed are finalised, and only the rest stays
/// pending.
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
    /// Values that other contexts saved since this one read them, and that this save replaced.
    var overwritten: [PersistentIdentifier: [String]] = [:]
    /// Edits of models whose rows another writer had deleted.
    var discarded: [PersistentIdentifier: [String]] = [:]
    /// The changes for other contexts and for watchers; empty if there are none.
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

  /// What one store has to write, and its answer.
  final class Batch {
    let port: any StorePort
    fileprivate let save: any OpenSave
    private(set) var insertedStorages: [_ModelStorage] = []
    private var inserted: [DefaultSnapshot] = []
    private(set) var updatedStorages: [_ModelStorage] = []
    private var updated: [DefaultSnapshot] = []
    private(set) var displacedStorages: [_ModelStorage] = []
    /// One model for each row.
    private(set) var deletedStorages: [_ModelStorage] = []
    private var deleted: [DefaultSnapshot] = []
    fileprivate(set) var receipt = SaveReceipt(inserted: [])
    /// Whether the write can no longer be undone.
    fileprivate(set) var isCommitted = false

    init(_ port: any StorePort, _ editor: EditingState) throws {
      self.port = port
      save = try port.openSave(for: editor)
    }

    func insert(_ storage: _ModelStorage) throws {
      insertedStorages.append(storage)
      inserted.append(try DefaultSnapshot(storage))
    }

    /// - Parameter displaced: To-one relationships that were emptied because their model was set
    ///   elsewhere. The store empties them if the row still refers to that model.
    func update(_ storage: _ModelStorage, displaced: SlotSet?) throws {
      updatedStorages.append(storage)
      var slots = storage.changedSlots
      if let displaced, port.isTransactional {
        slots = slots.subtracting(displaced)
        displacedStorages.append(storage)
      }
      updated.append(try DefaultSnapshot(storage, changedSlots: slots))
    }

    func delete(_ storage: _ModelStorage) {
      if !storage.descriptor.externalSlots.isEmpty { storage.keepExternalValues() }
      deletedStorages.append(storage)
      deleted.append(DefaultSnapshot(lenient: storage, changedSlots: storage.changedSlots))
    }

    fileprivate func request(_ editor: EditingState) -> DataStoreSaveChangesRequest<DefaultSnapshot>
    {
      defer { (inserted, updated, deleted) = ([], [], []) }
      return DataStoreSaveChangesRequest(
        inserted: inserted, updated: updated, deleted: deleted, editingState: editor)
    }
  }

  /// The store detects rows that another writer has deleted while it writes. Then edits of these
  /// rows and links to them are dropped, and the save starts again.
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
    var batches: [Batch] = []
    SaveStep.reach(.begun)
    do {
      for port in try core.portsOfChanges() { batches.append(try Batch(port, core.editingState)) }
      SaveStep.reach(.locked)
      if core.externalChanges.conflictPolicy == .refuse {
        core.applyExternalChanges()
        try core.conflictCheck.run(deleted: core.rowsToDelete)
      }
      core.lostReferences.dropAll()
      core.failedReads.removeAll()
      let denied = rules.apply()
      let validation = Validation(changes: core.changes, coordinator: core.coordinator)
      let failures = denied + validation.failures(shrunk: rules.shrunk)
      try core.failedReads.throwFirst()
      // A deletion may also delete the models that break a rule.
      if core.changes.deleted.isEmpty { try SwiftDataError.throwAll(failures) }
      try collect(into: batches)
      try write(batches.filter(\.port.isTransactional), failures)
      if !failures.isEmpty {
        let left = validation.failures(shrunk: rules.shrunk, besides: core.deletedByRules(batches))
        try SwiftDataError.throwAll(denied + left)
      }
      try write(batches.filter { !$0.port.isTransactional }, [])
    } catch {
      try abandon(batches, error)
    }
    return try commit(batches)
  }

  /// - Parameter failures: Other failures, reported together with those of the store.
  private func write(_ batches: [Batch], _ failures: [SwiftDataError]) throws {
    var options = SaveOptions()
    options.refusesUpserts = core.uniquenessPolicy == .refuse
    options.needsLastValues = { [core] in
      core.registered($0)?.storage.flags.contains(.isFault) ?? false
    }
    for batch in batches {
      do {
        batch.receipt = try batch.save.write(
          batch.request(core.editingState), options, source: core)
      } catch let error as SwiftDataError
        where error == .modelValidationFailure && !failures.isEmpty
      {
        try SwiftDataError.throwAll([error] + failures)
      }
      batch.isCommitted = !batch.port.isTransactional
    }
  }

  /// Ends a save that failed before the first transaction was committed.
  private mutating func abandon(_ batches: [Batch], _ error: any Error) throws -> Never {
    for batch in batches.reversed() where !batch.isCommitted { batch.save.abandon() }
    let committed = batches.filter(\.isCommitted)
    if committed.isEmpty {
      rules.undo()
      throw error
    }
    throw finalisePartially(committed, besides: batches, error)
  }

  private func commit(_ batches: [Batch]) throws -> Saved {
    SaveStep.reach(.written)
    core.keepLastValues(batches)
    // Ends savepoints only, which cannot fail by themselves.
    if core.transaction != nil {
      for batch in batches where !batch.isCommitted { try batch.save.commit() }
      return finalise(batches, nil)
    }
    let others = core.externalChanges
    // Empty if no other context exists; a context that is created meanwhile reads from this entry
    // on.
    let announced = others.announce(others.hasReaders ? core.note(of: batches) : SavedChanges())
    SaveStep.reach(.announced)
    for batch in core.inOrderOfConfigurations(batches) where !batch.isCommitted {
      do {
        try batch.save.commit()
        batch.isCommitted = true
        if batches.contains(where: { !$0.isCommitted }) { SaveStep.reach(.partiallyCommitted) }
      } catch {
        for later in batches where !later.isCommitted && later !== batch { later.save.abandon() }
        let committed = batches.filter(\.isCommitted)
        if committed.isEmpty {
          others.withdraw(announced)
          throw error
        }
        throw finalisePartially(committed, besides: batches, error, announced)
      }
    }
    SaveStep.reach(.committed)
    let saved = finalise(batches, announced)
    core.coordinator.commits.fire()
    return saved
  }

  /// Finalises the stores that committed before another one failed: their models are saved.
  private func finalisePartially(
    _ committed: [Batch], besides all: [Batch], _ error: any Error, _ announced: Int? = nil
  ) -> any Error {
    let others = core.externalChanges
    let serial =
      announced ?? others.announce(others.hasReaders ? core.note(of: committed) : SavedChanges())
    let saved = finalise(committed, serial)
    core.partiallySaved = saved
    core.coordinator.commits.fire()
    let pending = all.filter { !$0.isCommitted }.map(\.port.name)
    let names = committed.map(\.port.name)
    return SwiftDataError.partiallyCommitted(by: names, pending: pending, error)
  }

  private func collect(into batches: [Batch]) throws {
    let only = batches.count == 1 ? batches[0] : nil
    func batch(_ storage: _ModelStorage) throws -> Batch {
      if let only, core.coordinator.ports.count == 1 { return only }
      let port = core.port(of: storage)
      guard let batch = batches.first(where: { $0.port === port }) else {
        throw SwiftDataError.notStored(entity: storage.descriptor.entityName)
      }
      return batch
    }
    for storage in core.changes.inserted { try batch(storage).insert(storage) }
    let displaced = core.displacedLinks
    for storage in core.changes.changed {
      let slots = displaced.isEmpty ? nil : displaced[ObjectIdentifier(storage)]
      try batch(storage).update(storage, displaced: slots)
    }
    for storage in core.rowsToDelete { try batch(storage).delete(storage) }
  }
}
