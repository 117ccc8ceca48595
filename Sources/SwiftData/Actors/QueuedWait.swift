import Synchronization

/// The wait of one read or unit of work in a `WaitingQueue`, for the logs of the stores.
///
/// The owner of the queue notes begin and end. The task that has waited reports the wait, so that a message
/// has the fields of its request, and no other element waits for the log.
struct QueuedWait: ~Copyable, Sendable {
  /// Not private: Swift 6.3 then fails to compile the owners of a value.
  struct State {
    var begin: ContinuousClock.Instant?
    /// Whether an idle context takes the element.
    var isServed = false
    var result: (duration: Duration, isTimedOut: Bool)?
  }

  private let state = Mutex(State())

  /// - Parameter isServed: Whether an idle context takes the element, so that it does not wait.
  func begin(isServed: Bool) {
    state.withLock { state in
      state.begin = state.begin ?? .now
      state.isServed = isServed
    }
  }

  /// The element has left the queue.
  func end(isTimedOut: Bool = false) {
    state.withLock { state in
      guard let begin = state.begin, isTimedOut || !state.isServed else { return }
      state.result = (.now - begin, isTimedOut)
    }
  }

  /// Called once, by the task of the element.
  func report(_ reason: StatementLog.Wait.Reason, to logs: [StatementLog]) {
    guard let result = state.withLock(\.result) else { return }
    let wait = StatementLog.Wait(
      reason: reason, duration: result.duration, isTimedOut: result.isTimedOut)
    for log in logs { log.handle(.wait(wait)) }
  }
}
