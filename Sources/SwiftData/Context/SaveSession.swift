import Foundation

/// One save, from the pending changes to the receipts of the stores. Created by `ContextCore.save`.
///
/// 1. *Lock*: each store that has transactions begins one, in the order of store identifiers. The
///    order is the same in all containers and processes, so saves wait for each other without
///    deadlocks.
/// 2. *Organise*: `SavePreparation` looks for conflicts and broken rules, and for a store that
///    implements the public protocol finds what else is changed or deleted.
/// 3. *Collect*: all pending models become one request per store: new ones as they are
///    (`NewModels`), the others as snapshots.
/// 4. *Write*: each store writes its request, and applies the rules of the schema to its rows. A
///    store without transactions comes last: it commits at once.
///    Attributes with identifiers of new models are written again when these have keys
///    (`IdentifierCompletion`).
/// 5. *Announce*: the changes are announced to the other contexts, while the rows are still locked.
/// 6. *Commit*: each store commits, in the order of the configurations. Inside
///    `ModelContext.transaction`, steps 5 and 6 wait for its end (`ContextTransaction`).
/// 7. *Finalise*: temporary identifiers become permanent in place, changes count as stored, and
///    models show what the rules changed (`SavedModels`). What was edited since step 3 stays pending
///    (`LateEdits`).
///
/// An error before the first commit abandons the open saves, withdraws the announcement, undoes
/// what `DeleteRules` changed in memory, and leaves the context as it was. If a later store fails
/// to commit, the changes of stores that have committed are finalised, and only the rest stays
/// pending. An error because of another writer repeats all steps (`SaveRepetition`).
struct SaveSession {
  /// Finds the models that relationships refer to.
  let source: any _FaultSource
  let context: ContextIdentity
  let stores: ContextStores
  let recorder: ChangeRecorder
  let watchers: EditWatchers
  let externalChanges: ExternalChangeApplication
  let models: SavedModels
  /// The transaction that encloses the save.
  let transaction: ContextTransaction?
  /// Whether a new model with the unique values of a stored row is refused.
  let refusesUpserts: Bool
  var preparation: SavePreparation

  /// What a save stored before a later store failed.
  struct PartialCommit: Error {
    let saved: Saved
    /// The error of the save.
    let error: any Error
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

    /// Keys of type `AnyHashable` take long to look up, so the lists are put to their places in a copy.
    var userInfo: [AnyHashable: Any] {
      let empty = Saved.emptyUserInfo
      var userInfo = empty.dictionary
      for (list, places) in zip([inserted, updated, deleted], empty.places) where !list.isEmpty {
        for place in places { userInfo.values[place] = list }
      }
      return userInfo
    }

    /// What a save that stores nothing posts, and the places of inserted, updated and deleted identifiers.
    private nonisolated(unsafe) static let emptyUserInfo = {
      let keys: [ModelContext.NotificationKey] = [
        .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
      ]
      let names = keys.map(\.userInfoNames)
      var dictionary: [AnyHashable: Any] = [:]
      for name in names.joined() { dictionary[name] = [PersistentIdentifier]() }
      let places = names.map { $0.compactMap { dictionary.index(forKey: $0) } }
      return (dictionary: dictionary, places: places)
    }()
  }

  /// What one store has to write, and its answer.
  final class Batch {
    let port: any StorePort
    fileprivate let save: any OpenSave
    private var inserted = NewModels()
    private(set) var updatedStorages: [_ModelStorage] = []
    private var updated: [DefaultSnapshot] = []
    private(set) var displacedStorages: [_ModelStorage] = []
    /// One model for each row.
    private(set) var deletedStorages: [_ModelStorage] = []
    private var deleted: [DefaultSnapshot] = []
    fileprivate(set) var receipt = SaveReceipt(inserted: [])
    /// The models with temporary identifiers in attributes.
    private(set) var holders: [IdentifierHolder] = []
    /// The rows that were written again with permanent ones.
    private(set) var completed: [IdentifierCompletion.Row] = []
    /// Whether the write can no longer be undone.
    fileprivate(set) var isCommitted = false

    init(_ port: any StorePort, _ editor: EditingState, _ access: WriteAccess) throws {
      self.port = port
      save = try port.openSave(for: editor, access)
    }

    var insertedStorages: [_ModelStorage] { inserted.storages }

    /// - Parameter count: An upper bound, for the memory of the list.
    func insert(_ storages: some Sequence<_ModelStorage>, count: Int) throws {
      inserted.reserveCapacity(count)
      let isForColumns = port.isTransactional
      for storage in storages { try insert(storage, isForColumns) }
    }

    func insert(_ storage: _ModelStorage) throws { try insert(storage, port.isTransactional) }

