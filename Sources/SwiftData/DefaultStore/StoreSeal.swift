import OpenSwiftDataSQLiteEngine
import Synchronization

/// Ends the use of a store whose connection stays in use: contexts of a stage of a migration must not read
/// tables that have changed since. What they ask for afterwards fails as in a closed store.
final class StoreSeal: Sendable {
  private let isClosed = Atomic(false)

  func close() { isClosed.store(true, ordering: .releasing) }

  func check(_ path: String) throws {
    if isClosed.load(ordering: .acquiring) {
      throw SQLiteError(.misuse, message: "the store is closed", path: path)
    }
  }
}
