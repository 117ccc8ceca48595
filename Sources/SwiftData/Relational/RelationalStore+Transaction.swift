import Synchronization

/// Transactions of a context around several saves.
extension RelationalStore {
  package func openTransaction(
    for editor: EditingState, within limit: Duration?
  ) throws -> (any StoreTransaction)? {
    // Reading needs no lock.
    guard isWritable else { return nil }
    let lease = try driver.leaseWriter(within: limit)
    try requireNoOther(than: editor, lease)
    let version: Int64
    do {
      version = try lease.use { session in
        try session.beginEnclosingTransaction(within: limit)
        do {
          return try session.changeStamp().others
        } catch {
          session.rollbackEnclosingTransaction()
          throw error
        }
      }
    } catch {
      lease.end()
      throw error
    }
    driver.externalValues?.didBegin()
    transactionOwner.withLock { $0 = editor.id }
    return RelationalTransaction(store: self, lease: lease, externalVersion: version)
  }

  /// Whether a context has opened a transaction around its saves. Called on the thread that has the
  /// writer.
  var isInTransaction: Bool { transactionOwner.withLock { $0 != nil } }

  /// A save of another context on this thread would become part of the transaction. It would be
  /// rolled back with the transaction, while that context shows it as saved.
  /// - Throws: `SwiftDataError.storeWriteFailure` inside a transaction of another context.
  func requireNoOther(than editor: EditingState, _ lease: (any SQLWriterLease)? = nil) throws {
    guard let owner = transactionOwner.withLock({ $0 }), owner != editor.id else { return }
    lease?.end()
    throw SwiftDataError.storeWriteFailure.with(
      "Another context of this thread has opened a transaction on the store. Make the changes in that "
        + "context, or after the end of the transaction. Nothing was stored.",
      because: .invalidRequest)
  }
}

/// A transaction around several saves. It holds the writer until it ends.
private final class RelationalTransaction: StoreTransaction {
  private let store: RelationalStore
  private let lease: any SQLWriterLease
  let externalVersion: Int64

  init(store: RelationalStore, lease: any SQLWriterLease, externalVersion: Int64) {
    self.store = store
    self.lease = lease
    self.externalVersion = externalVersion
  }

  func commit() throws {
    let external = store.driver.externalValues
    do {
      try external?.willCommit()
      try lease.use { try $0.commitEnclosingTransaction() }
    } catch {
      end { external?.didRollBack(triedCommit: true) }
      throw error
    }
    store.transactionOwner.withLock { $0 = nil }
    external?.didCommit()
    lease.end()
    store.pruneHistory()
  }

  func abandon() {
    end { store.driver.externalValues?.didRollBack(triedCommit: false) }
  }

  private func end(_ settle: () -> Void) {
    try? lease.use { $0.rollbackEnclosingTransaction() }
    store.transactionOwner.withLock { $0 = nil }
    settle()
    lease.end()
  }
}