    private func insert(_ storage: _ModelStorage, _ isForColumns: Bool) throws {
      if let values = try inserted.append(storage, isForColumns: isForColumns) {
        holders.append(
          IdentifierHolder(
            index: inserted.storages.count - 1, isNew: true, descriptor: storage.descriptor,
            values: values))
      }
    }

    /// - Parameter displaced: To-one relationships that were emptied because their model was set
    ///   elsewhere or deleted. The store empties them if the row still refers to that model.
    func update(_ storage: _ModelStorage, displaced: [Int: PersistentIdentifier]) throws {
      updatedStorages.append(storage)
      var slots = storage.changedSlots
      if !displaced.isEmpty, port.isTransactional {
        for slot in displaced.keys { slots = slots.subtracting(SlotSet(slot)) }
        displacedStorages.append(storage)
      }
      var snapshot = try DefaultSnapshot(
        storage, changedSlots: slots, isForColumns: port.isTransactional)
      snapshot.displacedLinks = displaced
      if let values = snapshot.identifierValues {
        holders.append(
          IdentifierHolder(
            index: updated.count, isNew: false, descriptor: storage.descriptor, values: values))
      }
      updated.append(snapshot)
    }

    fileprivate var hasHolders: Bool { !holders.isEmpty }

    /// Puts the identifiers of models in other stores into attributes, before a store without transactions writes.
    fileprivate func name(_ new: NewIdentifiers) {
      inserted.name(new)
      updated = updated.map { $0.naming(new) }
    }

    /// Writes attributes again that contain identifiers of new models. A store without transactions has done
    /// that itself.
    fileprivate func complete(_ new: NewIdentifiers) throws {
      let completion = IdentifierCompletion(
        receipt, updated: updatedStorages.map { ($0.identifier, $0.changedSlots) }, new)
      completed = try completion.rows(of: holders)
      if port.isTransactional { try save.complete(completed.map(\.values)) }
    }

    func delete(_ storage: _ModelStorage) {
      if !storage.descriptor.externalSlots.isEmpty { storage.keepExternalValues() }
      deletedStorages.append(storage)
      deleted.append(DefaultSnapshot(lenient: storage, changedSlots: storage.changedSlots))
    }

    /// The request; the snapshots are not needed any more after it.
    fileprivate func takeRequest(_ editor: EditingState) -> SaveRequest {
      defer {
        inserted.releaseSnapshots()
        (updated, deleted) = ([], [])
      }
      return SaveRequest(
        inserted: inserted, updated: updated, deleted: deleted, editingState: editor)
    }
  }

  /// The store detects rows that another writer has deleted while it writes. Then edits of these
  /// rows and links to them are dropped, and the save starts again.
  ///
  /// A store with several writers at once fails a save that another one has disturbed. Nothing is left
  /// of it, so it starts again too.
  mutating func run() throws -> Saved {
    // Where one of several stores has committed, the others can't be repeated.
    let ports = stores.coordinator.ports
    let concerned = try ports.contains(where: \.writesConcurrently) ? stores.ports(of: changes) : []
    let isShared = concerned.count == 1 && concerned[0].writesConcurrently
    var repetition = SaveRepetition(
      !isShared ? .exclusive : transaction?.access == .shared ? .shared : .optimistic)
    while true {
      do {
        return try attempt(repetition.access)
      } catch let lost as DeletedRows {
        if transaction?.isRefused == true {
          transaction?.noteMissingSavepoint()
          throw lost.error
        }
        guard !isLast, externalChanges.applyDeletion(of: lost.identifiers) else { throw lost.error }
      } catch {
        // User code of an enclosing transaction can't be repeated here. An optimistic save in it can: a
        // savepoint has undone it.
        guard transaction == nil || repetition.isVainExpectation(error) && !isLast,
          !(error is PartialCommit), repetition.repeats(after: error)
        else {
          transaction?.noteFailure(error)
          throw error
        }
        repetition.pause(concerned.lazy.compactMap(\.log).first)
        externalChanges.applyNew()
      }
    }
  }

  /// Whether the save has no savepoint, so that its failure undoes the enclosing transaction.
  private var isLast: Bool { transaction?.isEnding ?? false }

  private var changes: ChangeTracker { recorder.changes }

