import OpenSwiftDataSQLiteEngine
import Synchronization

/// Ends the use of a store whose connection stays in use: contexts of a migration stage must not
/// read tables that have changed since. Later requests fail as in a closed store.
package final class StoreInvalidation: Sendable {
  private let isClosed = Atomic(false)
  private let readFailure = Mutex<(any Error)?>(nil)

  /// The first read that failed. Getters of properties and relationships can't throw and return
  /// default values instead, which must not be saved in the migrated store.
  var failure: (any Error)? { readFailure.withLock { $0 } }

  package func note(_ error: any Error) { readFailure.withLock { $0 = $0 ?? error } }

  func close() { isClosed.store(true, ordering: .releasing) }

  /// Whether the use of the store has ended.
  package var hasEnded: Bool { isClosed.load(ordering: .acquiring) }

  func check(_ path: String) throws {
    if isClosed.load(ordering: .acquiring) {
      throw SQLiteError(.misuse, message: "the store is closed", path: path)
    }
  }
}
