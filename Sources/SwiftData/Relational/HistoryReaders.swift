import Synchronization

/// The positions of all readers that follow the history of a store. Transactions after them are not
/// pruned.
///
/// Explicit deletions of history ignore them.
package final class HistoryReaders: Sendable {
  /// The position of one reader, from `begin` to `end`.
  package struct Hold: Hashable, Sendable {
    fileprivate let place: Int
  }

  private struct State {
    var numbers: [Hold: Int64] = [:]
    var nextPlace = 0
  }

  private let state = Mutex(State())

  /// Adds a reader.
  /// - Parameter number: The last transaction that it has read.
  package func begin(at number: Int64) -> Hold {
    state.withLock { state in
      let hold = Hold(place: state.nextPlace)
      state.nextPlace += 1
      state.numbers[hold] = number
      return hold
    }
  }

  /// Records that a reader has read all transactions up to this number.
  package func move(_ hold: Hold, to number: Int64) {
    state.withLock { state in
      if state.numbers[hold] != nil { state.numbers[hold] = number }
    }
  }

  package func end(_ hold: Hold) { state.withLock { $0.numbers[hold] = nil } }

  /// The last transaction that all readers have read; `nil` without readers.
  var lowest: Int64? { state.withLock { $0.numbers.values.min() } }
}
