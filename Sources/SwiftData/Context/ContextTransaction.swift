import OpenSwiftDataRowStorage

/// One transaction of a context around several saves, from the lock to the commit. Created by
/// `ContextCore.transaction`.
///
/// 1. *Lock*: each store with transactions begins one, in the order of store identifiers, as in
///    saves.
/// 2. *Refresh*: models in memory show what is stored now. Changes saved by other contexts of the
///    container are applied. If other containers or processes may have written since the last
///    transaction, or the database does not tell, all models in memory are read again.
/// 3. *Run*: fetches and faults read inside the transaction. Saves write to it; models count as
///    stored. What other contexts must know is collected here.
/// 4. *Commit*: unsaved changes are saved, the changes are announced, and each store commits, in
///    the order of the configurations.
/// 5. An error undoes the stores' transactions and the models: new models leave the context with
///    the values from before their save, deleted models are restored, and all others show their
///    stored values.
///
/// Used on the thread of the context only.
final class ContextTransaction {
  /// A model that was saved for the first time, or one without a row that became another instance of such a row.
  private struct Inserted {
    let model: AnyObject
    let storage: _ModelStorage
    let page: RowPage?
    let row: UnsafeRawPointer?
    let values: ContiguousArray<_SlotValue>?
    /// The temporary identifier, if it has been requested; that of the deleted row.
    let identifier: PersistentIdentifier?
    /// Whether its own row was deleted.
    let hadLostRow: Bool
  }

  private struct Deleted {
    let model: AnyObject
    let storage: _ModelStorage
    /// The identifier of the deleted row. A model that is inserted again gets another one.
    let identifier: PersistentIdentifier
    /// The number of entries in `inserted` at the deletion.
    let insertionCount: Int
  }

  private struct EphemeralValues {
    let model: AnyObject
    let storage: _ModelStorage
    let values: [(slot: Int, value: _SlotValue)]
    /// The number of entries in `inserted` before the save.
    let insertionCount: Int
  }

  /// Whether other transactions may write at the same time.
  let access: WriteAccess
  /// Whether the next save is the last, and is sent with the commit.
  private(set) var isEnding = false
  fileprivate var open: [(port: any StorePort, transaction: any StoreTransaction)] = []
  /// Models that were saved for the first time, with their earlier values.
  private var inserted: [Inserted] = []
  private var deleted: [Deleted] = []
  /// The ephemeral values of changed models from before the edits that the first save of each has settled.
  private var ephemeral: [ObjectIdentifier: EphemeralValues] = [:]
  /// The changes of the saves, for other contexts.
  fileprivate var changes = SavedChanges()
  /// The results of the saves, for notifications: one for consecutive saves of one author.
  private var results: [(editor: EditingState, saved: SaveSession.Saved)] = []
  private var saveCount = 0
  /// Why the transaction cannot be committed: an inner transaction has failed, or a save after one of
  /// several stores had written.
  private(set) var failure: (any Error)?
  private var disturbance: (any Error)?
  /// Whether a save could have been repeated if a savepoint had undone it.
  private(set) var lacksSavepoint = false
  /// The number of saves, batch deletions and deletions of history that have written to it.
  private(set) var writeCount = 0

  init(_ access: WriteAccess) { self.access = access }

  /// The next save is the last. Its errors are those of the commit, if other transactions may write.
  fileprivate func willEnd() {
    guard access != .exclusive else { return }
    isEnding = true
    for (_, opened) in open { opened.willEnd() }
  }

  /// Saves need not be undone alone: one that fails after it has written may fail the whole transaction. That spares
  /// savepoints. Called before the first save.
  func makeIndivisible() { for (_, opened) in open { opened.makeIndivisible() } }

  /// Called when a save could have been repeated if a savepoint had undone it.
  func noteMissingSavepoint() { lacksSavepoint = true }

  /// Whether a store will refuse the commit.
  var isRefused: Bool { failure != nil || open.contains { $0.transaction.failure != nil } }

  /// Called when a save inside the transaction has failed.
  func noteFailure(_ error: any Error) {
    if disturbance == nil, SaveRepetition.obstacle(of: error) != nil { disturbance = error }
  }

  /// A failure because of another writer, after which the transaction has to be repeated. The code of a user
  /// may have caught it.
  fileprivate var hiddenDisturbance: (any Error)? {
    if access == .exclusive { return nil }
    return disturbance
      ?? open.lazy.compactMap(\.transaction.failure).first {
        SaveRepetition.obstacle(of: $0) != nil
      }
  }

