import Synchronization

/// The rows that this container has written since columns were found composed. A look at these rows is enough
/// then, instead of one through the column (`ComposedText`).
///
/// It holds as long as nobody else writes. The writing session shows that: `last` is its state after the last
/// own transaction. If it has another one when it begins the next, or when a read asks, a chain of own
/// transactions ends, and all columns are looked through again.
///
/// 1. A read takes the `position` before it begins: it sees the rows before that.
/// 2. If it needs to know a column, it asks the writing session whether the chain still goes on (`confirm`). If
///    another thread writes just then, the answer is no.
/// 3. It looks at the rows that were written since the column was found composed, or else through the column,
///    and notes what it has found.
/// 4. A save adds the keys of its rows while it still has the writing session. Without reads that need them,
///    nothing is added.
///
/// Thread-safe.
final class OwnTextWrites: Sendable {
  /// The beginning of a read.
  struct Position {
    fileprivate let chain: Int
    fileprivate let count: Int
  }

  /// The keys of written rows, by table.
  typealias Rows = [(table: String, keys: [Int64])]

  private struct State {
    var chain = 0
    var last: StoreState?
    /// Composed columns, each with the number of rows that need no look.
    var columns: [String: Int] = [:]
    var rows: [(table: String, key: Int64)] = []
    /// How many rows came before `rows`.
    var dropped = 0
    /// The rows of the open transaction.
    var uncommitted: Rows = []
    var hasTooMany = false

    var count: Int { dropped + rows.count }

    mutating func begin(_ state: StoreState?) {
      self = State(chain: chain + 1, last: state)
    }
  }

  /// With more rows, the column is looked through again.
  static let limit = 512

  private let state = Mutex(State())
  private let isFollowed = Atomic<Bool>(false)

  /// Whether saves add their rows.
  var needsRows: Bool { isFollowed.load(ordering: .relaxed) }

  // MARK: Reads

  /// `nil` if nothing is known.
  var position: Position? {
    if !needsRows { return nil }
    return state.withLock { state in
      state.last == nil ? nil : Position(chain: state.chain, count: state.count)
    }
  }

  /// Whether only own transactions have been committed since a position. If not, another chain begins.
  /// - Parameter reading: The session of the read that asks.
  func confirm(
    _ position: Position?, reading: any SQLSession, _ driver: any SQLDriver
  ) -> Bool {
    guard let lease = try? driver.leaseWriter(for: nil, within: .zero) else { return false }
    defer { lease.end() }
    let now = try? lease.use { session -> StoreState? in
      // A transaction of this thread is open, whose rows the read does not see.
      if session !== reading, session.hasBegunReading { return nil }
      // Only a read sees what others have committed.
      _ = try session.changeStamp()
      return session.state
    }
    guard let now else { return false }
    return state.withLock { state in
      guard state.last == now else {
        state.begin(now)
        isFollowed.store(true, ordering: .relaxed)
        return false
      }
      return state.chain == position?.chain
    }
  }

  /// The rows of a table that must be looked at to know a column; `nil` for all.
  func keys(of table: String, since column: String, until position: Position) -> [Int64]? {
    state.withLock { state in
      guard state.chain == position.chain, let start = state.columns[column],
        start >= state.dropped, start <= position.count
      else { return nil }
      let rows = state.rows[(start - state.dropped)..<(position.count - state.dropped)]
      return rows.filter { $0.table == table }.map(\.key)
    }
  }

  /// Notes what a look has found.
  func note(_ column: String, isComposed: Bool, at position: Position) {
    state.withLock { state in
      guard state.chain == position.chain else { return }
      if !isComposed {
        state.columns[column] = nil
      } else if position.count >= state.columns[column] ?? 0 {
        state.columns[column] = position.count
      }
    }
  }

  // MARK: Writes

  /// Called when a transaction has begun to exclude other writers.
  func didBegin(_ session: any SQLSession) {
    if !needsRows { return }
    let now = session.state
    state.withLock { state in
      (state.uncommitted, state.hasTooMany) = ([], false)
      if state.last != now { end(&state) }
    }
  }

  /// Adds the rows of a save in the transaction.
  /// - Parameter rows: `nil` if they are too many.
  func write(_ rows: Rows?) {
    if !needsRows { return }
    state.withLock { state in
      if let rows { state.uncommitted += rows } else { state.hasTooMany = true }
    }
  }

  /// Called when a transaction is committed, before another thread gets the writing session. One that is
  /// rolled back ends the chain.
  func didCommit(_ session: any SQLSession) {
    if !needsRows { return }
    let now = session.state
    state.withLock { state in
      guard state.last != nil else { return }
      if state.hasTooMany { return end(&state) }
      state.last = now
      for (table, keys) in state.uncommitted { state.rows += keys.map { (table, $0) } }
      state.uncommitted = []
      dropRows(&state)
    }
  }

  private func end(_ state: inout State) {
    state.begin(nil)
    isFollowed.store(false, ordering: .relaxed)
  }

  private func dropRows(_ state: inout State) {
    guard state.rows.count > OwnTextWrites.limit else { return }
    // Columns that no read has asked for recently are looked through again.
    let start = state.count - OwnTextWrites.limit
    state.columns = state.columns.filter { $0.value >= start }
    state.rows.removeFirst(start - state.dropped)
    state.dropped = start
  }
}
