import Synchronization

/// The transactions that a store wrote itself, while somebody asks for those of others.
///
/// A transaction is known by number and time: its number is given again after a rollback, perhaps to another
/// process.
final class OwnTransactions: Sendable {
  private struct State {
    /// How many ask; the next one may begin before the last one ends.
    var askers = 0
    /// By number.
    var times: [Int64: Double] = [:]
  }

  private let state = Mutex(State())

  func begin() { state.withLock { $0.askers += 1 } }

  func end() {
    state.withLock { state in
      state.askers -= 1
      if state.askers == 0 { state.times = [:] }
    }
  }

  /// Called before the commit, lest another thread find the transaction first.
  func note(_ number: Int64, at time: Double) {
    state.withLock { state in
      if state.askers > 0 { state.times[number] = time }
    }
  }

  func contains(_ number: Int64, at time: Double) -> Bool {
    state.withLock { $0.times[number] == time }
  }

  /// The numbers in a range that were noted.
  func numbers(in range: ClosedRange<Int64>) -> [Int64] {
    state.withLock { $0.times.keys.filter(range.contains) }
  }

  /// Forgets those that are not asked for again.
  func forget(through number: Int64) {
    state.withLock { state in
      if !state.times.isEmpty { state.times = state.times.filter { $0.key > number } }
    }
  }
}
