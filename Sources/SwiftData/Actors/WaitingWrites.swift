import Synchronization

/// A unit of work, whose caller waits.
struct WaitingWrite: Sendable {
  let arrival = ContinuousClock.now
  /// Returns what resumes the caller after the commit.
  let run: @Sendable (ModelContext) throws -> @Sendable () -> Void
  /// Resumes the caller.
  let fail: @Sendable (any Error) -> Void
}

/// The units of work that have not begun, in the order in which they came, and which contexts of a
/// `ModelWriter` run units.
final class WaitingWrites: Sendable {
  private struct State {
    var writes = WaitingQueue<WaitingWrite>()
    /// The contexts that run no units, by their indices.
    var idle: [Int]
    var concurrency: WriteConcurrency
    let count: Int

    var running: Int { count - idle.count }
  }

  private let state: Mutex<State>

  /// - Parameter count: The number of contexts.
  init(contexts count: Int) {
    state = Mutex(
      State(
        idle: (0..<count).reversed(), concurrency: WriteConcurrency(atMost: count), count: count))
  }

  /// - Returns: The context that must begin to run units; `nil` if one that runs already takes this one.
  func add(_ write: WaitingWrite) -> Int? {
    state.withLock { state in
      state.writes.append(write)
      return state.running < state.concurrency.limit ? state.idle.popLast() : nil
    }
  }

  func take(atMost count: Int) -> [WaitingWrite] {
    state.withLock { state in
      var taken: [WaitingWrite] = []
      while taken.count < count, let write = state.writes.popFirst() { taken.append(write) }
      return taken
    }
  }

  /// The units that have waited since a time or longer.
  func take(since start: ContinuousClock.Instant) -> [WaitingWrite] {
    state.withLock { state in
      var taken: [WaitingWrite] = []
      while let first = state.writes.first, first.arrival <= start,
        let write = state.writes.popFirst()
      {
        taken.append(write)
      }
      return taken
    }
  }

  /// - Returns: Whether the context has nothing to do: no unit waits, or other contexts run them.
  func end(_ context: Int) -> Bool {
    state.withLock { state in
      guard state.writes.isEmpty || state.running > state.concurrency.limit else { return false }
      state.idle.append(context)
      return true
    }
  }

  /// Whether units should run one after the other.
  var isSerial: Bool { state.withLock { $0.concurrency.limit == 1 } }

  /// Units were stored and disturbed nobody.
  func noteSuccess(of count: Int) { state.withLock { $0.concurrency.noteSuccess(of: count) } }

  /// A unit failed because of another one.
  func noteDisturbance() { state.withLock { $0.concurrency.noteDisturbance() } }
}

/// How many units of work run at the same time: fewer after they have disturbed each other, more after
/// they have not. A pure state machine.
package struct WriteConcurrency {
  private let largest: Int
  package private(set) var limit: Int
  private var successes = 0

  /// After so many units, as many times the limit, one more may run.
  private static let patience = 16

  package init(atMost largest: Int) {
    self.largest = max(largest, 1)
    limit = self.largest
  }

  package mutating func noteDisturbance() {
    limit = max(limit / 2, 1)
    successes = 0
  }

  package mutating func noteSuccess(of count: Int) {
    guard limit < largest else { return }
    successes += count
    guard successes >= WriteConcurrency.patience * limit else { return }
    limit += 1
    successes = 0
  }
}
