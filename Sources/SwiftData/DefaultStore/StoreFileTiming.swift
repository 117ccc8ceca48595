/// When to check a watched file: a state machine of writes and times, without a clock.
///
/// A commit writes its frames to the log, which the system reports, and then makes them visible
/// through shared memory, which the system does not report. A check may therefore come too early,
/// and is repeated at growing intervals.
///
/// | state       | `written`     | `look` when due                                |
/// |-------------|---------------|------------------------------------------------|
/// | quiet       | gathering     | -                                              |
/// | gathering   | gathering     | checks; confirming, first round                |
/// | confirming  | gathering     | checks; confirming, next round; finally quiet  |
///
/// The writes during `gathering` form one burst. If the system may not report all writes, there is
/// an interval: a quiet file is checked after each interval, and stays quiet.
package struct StoreFileTiming: Equatable, Sendable {
  /// The time from the first write of a burst to its check.
  package static let burst = Duration.milliseconds(8)
  /// The times from each check to the next one, as long as nothing is written.
  package static let confirmations: [Duration] = [
    .milliseconds(30), .milliseconds(120), .milliseconds(500), .seconds(2),
  ]

  private enum State: Equatable, Sendable {
    case quiet(next: Duration?)
    case gathering(due: Duration)
    case confirming(round: Int, due: Duration)
  }

  private var state: State
  /// The time between checks without a reported write; `nil` if the system reports all writes.
  private(set) var interval: Duration?

  package init(interval: Duration? = nil, now: Duration) {
    self.interval = interval
    state = .quiet(next: interval.map { now + $0 })
  }

  /// When to check; `nil` for not before the next write.
  package var due: Duration? {
    switch state {
    case .quiet(let next): next
    case .gathering(let due), .confirming(_, let due): due
    }
  }

  var isGathering: Bool {
    if case .gathering = state { return true }
    return false
  }

  package mutating func written(now: Duration) {
    if !isGathering { state = .gathering(due: now + StoreFileTiming.burst) }
  }

  /// - Returns: Whether to check now.
  package mutating func look(now: Duration) -> Bool {
    guard let due, due <= now else { return false }
    let round =
      switch state {
      case .quiet: StoreFileTiming.confirmations.count
      case .gathering: 0
      case .confirming(let round, _): round + 1
      }
    if StoreFileTiming.confirmations.indices.contains(round) {
      state = .confirming(round: round, due: now + StoreFileTiming.confirmations[round])
    } else {
      state = .quiet(next: interval.map { now + $0 })
    }
    return true
  }

  /// Changes the interval, because the system stops or resumes reporting all writes.
  package mutating func poll(every interval: Duration?, now: Duration) {
    if interval == self.interval { return }
    self.interval = interval
    if case .quiet = state { state = .quiet(next: interval.map { now + $0 }) }
  }
}
