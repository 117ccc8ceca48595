import Synchronization

/// A unit of work, whose caller waits.
struct WaitingWrite: Sendable {
  let caller: WaitingCaller
  /// Returns what resumes the caller after the commit.
  let run: @Sendable (ModelContext) throws -> @Sendable () -> Void

  /// Resumes the caller.
  func fail(_ error: any Error) { caller.fail(error) }
}

/// The caller of a unit of work, who is resumed once: with the result, with an error, or because of its
/// cancellation while the unit waits.
final class WaitingCaller: Sendable {
  // Guarded by the state of the queue.
  fileprivate let ticket = Atomic(-1)
  fileprivate let isCancelled = Atomic(false)
  fileprivate let hasBegun = Atomic(false)
  let queueing = QueuedWait()
  /// `nil` before the caller waits, and when it was resumed.
  private let resume = Mutex<(@Sendable (any Error) -> Void)?>(nil)

  func wait(_ fail: @escaping @Sendable (any Error) -> Void) { resume.withLock { $0 = fail } }

  /// - Returns: Whether the caller still waits. Whoever is told so resumes it.
  func end() -> Bool { resume.withLock { $0.take() } != nil }

  fileprivate func fail(_ error: any Error) { resume.withLock { $0.take() }?(error) }
}

/// The units of work that have not begun, in the order in which they came, and which contexts of a
/// `ModelWriter` run units. Units that wait longer than the limit fail.
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
  private let limit: WaitLimit?
  private let notesWaits: Bool

  /// - Parameters:
  ///   - count: The number of contexts.
  ///   - limit: How long a unit may wait for those before it.
  ///   - notesWaits: Whether callers report their waits (`QueuedWait`).
  init(contexts count: Int, within limit: Duration?, notesWaits: Bool) {
    self.limit = WaitLimit(limit)
    self.notesWaits = notesWaits
    state = Mutex(
      State(
        idle: (0..<count).reversed(), concurrency: WriteConcurrency(atMost: count), count: count))
  }

  /// - Returns: The context that must begin to run units; `nil` if one that runs already takes this one.
  func add(_ write: WaitingWrite) -> Int? {
    let caller = write.caller
    var isCancelled = false
    var beginsToWatch = false
    let context: Int? = state.withLock { state in
      isCancelled = caller.isCancelled.load(ordering: .relaxed)
      if isCancelled { return nil }
      caller.ticket.store(state.writes.append(write), ordering: .relaxed)
      beginsToWatch = limit != nil && state.writes.beginWatch()
      let context = state.running < state.concurrency.limit ? state.idle.popLast() : nil
      if notesWaits { caller.queueing.begin(isServed: context != nil) }
      return context
    }
    if isCancelled { write.fail(CancellationError()) }
    if beginsToWatch, let limit { watch(limit) }
    return context
  }

  /// The unit fails unless it has begun: it may wait for the lock.
  func cancel(_ caller: WaitingCaller) {
    let hasBegun = state.withLock { state in
      caller.isCancelled.store(true, ordering: .relaxed)
      if state.writes.remove(caller.ticket.load(ordering: .relaxed)) != nil {
        caller.queueing.end()
      }
      return caller.hasBegun.load(ordering: .relaxed)
    }
    if !hasBegun { caller.fail(CancellationError()) }
  }

  /// - Returns: Whether the unit may run: its caller has not given up before it began.
  func begin(_ write: WaitingWrite) -> Bool {
    state.withLock { _ in
      let caller = write.caller
      if !caller.isCancelled.load(ordering: .relaxed) {
        caller.hasBegun.store(true, ordering: .relaxed)
      }
      return caller.hasBegun.load(ordering: .relaxed)
    }
  }

  private func watch(_ limit: WaitLimit) {
    limit.watch {
      self.state.withLock { $0.writes.firstWatchedArrival() }
    } end: { start in
      for write in self.take(since: start) {
        write.fail(
          SwiftDataError.storeWriteFailure.with(
            "The unit of work waited \(limit.duration) for those before it and did not begin; nothing was "
              + "saved. Try again, make units shorter, or raise waitingAtMost of the ModelWriter.",
            doing: "waiting for other units of work", because: .busy))
      }
    }
  }

  /// - Parameter isTimedOut: Whether a time limit has ended the waits, so that the units must fail.
  func take(atMost count: Int, isTimedOut: Bool = false) -> [WaitingWrite] {
    state.withLock { state in
      var taken: [WaitingWrite] = []
      while taken.count < count, let write = state.writes.popFirst() {
        write.caller.queueing.end(isTimedOut: isTimedOut)
        taken.append(write)
      }
      return taken
    }
  }

  /// The units that have waited since a time or longer. They must fail.
  func take(since start: ContinuousClock.Instant) -> [WaitingWrite] {
    state.withLock { state in
      var taken: [WaitingWrite] = []
      while let write = state.writes.popFirst(since: start) {
        write.caller.queueing.end(isTimedOut: true)
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
