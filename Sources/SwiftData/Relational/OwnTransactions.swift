import Synchronization

/// The transactions that a store itself wrote, recorded while a reader asks for those of other
/// writers.
///
/// A transaction is identified by number and time, because its number is assigned again after a
/// rollback, possibly to another process.
final class OwnTransactions: Sendable {
  private struct State {
    /// The number of readers; a new one may begin before the last one ends.
    var readers = 0
    /// By number.
    var times: [Int64: Double] = [:]
  }

  private let state = Mutex(State())

  func begin() { state.withLock { $0.readers += 1 } }

  func end() {
    state.withLock { state in
      state.readers -= 1
      if state.readers == 0 { state.times = [:] }
    }
  }

  /// Called before the commit, so that another thread cannot read the transaction first.
  func note(_ number: Int64, at time: Double) {
    state.withLock { state in
      if state.readers > 0 { state.times[number] = time }
    }
  }

  func contains(_ number: Int64, at time: Double) -> Bool {
    state.withLock { $0.times[number] == time }
  }

  /// The recorded numbers in a range.
  func numbers(in range: ClosedRange<Int64>) -> [Int64] {
    state.withLock { $0.times.keys.filter(range.contains) }
  }

  /// Removes transactions that will not be asked for again.
  func forget(through number: Int64) {
    state.withLock { state in
      if !state.times.isEmpty { state.times = state.times.filter { $0.key > number } }
    }
  }
}
