import Synchronization

/// How far those who follow the history of a store have read: what comes behind that is not pruned.
///
/// Deletions that a user asks for do not look at it.
package final class HistoryHolds: Sendable {
  /// Somebody who follows the history, until `end`.
  package struct Hold: Hashable, Sendable {
    fileprivate let place: Int
  }

  private struct State {
    var numbers: [Hold: Int64] = [:]
    var nextPlace = 0
  }

  private let state = Mutex(State())

  /// Somebody begins to follow.
  /// - Parameter number: The last transaction that was read.
  package func begin(at number: Int64) -> Hold {
    state.withLock { state in
      let hold = Hold(place: state.nextPlace)
      state.nextPlace += 1
      state.numbers[hold] = number
      return hold
    }
  }

  /// The transactions up to this number have been read.
  package func move(_ hold: Hold, to number: Int64) {
    state.withLock { state in
      if state.numbers[hold] != nil { state.numbers[hold] = number }
    }
  }

  package func end(_ hold: Hold) { state.withLock { $0.numbers[hold] = nil } }

  /// The last transaction that all have read; `nil` where nobody follows.
  var lowest: Int64? { state.withLock { $0.numbers.values.min() } }
}