  /// Makes the transaction end in an error; the first one counts.
  func fail(because error: any Error) { failure = failure ?? error }

  /// Called before a save inside the transaction changes its models.
  func note(_ batches: [SaveSession.Batch], _ changes: ChangeTracker) {
    for models in [changes.changed, changes.deleted] { noteEphemeralValues(of: models) }
    for batch in batches {
      for storage in batch.insertedStorages { note(inserted: storage) }
    }
  }

  private func noteEphemeralValues(of models: OrderedModels) {
    for storage in models where !storage.descriptor.ephemeralSlots.isEmpty {
      guard ephemeral[ObjectIdentifier(storage)] == nil, let model = storage.model,
        let saved = models.saved(of: storage)
      else { continue }
      ephemeral[ObjectIdentifier(storage)] = EphemeralValues(
        model: model, storage: storage, values: saved.ephemeralValues(of: storage.descriptor),
        insertionCount: inserted.count)
    }
  }

  /// Called before a model without a row becomes another instance of a new row.
  func note(shown storage: _ModelStorage) { note(inserted: storage, hadLostRow: true) }

  private func note(inserted storage: _ModelStorage, hadLostRow: Bool = false) {
    guard let model = storage.model else { return }
    inserted.append(
      Inserted(
        model: model, storage: storage, page: storage.page, row: storage.row,
        values: storage.overlay.values, identifier: storage.knownIdentifier,
        hadLostRow: hadLostRow))
  }

  /// Records an instance of a row that a save inside the transaction deletes.
  func note(deleted storage: _ModelStorage) {
    guard let model = storage.model, let identifier = storage.knownIdentifier else { return }
    deleted.append(
      Deleted(
        model: model, storage: storage, identifier: identifier, insertionCount: inserted.count))
  }

  /// Records what a batch deletion inside the transaction may have changed.
  func note(_ changes: SavedChanges) {
    writeCount += 1
    self.changes.append(changes)
  }

  /// Records a deletion of history inside the transaction.
  func noteDeletionOfHistory() { writeCount += 1 }

  func append(_ saved: SaveSession.Saved, by editor: EditingState) {
    writeCount += 1
    saveCount += 1
    changes.append(saved.note)
    if let last = results.indices.last, results[last].editor.hasTexts(of: editor) {
      results[last].saved.append(saved)
    } else {
      results.append((editor, saved))
    }
  }

  /// The notifications of the saves, by author, in their order.
  fileprivate var notifications: [(editor: EditingState, saved: SaveSession.Saved)] {
    // The result of a single save names each row once.
    guard saveCount > 1 else { return results }
    var gone: Set<PersistentIdentifier> = []
    return results.reversed().map { ($0.editor, $0.saved.asOneSave(before: &gone)) }.reversed()
  }

  /// Undoes the effects of inner saves on models. Unsaved changes are already rolled back.
  fileprivate func undo(in core: ContextCore) {
    let undone = inserted.reversed().filter { $0.storage.flags.isDisjoint(with: .isPending) }
    for entry in undone {
      core.identities.remove(entry.storage)
      entry.storage.notifyingObserversOfAll {
        entry.storage.becomeUnsaved(
          as: entry.identifier, page: entry.page, row: entry.row, with: entry.values,
          hadLostRow: entry.hadLostRow)
      }
    }
    // Only those that are all unsaved again are known to retain each other.
    for entry in undone where !entry.hadLostRow {
      entry.storage.relationships.weaken(in: core.coordinator)
    }
    restoreDeleted(in: core)
    if writeCount > 0 || !inserted.isEmpty || !deleted.isEmpty {
      showStoredValues(in: core)
      core.watchers.didUndo(changes, of: inserted.map(\.storage) + deleted.map(\.storage))
    }
    restoreEphemeral()
    withExtendedLifetime((inserted, deleted, ephemeral)) {}
  }

  /// Models that are stored again have their ephemeral values from before the transaction.
  private func restoreEphemeral() {
    if ephemeral.isEmpty { return }
    let insertions = Dictionary(
      inserted.enumerated().map { (ObjectIdentifier($1.storage), $0) }, uniquingKeysWith: min)
    for (identity, entry) in ephemeral
    where insertions[identity].map({ $0 >= entry.insertionCount }) ?? true {
      for (slot, value) in entry.values {
        entry.storage.notifyingObservers(of: slot) { entry.storage.overlay(value, at: slot) }
      }
    }
  }

