import OpenSwiftDataSQLiteEngine

extension DefaultStore: ClosableStore {
  package var isUsedByThread: Bool { pool.isHeldByThread }

  /// Waits until all reads and writes have ended, writes the log back, and closes the file.
  ///
  /// Later operations throw ``SwiftDataError/containerClosed``. Called by ``ModelContainer/close()``.
  /// Not in Apple's framework.
  /// - Throws: `SwiftDataError.storeWriteFailure` if this thread reads or writes the store, or the log
  ///   can't be written back. Another call tries again, unless the log was deleted.
  package func close() throws {
    do {
      try pool.close()
      file.external?.close()
    } catch let error as SQLiteError where error.code != .misuse {
      throw StoreFailure.closing(error, at: configuration.url)
    } catch {
      throw SwiftDataError.storeWriteFailure.with(
        "The store can't be closed inside of a transaction or a snapshot of the same thread. Close it "
          + "afterwards.", doing: "closing a store", because: .invalidRequest)
    }
  }
}
