/// When a watched file is looked at: a state machine of writes and times, without a clock.
///
/// A commit writes its frames to the log, which the system tells, and then makes them visible through
/// shared memory, which it does not tell. So a look may come too early, and is repeated at growing
/// intervals.
///
/// | state       | `written`     | `look` when due                        |
/// |-------------|---------------|----------------------------------------|
/// | quiet       | gathering     | -                                      |
/// | gathering   | gathering     | looks, confirming, first time          |
/// | confirming  | gathering     | looks, confirming again; at last quiet |
///
/// The writes of `gathering` are one burst. Where the system may not tell all writes there is an
/// interval: quiet is due at its end, looks, and stays quiet.
package struct StoreFileTiming: Equatable, Sendable {
  /// From the first write of a burst to the look at it.
  package static let burst = Duration.milliseconds(8)
  /// From each look to the next one, as long as nothing is written.
  package static let confirmations: [Duration] = [
    .milliseconds(30), .milliseconds(120), .milliseconds(500), .seconds(2),
  ]

  private enum State: Equatable, Sendable {
    case quiet(next: Duration?)
    case gathering(due: Duration)
    case confirming(round: Int, due: Duration)
  }

  private var state: State
  /// Between looks without a known reason; `nil` where the system tells all writes.
  private(set) var interval: Duration?

  package init(interval: Duration? = nil, now: Duration) {
    self.interval = interval
    state = .quiet(next: interval.map { now + $0 })
  }

  /// When to look; `nil` for not before the next write.
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

  /// - Returns: Whether to look now.
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

  /// Another interval, because the system does not tell the writes any more, or tells them again.
  package mutating func poll(every interval: Duration?, now: Duration) {
    if interval == self.interval { return }
    self.interval = interval
    if case .quiet = state { state = .quiet(next: interval.map { now + $0 }) }
  }
}
