import OpenSwiftDataSQLSyntax
import Synchronization

/// Transactions of a context around several saves.
extension RelationalStore {
  package func openTransaction(
    for editor: EditingState, _ access: WriteAccess, within limit: Duration?
  ) throws -> (any StoreTransaction)? {
    // Reading needs no lock.
    guard isWritable else { return nil }
    let (lease, version, identity) = try beginning(for: editor, access, within: limit)
    driver.externalValues?.didBegin()
    try? lease.use(composedText.ownWrites.didBegin)
    openTransactions.withLock { $0[identity] = EnclosingTransaction(owner: editor.id) }
    return RelationalTransaction(
      store: self, lease: lease, session: identity, externalVersion: version)
  }

  /// Begins a transaction, also after a failed attempt: nothing has run yet. Mostly another container has added
  /// an index, or the server has ended an idle connection.
  private func beginning(
    for editor: EditingState, _ access: WriteAccess, within limit: Duration?
  ) throws -> (any SQLWriterLease, Int64?, ObjectIdentifier) {
    var losses = 0
    while true {
      let lease = try driver.leaseWriter(for: editor.owner, within: limit)
      try requireNoOther(than: editor, lease)
      do {
        do {
          let (version, identity) = try begin(access, within: limit, lease)
          return (lease, version, identity)
        } catch  where SaveRepetition.obstacle(of: error) == .concurrentChange {
          let (version, identity) = try begin(access, within: limit, lease)
          return (lease, version, identity)
        }
      } catch {
        // The next lease has a new connection.
        lease.end()
        losses += 1
        guard SaveRepetition.obstacle(of: error) == .lostConnection,
          losses <= SaveRepetition.repeatedLosses
        else { throw error }
      }
    }
  }

  /// - Returns: The version of the database for changes of others, if it has one, and the session.
  private func begin(
    _ access: WriteAccess, within limit: Duration?, _ lease: any SQLWriterLease
  ) throws -> (Int64?, ObjectIdentifier) {
    try lease.use { session in
      try session.beginEnclosingTransaction(access, within: limit)
      do {
        let version = driver.capabilities.reportsChanges ? try session.changeStamp().others : nil
        return (version, ObjectIdentifier(session))
      } catch {
        session.rollbackEnclosingTransaction()
        throw error
      }
    }
  }

  /// Notes a save or a deletion in the transaction that a context has opened on this database session.
  /// - Parameters:
  ///   - number: Its number in the history; `nil` if it has none, or if it is not known yet.
  ///   - added: What gets the number with the commit at the latest.
  ///   - end: The end of the history after it.
  /// - Returns: Whether there is such a transaction.
  func noteSave(
    _ number: Int64?, _ added: AddedTransaction?, _ end: HistoryWriter.End? = nil,
    in session: any SQLSession
  ) -> Bool {
    openTransactions.withLock { transactions in
      guard var transaction = transactions[ObjectIdentifier(session)] else { return false }
      transaction.saves.note(number, added)
      transaction.historyEnd = end
      transactions[ObjectIdentifier(session)] = transaction
      return true
    }
  }

  /// The end of the history, in a transaction that has the write lock: after the last save of the transaction that
  /// a context has opened on this database session, or after the last commit; `nil` if it is not known. Who takes it
  /// may write, so it is not known afterwards.
  func takeHistoryEnd(in session: any SQLSession) -> HistoryWriter.End? {
    let committed = committedHistoryEnd.withLock { $0.take() }
    let inside = openTransactions.withLock { $0[ObjectIdentifier(session)]?.historyEnd.take() }
    if let inside { return inside }
    // Another connection may have continued the history.
    guard let (end, state) = committed, session.state?.hasSameCommits(as: state) == true
    else { return nil }
    return end
  }

  /// Notes the end of the history after a commit, before the session is returned.
  func noteCommitted(_ end: HistoryWriter.End?, in session: any SQLSession) {
    guard let end, let state = session.state else { return }
    committedHistoryEnd.withLock { $0 = (end, state) }
  }

