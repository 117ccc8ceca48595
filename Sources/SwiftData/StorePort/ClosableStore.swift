/// A store that can end its use of the database while it is referenced.
package protocol ClosableStore: DataStore {
  /// Waits until all operations have ended, then closes all connections. Later operations throw.
  /// - Throws: The store's error; called inside of an operation of the same thread, it throws too.
  func close() throws
  /// Whether this thread is inside of a read or a transaction of the store, which `close` waits for.
  var isUsedByThread: Bool { get }
}
