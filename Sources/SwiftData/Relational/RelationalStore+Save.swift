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
    let lease = try driver.leaseWriter()
    do {
      let inserted = try lease.use { session in
        try session.begin()
        var writer = SaveWriter(
          store: self, session: session, author: request.editingState.author)
        return try writer.write(request)
      }
      return PreparedTransaction(lease: lease, receipt: SaveReceipt(inserted: inserted))
    } catch {
      lease.abandon()
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
  let lease: any SQLWriterLease
  let receipt: SaveReceipt

  func commit() throws {
    do {
      try lease.use { try $0.commit() }
      lease.end()
    } catch {
      lease.abandon()
      throw error
    }
  }

  func abandon() { lease.abandon() }
}

extension SQLWriterLease {
  /// Takes back what the open transaction did, and gives the session back.
  fileprivate func abandon() {
    try? use { $0.rollback() }
    end()
  }
}