  /// Whether a context has opened a transaction around its saves, on any thread.
  func isInTransaction(of editor: EditingState) -> Bool {
    openTransactions.withLock { $0.values.contains { $0.owner == editor.id } }
  }

  /// A save of another context on this thread would become part of the transaction. It would be
  /// rolled back with the transaction, while that context shows it as saved.
  /// Where there is one session, it would be visible in a snapshot of another context.
  /// - Throws: `SwiftDataError.storeWriteFailure` inside a transaction or such a snapshot of another context.
  func requireNoOther(than editor: EditingState, _ lease: any SQLWriterLease) throws {
    do {
      try lease.use { try requireNoOther(than: editor, $0) }
    } catch {
      lease.end()
      throw error
    }
  }

  func requireNoOther(than editor: EditingState, _ session: any SQLSession) throws {
    let session = ObjectIdentifier(session)
    // Only where readers and the writer share a session.
    let reader = openSnapshots.withLock { $0[session] }
    if let reader, reader != editor.id {
      throw SwiftDataError.storeWriteFailure.with(
        "Another context of this thread reads several times from one state of the store, in a snapshot. The store "
          + "has one connection, so the snapshot would see the changes. Save after its end. Nothing was "
          + "stored.", because: .invalidRequest)
    }
    let owner = openTransactions.withLock { $0[session]?.owner }
    guard let owner, owner != editor.id else { return }
    throw SwiftDataError.storeWriteFailure.with(
      "Another context of this thread has opened a transaction on the store. Make the changes in that "
        + "context, or after the end of the transaction. Nothing was stored.",
      because: .invalidRequest)
  }
}

/// What is known of a transaction around several saves.
struct EnclosingTransaction {
  /// The context that has opened it.
  let owner: EditingState.ID
  var saves = LastSave()
  var historyEnd: HistoryWriter.End?

  /// The last save in the history.
  struct LastSave {
    private var knownNumber: Int64?
    private var added: AddedTransaction?

    /// Read after the commit.
    var number: Int64? { added?.number ?? knownNumber }

    mutating func note(_ number: Int64?, _ added: AddedTransaction?) {
      guard number != nil || added != nil else { return }
      (knownNumber, self.added) = (number, added)
    }
  }
}

/// A transaction around several saves. It holds the writer until it ends.
private final class RelationalTransaction: StoreTransaction {
  private let store: RelationalStore
  private let lease: any SQLWriterLease
  private let session: ObjectIdentifier
  let externalVersion: Int64?

  init(
    store: RelationalStore, lease: any SQLWriterLease, session: ObjectIdentifier,
    externalVersion: Int64?
  ) {
    self.store = store
    self.lease = lease
    self.session = session
    self.externalVersion = externalVersion
  }

  func willEnd() { try? lease.use { $0.endAfterNextTransaction() } }

  func makeIndivisible() { try? lease.use { $0.makeEnclosingIndivisible() } }

  var failure: (any Error)? {
    do {
      try lease.use { session in if let failure = session.failure { throw failure } }
      return nil
    } catch {
      return error
    }
  }

  func commit() throws {
    let external = store.driver.externalValues
    var last: EnclosingTransaction?
    do {
      try external?.willCommit()
      try lease.use { session in
        try session.commitEnclosingTransaction()
        store.composedText.ownWrites.didCommit(session)
        last = forget()
        store.noteCommitted(last?.historyEnd, in: session)
      }
    } catch {
      end { external?.didRollBack(triedCommit: true) }
      throw error
    }
    external?.didCommit()
    store.didCommit(last?.saves.number)
    lease.end()
  }

  func abandon() {
    end { store.driver.externalValues?.didRollBack(triedCommit: false) }
  }

  private func end(_ settle: () -> Void) {
    try? lease.use { $0.rollbackEnclosingTransaction() }
    forget()
    settle()
    lease.end()
  }

  @discardableResult
  private func forget() -> EnclosingTransaction? {
    store.openTransactions.withLock { $0.removeValue(forKey: session) }
  }
}