  /// Makes models whose rows the saves have changed faults. Lists of the others may refer to models that
  /// are deleted again.
  private func showStoredValues(in core: ContextCore) {
    let written = Set(changes.updated.map(\.identifier) + changes.deleted)
    let invalidated = changes.invalidatedEntities.compactMap {
      core.coordinator.modelType(forEntity: $0)?._$descriptor
    }
    for live in core.identities.models(where: { $0.flags.isDisjoint(with: .isPending) }) {
      let storage = live.storage
      if changes.isEverything || storage.knownIdentifier.map(written.contains) ?? true
        || invalidated.contains(where: storage.descriptor.isKind(of:))
      {
        core.changes.forgetExternalChange(of: storage)
        storage.refault()
      } else if !storage.overlay.isEmpty {
        for slot in storage.descriptor.relationshipSlots {
          guard case .toMany = storage.overlaid(slot) else { continue }
          storage.notifyingObservers(of: slot) { storage.relationships.forgetMembers(slot) }
        }
      }
    }
  }

  /// Makes deleted models instances of their rows again, also those that were inserted again after the deletion.
  private func restoreDeleted(in core: ContextCore) {
    let insertions = Dictionary(
      inserted.enumerated().map { (ObjectIdentifier($1.storage), $0) }, uniquingKeysWith: min)
    for entry in deleted where entry.storage.source == nil {
      // A model that was new in the transaction has no row any more.
      let insertion = insertions[ObjectIdentifier(entry.storage)]
      if let insertion, insertion < entry.insertionCount { continue }
      entry.storage.becomeRestored(in: core, as: entry.identifier)
      if core.identities.model(for: entry.identifier) == nil {
        core.identities.insert(entry.storage)
      } else {
        core.identities.insertDuplicate(entry.storage, of: entry.identifier)
      }
    }
  }
}

extension SaveSession.Saved {
  fileprivate mutating func append(_ later: SaveSession.Saved) {
    inserted += later.inserted
    updated += later.updated
    deleted += later.deleted
    overwritten.merge(later.overwritten) { $0 + $1 }
    discarded.merge(later.discarded) { $0 + $1 }
  }

  /// The results of several saves, with each row once: as deleted, else as inserted. The new model
  /// of a deleted row may have been merged with a row that other contexts know.
  /// - Parameter gone: The rows that later saves have deleted; then also those that these have.
  fileprivate func asOneSave(before gone: inout Set<PersistentIdentifier>) -> SaveSession.Saved {
    var result = self
    var known: Set<PersistentIdentifier> = []
    result.deleted = deleted.filter { gone.insert($0).inserted }
    result.inserted = inserted.filter { !gone.contains($0) && known.insert($0).inserted }
    result.updated = updated.filter { !gone.contains($0) && known.insert($0).inserted }
    return result
  }
}

extension ContextCore {
  /// - Parameters:
  ///   - access: Whether others may write at the same time. If they may, an error with an obstacle
  ///     (`SaveRepetition`) means that the block must be repeated.
  ///   - limit: How long to wait for other writers; `nil` for the limits of the stores.
  ///   - didPost: Called after each `didSave`, while the context has the author of its saves.
  func transaction(
    _ access: WriteAccess = .exclusive, within limit: Duration?, didPost: () -> Void = {},
    _ block: () throws -> Void
  ) throws {
    try stores.requireIdle()
    if let transaction { return try runInside(transaction, block) }
    let transaction = ContextTransaction(access)
    do {
      for port in coordinator.ports.sorted(by: { $0.identifier < $1.identifier }) {
        guard
          let opened = try port.openTransaction(for: stores.editingState, access, within: limit)
        else { continue }
        transaction.open.append((port, opened))
      }
    } catch {
      for (_, opened) in transaction.open.reversed() { opened.abandon() }
      throw error
    }
    self.transaction = transaction
    do {
      try refresh(in: transaction)
      stores.isBesideWriters = access != .exclusive
      try block()
      transaction.willEnd()
      try save()
      if let failure = transaction.failure ?? transaction.hiddenDisturbance { throw failure }
    } catch {
      let disturbance = transaction.hiddenDisturbance
      for (_, opened) in transaction.open.reversed() { opened.abandon() }
      end(transaction)
      throw SaveRepetition.obstacle(of: error) == nil ? disturbance ?? error : error
    }
    try commit(transaction, didPost)
  }