  private mutating func attempt(_ access: WriteAccess) throws -> Saved {
    var batches: [Batch] = []
    defer { watchers.endLateEdits() }
    SaveStep.reach(.begun)
    do {
      for port in try stores.ports(of: changes) {
        batches.append(try Batch(port, stores.editingState, access))
      }
      SaveStep.reach(.locked)
      let failures = try preparation.run(access)
      watchers.beginLateEdits(changes)
      try collect(into: batches)
      let transactional = batches.filter(\.port.isTransactional)
      try write(transactional, failures.all)
      if !failures.all.isEmpty {
        try preparation.recheck(failures, besides: models.deletedByRules(batches))
      }
      let others = batches.filter { !$0.port.isTransactional }
      try write(others, [], after: transactional)
      try completeIdentifiers(of: transactional, others)
    } catch {
      try abandon(batches, error)
    }
    return try commit(batches)
  }

  /// - Parameters:
  ///   - failures: Other failures, reported together with those of the store.
  ///   - earlier: The stores that have written.
  private func write(
    _ batches: [Batch], _ failures: [SwiftDataError], after earlier: [Batch] = []
  ) throws {
    var options = SaveOptions()
    options.refusesUpserts = refusesUpserts
    options.notesEarlierLinks = watchers.needEarlierLinks
    options.needLastValues = models.lackingLastValues
    for (index, batch) in batches.enumerated() {
      if batch.hasHolders, !batch.port.isTransactional {
        batch.name(NewIdentifiers(of: earlier + batches[..<index]))
      }
      options.willComplete = batch.hasHolders
      do {
        batch.receipt = try batch.save.write(
          batch.takeRequest(stores.editingState), options, source: source)
      } catch let error as SwiftDataError
        where error == .modelValidationFailure && !failures.isEmpty
      {
        try SwiftDataError.throwAll([error] + failures)
      } catch let lost as DeletedRows
        where !failures.isEmpty && !externalChanges.hasModels(of: lost.identifiers)
      {
        // A required relationship refers to a model that is known to be deleted.
        try SwiftDataError.throwAll(failures)
      }
      if !batch.port.isTransactional {
        batch.receipt.consequences.merged = try models.checkedMerges(of: batch)
      }
      batch.isCommitted = !batch.port.isTransactional
    }
  }

  /// - Parameters:
  ///   - transactional: The stores that have not committed.
  ///   - others: The others, in the order in which they have written.
  private func completeIdentifiers(of transactional: [Batch], _ others: [Batch]) throws {
    for batch in transactional where batch.hasHolders {
      try batch.complete(NewIdentifiers(of: transactional + others))
    }
    for (index, batch) in others.enumerated() where batch.hasHolders {
      try batch.complete(NewIdentifiers(of: transactional + others[...index]))
    }
  }

  /// Ends a save that failed before the first transaction was committed.
  private mutating func abandon(_ batches: [Batch], _ error: any Error) throws -> Never {
    for batch in batches.reversed() where !batch.isCommitted { batch.save.abandon() }
    let committed = batches.filter(\.isCommitted)
    if committed.isEmpty {
      preparation.undo()
      throw error
    }
    throw finalisePartially(committed, besides: batches, error)
  }

  private mutating func commit(_ batches: [Batch]) throws -> Saved {
    SaveStep.reach(.written)
    models.keepLastValues(batches)
    if let transaction {
      try endSavepoints(batches.filter { !$0.isCommitted }, transaction)
      return finalise(batches, nil)
    }
    let others = externalChanges.feed
    // Empty if no other context exists; a context that is created meanwhile reads from this entry
    // on.
    let announced = others.announce(others.hasReaders ? SavedChanges(batches) : SavedChanges())
    SaveStep.reach(.announced)
    for batch in stores.inOrderOfConfigurations(batches, port: \.port)
    where !batch.isCommitted {
      do {
        try batch.save.commit()
        batch.isCommitted = true
        if batches.contains(where: { !$0.isCommitted }) { SaveStep.reach(.partiallyCommitted) }
      } catch {
        for later in batches where !later.isCommitted && later !== batch { later.save.abandon() }
        let committed = batches.filter(\.isCommitted)
        if committed.isEmpty {
          others.withdraw(announced)
          preparation.undo()
          throw error
        }
        throw finalisePartially(committed, besides: batches, error, announced)
      }
    }
    SaveStep.reach(.committed)
    let saved = finalise(batches, announced)
    stores.coordinator.commits.fire()
    return saved
  }

  /// Ends the savepoints of a save inside a transaction. That fails if the connection is lost, or if one of the
  /// statements fails that are sent with it.
  private mutating func endSavepoints(
    _ batches: [Batch], _ transaction: ContextTransaction
  ) throws {
    for (index, batch) in batches.enumerated() {
      do {
        try batch.save.commit()
      } catch {
        for later in batches[(index + 1)...].reversed() { later.save.abandon() }
        // What other stores have written already is undone with the whole transaction.
        if index > 0 { transaction.fail(because: error) }
        preparation.undo()
        throw error
      }
    }
  }

