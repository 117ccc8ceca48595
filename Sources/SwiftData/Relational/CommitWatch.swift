/// A store on a database that other programs write too, and whose history shows what they commit.
///
/// `RemoteCommitHub` reads the history of the engine when the watch says so.
package protocol CommitWatchedStore: DataStore {
  /// Reads and writes the rows.
  var engine: RelationalStore { get }

  /// A watch that has not started; `nil` if no other program can write the store.
  func makeCommitWatch() -> (any CommitWatch)?
}

/// Notices that a store may have been written, by this or another program, as long as it lives.
package protocol CommitWatch: AnyObject, Sendable {
  /// Begins to watch. Called once.
  /// - Parameter onCommit: Called on any thread; must not block. Calls may be too many. For each
  ///   commit there is a call after it.
  func start(_ onCommit: @escaping @Sendable () -> Void)

  /// Whether another store has replaced this one since the last call.
  func isReplaced() -> Bool
}

extension CommitWatch {
  package func isReplaced() -> Bool { false }
}
