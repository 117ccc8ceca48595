import OpenSwiftDataSQLiteEngine

extension DefaultStore {
  /// Writes a save in one transaction.
  /// - Parameter request: What was inserted, updated and deleted.
  /// - Returns: The permanent identifiers of inserted models.
  /// - Throws: `SwiftDataError.modelValidationFailure` for a violated rule, or
  ///   `.storeWriteFailure`; nothing is stored then.
  public func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    let prepared = try prepare(request)
    try prepared.commit()
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: Dictionary(
        zip(request.inserted.lazy.map(\.persistentIdentifier), prepared.receipt.inserted),
        uniquingKeysWith: { first, _ in first }))
  }

  package func prepare(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, source: any _FaultSource
  ) throws -> any PreparedSave {
    try prepare(request)
  }

  private func prepare(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> PreparedTransaction {
    guard configuration.allowsSave else {
      throw SwiftDataError.modelValidationFailure.with(
        "The store \(name) was opened with allowsSave: false. Open it with allowsSave: true, or roll "
          + "back.")
    }
    return try translatingWriteErrors {
      let lease = try pool.leaseWriter()
      do {
        try lease.connection.begin()
        var writer = SaveWriter(store: self, connection: lease.connection)
        let receipt = SaveReceipt(inserted: try writer.write(request))
        return PreparedTransaction(store: self, lease: lease, receipt: receipt)
      } catch {
        lease.connection.rollback()
        lease.end()
        throw error
      }
    }
  }
}

/// A save whose statements have run in an open transaction. It holds the writer until it ends.
private struct PreparedTransaction: PreparedSave {
  let store: DefaultStore
  let lease: ConnectionPool.Lease
  let receipt: SaveReceipt

  func commit() throws {
    defer { lease.end() }
    try store.translatingWriteErrors {
      do {
        try lease.connection.commit()
      } catch {
        lease.connection.rollback()
        throw error
      }
    }
  }

  func abandon() {
    lease.connection.rollback()
    lease.end()
  }
}