  /// Finalises the stores that committed before another one failed: their models are saved.
  private func finalisePartially(
    _ committed: [Batch], besides all: [Batch], _ error: any Error, _ announced: Int? = nil
  ) -> any Error {
    let others = externalChanges.feed
    let serial =
      announced ?? others.announce(others.hasReaders ? SavedChanges(committed) : SavedChanges())
    let saved = finalise(committed, serial)
    // The keys of their new models were rolled back.
    let lost = all.filter { !$0.isCommitted }
    for batch in committed where batch.hasHolders {
      batch.repeatChanges(naming: NewIdentifiers(of: lost), with: recorder)
    }
    stores.coordinator.commits.fire()
    let pending = lost.map(\.port.name)
    let names = committed.map(\.port.name)
    return PartialCommit(
      saved: saved,
      error: SwiftDataError.partiallyCommitted(by: names, pending: pending, error))
  }

  private func collect(into batches: [Batch]) throws {
    let only = batches.count == 1 ? batches[0] : nil
    func batch(_ storage: _ModelStorage) throws -> Batch {
      if let only, stores.coordinator.ports.count == 1 { return only }
      let port = stores.port(of: storage)
      guard let batch = batches.first(where: { $0.port === port }) else {
        throw SwiftDataError.notStored(entity: storage.descriptor.entityName)
      }
      return batch
    }
    if let only, stores.coordinator.ports.count == 1 {
      try only.insert(changes.inserted, count: changes.inserted.size)
    } else {
      for storage in changes.inserted { try batch(storage).insert(storage) }
    }
    for storage in changes.changed {
      try batch(storage).update(storage, displaced: changes.displacedLinks(of: storage))
    }
    for storage in recorder.rowsToDelete { try batch(storage).delete(storage) }
  }

  /// - Parameter announced: The serial number of the save in the log; `nil` inside a transaction,
  ///   which announces all of its saves when it commits.
  private func finalise(_ batches: [Batch], _ announced: Int?) -> Saved {
    // Released after the lists of the context are updated: deinitialisers of models may call back.
    let pending = changes.lists
    let late = watchers.takeLateEdits(changes)
    transaction?.note(batches, changes)
    let overwritten = takeOverwrittenNames(batches)
    var saved = models.finalise(
      batches, in: transaction, isNoted: announced == nil || externalChanges.feed.hasReaders,
      keepingOthers: late != nil)
    noteTakenMembers(batches)
    late?.restore(with: recorder, in: context)
    saved.overwritten.merge(overwritten) { $1 + $0 }
    if let announced { externalChanges.feed.complete(announced, with: saved.note) }
    return withExtendedLifetime(pending) { saved }
  }

  /// Lists without an inverse lost members in memory, before the stores wrote, and in stores.
  private func noteTakenMembers(_ batches: [Batch]) {
    // The last owner to lose a member gets it back last: the store's owner lost it first.
    let takings = batches.flatMap(\.receipt.consequences.taken) + preparation.takings
    for taking in takings { watchers.didTake(taking) }
  }

  /// The names of contested properties that a save wrote. From then on no edit is in conflict.
  private func takeOverwrittenNames(_ batches: [Batch]) -> [PersistentIdentifier: [String]] {
    let contested = externalChanges.feed.conflictingSlots
    externalChanges.feed.clearConflicts()
    if contested.isEmpty { return [:] }
    var names: [PersistentIdentifier: [String]] = [:]
    func add(_ storage: _ModelStorage, _ slots: SlotSet) {
      let slots = slots.intersection(contested[storage.identifier] ?? SlotSet())
      let written = storage.descriptor.names(of: slots, includingToMany: false)
      if !written.isEmpty { names[storage.identifier] = written }
    }
    for batch in batches {
      for storage in batch.updatedStorages { add(storage, storage.changedSlots) }
      for storage in batch.deletedStorages { add(storage, .all) }
    }
    return names
  }
}

/// The points of a save at which a test can stop it, to let another save run.
package enum SaveStep: String, CaseIterable, Sendable {
  /// Before any lock.
  case begun
  /// All stores are locked.
  case locked
  /// Everything is written and nothing is committed.
  case written
  /// The changes are announced to other contexts.
  case announced
  /// One of several stores has committed, and another one has not.
  case partiallyCommitted
  /// Everything is committed; models do not show it yet.
  case committed

  /// Called at each point, on the thread of the save; only with the compilation condition
  /// `OPENSWIFTDATA_INVARIANTS`.
  @TaskLocal package static var reached: (@Sendable (SaveStep) -> Void)?

  static func reach(_ step: SaveStep) {
    #if OPENSWIFTDATA_INVARIANTS
      reached?(step)
    #endif
  }
}
