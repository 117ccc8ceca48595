import Synchronization

/// The end of the history after the last transaction of a store, which the next one continues if
/// nothing was written in between.
///
/// Noted in the transaction that writes the history, and used in a transaction that begins with the
/// same state of the database (`SQLSession.stampAtBegin`). So commits of other connections,
/// rollbacks, deletions of history and all other writes make the next transaction read the stored
/// keys.
final class HistoryPosition: Sendable {
  struct End: Sendable {
    let transaction: Int64
    let lastChange: Int64
    /// Texts of a transaction and their keys, in the order of the columns; 0 for no text.
    let texts: [String?]
    let textKeys: [Int64]
  }

  private let state = Mutex<(stamp: WriteStamp, end: End)?>(nil)

  /// - Parameter stamp: The state of the database; `nil` if it does not report changes.
  func note(_ end: End, at stamp: WriteStamp?) {
    state.withLock { $0 = stamp.map { ($0, end) } }
  }

  /// The end, if the database is in the state in which it was noted.
  func end(at stamp: WriteStamp?) -> End? {
    guard let stamp else { return nil }
    return state.withLock { $0.flatMap { $0.stamp == stamp ? $0.end : nil } }
  }
}