  /// A transaction inside another one is part of it.
  private func runInside(_ transaction: ContextTransaction, _ block: () throws -> Void) throws {
    do {
      try block()
      try save()
    } catch {
      transaction.fail(because: error)
      rollback()
      throw error
    }
  }

  private func refresh(in transaction: ContextTransaction) throws {
    // An announced save of another context is committed: this thread holds the lock.
    var isOutdated = externalChanges.feed.hasAnnouncedSaves
    externalChanges.applyNew()
    for (port, opened) in transaction.open {
      let version = opened.externalVersion
      if version == nil || seenVersions[port.identifier] != version { isOutdated = true }
      seenVersions[port.identifier] = version
    }
    if isOutdated { externalChanges.apply(.everything) }
    guard externalChanges.feed.hasUnappliedChanges else { return }
    throw SwiftDataError.storeReadFailure.with(
      "The transaction did not begin, because models in memory could not be read again. Try again.",
      doing: "beginning a transaction", because: .unavailable)
  }

  private func commit(_ transaction: ContextTransaction, _ didPost: () -> Void) throws {
    let announced = externalChanges.feed.announce(transaction.changes)
    var committed: [any StorePort] = []
    for (port, opened) in stores.inOrderOfConfigurations(transaction.open, port: \.port) {
      do {
        try opened.commit()
        committed.append(port)
      } catch {
        for (later, opened) in transaction.open
        where later !== port && !committed.contains(where: { $0 === later }) {
          opened.abandon()
        }
        let pending = transaction.open.map(\.port.name)
          .filter { name in !committed.contains { $0.name == name } }
        end(transaction)
        if committed.isEmpty {
          externalChanges.feed.withdraw(announced)
          throw error
        }
        externalChanges.feed.complete(announced, with: .everything)
        throw SwiftDataError.partiallyCommitted(
          by: committed.map(\.name), pending: pending, error)
      }
    }
    self.transaction = nil
    stores.isBesideWriters = false
    externalChanges.feed.complete(announced, with: transaction.changes)
    if !transaction.changes.isEmpty { coordinator.commits.fire() }
    for (editor, saved) in transaction.notifications {
      let current = stores.editingState
      let isOther = !editor.hasTexts(of: current)
      if isOther { stores.editingState = editor }
      post(saved)
      didPost()
      if isOther { stores.editingState = current }
    }
  }

  /// Ends a transaction that was undone.
  private func end(_ transaction: ContextTransaction) {
    self.transaction = nil
    stores.isBesideWriters = false
    rollback()
    transaction.undo(in: self)
    identities._invariantCheck()
  }
}

/// When the state is determined that the reads of a snapshot see.
enum SnapshotStart {
  case now
  /// With the first read. Costs no statement of its own.
  case firstRead
}

/// Several reads from one state of the stores, for `ModelContext.snapshot` and `ModelReaders`.
extension ContextCore {
  func snapshot<R>(from start: SnapshotStart, _ body: () throws -> R) throws -> R {
    // A transaction and an enclosing snapshot already see one state.
    if transaction != nil || stores.isReadingSnapshot { return try body() }
    externalChanges.applyNew()
    // Models in memory must show the state that the reads see.
    let start = identities.isEmpty ? start : .now
    var hasBegun = false
    return try reading(coordinator.ports[...], from: start, canRepeat: { !hasBegun }) {
      stores.isReadingSnapshot = true
      defer { stores.isReadingSnapshot = false }
      // A save in between is visible in the snapshot, but not in the models.
      if start == .now { externalChanges.applyNewInSnapshot() }
      hasBegun = true
      return try body()
    }
  }

  private func reading<R>(
    _ ports: ArraySlice<any StorePort>, from start: SnapshotStart, canRepeat: () -> Bool,
    _ body: () throws -> R
  ) throws -> R {
    guard let port = ports.first else { return try body() }
    let reader = stores.editingState
    return try port.snapshot(for: reader, .readsOfContext, canRepeat: canRepeat) {
      if start == .now { try port.beginReading(for: reader) }
      return try reading(ports.dropFirst(), from: start, canRepeat: canRepeat, body)
    }
  }
}
