import OpenSwiftDataSQLiteEngine
import Synchronization

/// Ends the use of a store whose connection stays in use: contexts of a stage of a migration must not read
/// tables that have changed since. What they ask for afterwards fails as in a closed store.
final class StoreSeal: Sendable {
  private let isClosed = Atomic(false)
  private let readFailure = Mutex<(any Error)?>(nil)

  /// The first read that failed. Properties and relationships can't throw and show stand-ins then, which must
  /// not become values of the migrated store.
  var failure: (any Error)? { readFailure.withLock { $0 } }

  func note(_ error: any Error) { readFailure.withLock { $0 = $0 ?? error } }

  func close() { isClosed.store(true, ordering: .releasing) }

  func check(_ path: String) throws {
    if isClosed.load(ordering: .acquiring) {
      throw SQLiteError(.misuse, message: "the store is closed", path: path)
    }
  }
}
