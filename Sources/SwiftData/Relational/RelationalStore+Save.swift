import Synchronization

/// Saves. Each has one transaction, which stays open until the context commits or abandons it. Where
/// the database allows it, several are open at once.
extension RelationalStore {
  package var isTransactional: Bool { true }

  package var writesConcurrently: Bool { driver.numberAllocator != nil }

  package func openSave(for editor: EditingState, _ access: WriteAccess) throws -> any OpenSave {
    try openRelationalSave(for: editor, access)
  }

  private func openRelationalSave(
    for editor: EditingState, _ access: WriteAccess
  ) throws -> RelationalSave {
    try requireWritable()
    let transaction = OpenTransaction(
      lease: try driver.leaseWriter(for: editor.owner, within: nil),
      external: driver.externalValues)
    try requireNoOther(than: editor, transaction.lease)
    try transaction.begin(access)
    try? transaction.lease.use(didBegin)
    return RelationalSave(store: self, transaction: transaction)
  }

  /// Performs and commits a save of the public protocol.
  package func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> SaveReceipt {
    var repetition = SaveRepetition(writesConcurrently ? .optimistic : .exclusive)
    while true {
      do {
        return try save(request, repetition.access)
      } catch {
        // Only the context could repeat a transaction of its own. A save in it can be repeated here, if a
        // savepoint has undone it.
        guard
          !isInTransaction(of: request.editingState) || repetition.isVainExpectation(error),
          repetition.repeats(after: error)
        else { throw error }
        repetition.pause(log)
      }
    }
  }

  private func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ access: WriteAccess
  ) throws -> SaveReceipt {
    let save = try openRelationalSave(for: request.editingState, access)
    var receipt: SaveReceipt
    do {
      var options = SaveOptions()
      options.refusesUpserts = request.refusesUpserts
      let request = SaveRequest(request)
      options.willComplete = request.namesNewModels
      receipt = try save.write(request, options)
      if options.willComplete { try save.complete(request.completion(receipt)) }
    } catch {
      save.abandon()
      throw error
    }
    try save.commit()
    receipt.token = save.number.map { DefaultHistoryToken([identifier: $0]) }
    return receipt
  }

  /// Called when a save or a deletion has begun its transaction, which may be part of another one.
  func didBegin(_ session: any SQLSession) {
    guard composedText.ownWrites.needsRows,
      openTransactions.withLock({ $0[ObjectIdentifier(session)] }) == nil
    else { return }
    composedText.ownWrites.didBegin(session)
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` if the store is read-only.
  package func requireWritable() throws {
    if isWritable { return }
    if let refusal { throw refusal }
    throw SwiftDataError.modelValidationFailure.with(
      "The store \(name) was opened with allowsSave: false. Open it with allowsSave: true, or roll "
        + "back.", because: .readOnly)
  }
}

/// A save with an open transaction. It holds the writer until it ends.
private final class RelationalSave: OpenSave {
  private let store: RelationalStore
  private let transaction: OpenTransaction
  /// The number of the transaction in the history, after the commit at the latest.
  private(set) var number: Int64?
  /// The transaction in the history, where several write at once.
  private var added: AddedTransaction?
  private var historyEnd: HistoryWriter.End?
  /// Until `complete`, if that follows.
  private var writer: SaveWriter?
  /// The rows of the save, if reads need them (`OwnTextWrites`).
  private var written: OwnTextWrites.Rows??

  init(store: RelationalStore, transaction: OpenTransaction) {
    self.store = store
    self.transaction = transaction
  }

  func write(
    _ request: SaveRequest, _ options: SaveOptions,
    source: any _FaultSource
  ) throws -> SaveReceipt { try write(request, options) }

  func write(
    _ request: SaveRequest, _ options: SaveOptions
  ) throws -> SaveReceipt {
    try transaction.lease.use { session in
      let (request, large) = try store.storingExternalValues(request)
      var writer = SaveWriter(store: store, session: session, request, options)
      try writer.run()
      var receipt = SaveReceipt(inserted: writer.identifiers)
      receipt.external = try store.keepingStored(large, of: request, after: writer, session)
      receipt.consequences = writer.consequences
      receipt.lateUpdates = writer.lateUpdates
      if options.willComplete { self.writer = writer }
      (number, added) = (writer.transaction, writer.added)
      historyEnd = writer.historyEnd
      if store.composedText.ownWrites.needsRows { written = .some(writer.writtenRows) }
      try transaction.external?.willCommit()
      return receipt
    }
  }

  func complete(_ rows: [DefaultSnapshot]) throws {
    guard let writer else { return }
    self.writer = nil
    try transaction.lease.use { _ in try writer.complete(rows) }
    (number, added) = (writer.transaction, writer.added)
  }

  func commit() throws {
    let isOutermost: Bool
    do {
      isOutermost = try transaction.lease.use { session in
        try session.commit()
        if let written { store.composedText.ownWrites.write(written) }
        let isInside = store.noteSave(number, added, historyEnd, in: session)
        if !isInside {
          store.composedText.ownWrites.didCommit(session)
          store.noteCommitted(historyEnd, in: session)
        }
        return !isInside
      }
    } catch {
      transaction.abandon(triedCommit: true)
      throw error
    }
    transaction.external?.didCommit()
    number = number ?? added?.number
    if isOutermost, number != nil || added != nil { store.didCommit(number) }
    transaction.lease.end()
  }

  func abandon() { transaction.abandon() }
}

private struct OpenTransaction {
  let lease: any SQLWriterLease
  let external: (any ExternalValueStore)?

  /// Returns the session if it can't begin; another open transaction is not affected.
  func begin(_ access: WriteAccess) throws {
    do {
      try lease.use { try $0.begin(access) }
    } catch {
      lease.end()
      throw error
    }
    external?.didBegin()
  }

  /// Rolls back the transaction, and returns the session.
  func abandon(triedCommit: Bool = false) {
    try? lease.use { $0.rollback() }
    external?.didRollBack(triedCommit: triedCommit)
    lease.end()
  }
}
