import Foundation
import Synchronization

/// The transactions that a store itself wrote, recorded while a reader asks for those of other
/// writers.
///
/// A transaction is identified by number and time, because its number is assigned again after a
/// rollback, possibly to another process.
///
/// Where the number arrives with the answer to the commit, another thread may read the transaction before
/// that. So its time is expected from before the commit on, and a reader that meets it waits for the
/// number.
final class OwnTransactions: Sendable {
  private struct State {
    /// The number of readers; a new one may begin before the last one ends.
    var readers = 0
    /// By number.
    var times: [Int64: Double] = [:]
    /// The times of transactions whose numbers are not known yet; several may have the same.
    var expected: [Double: Int] = [:]
  }

  /// How long a reader waits for a number. A transaction that it takes for another writer's costs work
  /// only.
  private static let patience: Duration = .seconds(2)

  private let state = Mutex(State())

  func begin() { state.withLock { $0.readers += 1 } }

  func end() {
    state.withLock { state in
      state.readers -= 1
      if state.readers == 0 { state.times = [:] }
    }
  }

  /// Called before the commit of a transaction whose number is not known yet.
  func expect(at time: Double) { state.withLock { $0.expected[time, default: 0] += 1 } }

  /// Called when the number was noted, or will not be.
  func endExpecting(at time: Double) {
    state.withLock { state in
      let count = (state.expected[time] ?? 1) - 1
      state.expected[time] = count == 0 ? nil : count
    }
  }

  /// Called before another thread can read the transaction, or while it is expected.
  func note(_ number: Int64, at time: Double) {
    state.withLock { state in
      if state.readers > 0 { state.times[number] = time }
    }
  }

  func contains(_ number: Int64, at time: Double) -> Bool {
    let end = ContinuousClock.now + OwnTransactions.patience
    while true {
      let (isOwn, isExpected) = state.withLock { state in
        (state.times[number] == time, state.expected[time] != nil)
      }
      if isOwn || !isExpected || ContinuousClock.now > end { return isOwn }
      Thread.sleep(forTimeInterval: 0.0005)
    }
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
