/// Saves, in one transaction each, which stays open until the context commits or abandons it.
extension RelationalStore {
  package var isReversible: Bool { true }

  package func prepare(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, source: any _FaultSource
  ) throws -> any PreparedSave { try prepare(request) }

  package func prepare(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> any PreparedSave {
    try requireWritable()
    let transaction = OpenTransaction(
      lease: try driver.leaseWriter(), external: driver.externalValues)
    try transaction.begin()
    do {
      let receipt = try transaction.lease.use { session in
        let (request, places) = try outsourced(request)
        var writer = SaveWriter(store: self, session: session, by: request.editingState)
        var receipt = SaveReceipt(inserted: try writer.write(request))
        receipt.external = places
        receipt.token = writer.changes.transaction.map { DefaultHistoryToken([identifier: $0]) }
        try transaction.external?.willCommit()
        return receipt
      }
      return PreparedTransaction(store: self, transaction: transaction, receipt: receipt)
    } catch {
      transaction.abandon()
      throw error
    }
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` for a store that was opened for reading.
  func requireWritable() throws {
    if isWritable { return }
    throw SwiftDataError.modelValidationFailure.with(
      "The store \(name) was opened with allowsSave: false. Open it with allowsSave: true, or roll "
        + "back.")
  }
}

/// A save whose statements have run in an open transaction. It holds the writer until it ends.
private struct PreparedTransaction: PreparedSave {
  let store: RelationalStore
  let transaction: OpenTransaction
  let receipt: SaveReceipt

  func commit() throws {
    do {
      try transaction.lease.use { try $0.commit() }
    } catch {
      transaction.abandon(triedCommit: true)
      throw error
    }
    transaction.external?.didCommit()
    transaction.lease.end()
    if let token = receipt.token as? DefaultHistoryToken {
      store.pruneHistory(last: token.tokenValue?[store.identifier])
    }
  }

  func abandon() { transaction.abandon() }
}

private struct OpenTransaction {
  let lease: any SQLWriterLease
  let external: (any ExternalValueStore)?

  /// Gives the session back where it can't begin: another transaction that is open stays as it is.
  func begin() throws {
    do {
      try lease.use { try $0.begin() }
    } catch {
      lease.end()
      throw error
    }
    external?.didBegin()
  }

  /// Takes back what the transaction did, and gives the session back.
  func abandon(triedCommit: Bool = false) {
    try? lease.use { $0.rollback() }
    external?.didRollBack(triedCommit: triedCommit)
    lease.end()
  }
}
