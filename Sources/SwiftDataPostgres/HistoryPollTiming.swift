/// When to ask the server for the end of the history: a state machine of answers and times, without a
/// clock.
///
/// The interval is a tenth of the time since the last change, from 20 ms to 2 s. So a change in a busy
/// store is found after a twentieth of the time between changes, on average, and a quiet store costs
/// one look-up every 2 s. While notifications arrive, only those that get lost are found by polls, so
/// the interval is always 2 s.
///
/// | event          | next poll                                         |
/// |----------------|---------------------------------------------------|
/// | `polled`       | after the interval                                |
/// | `failed`       | after the interval, at least 250 ms               |
/// | `notified`     | at once, at the earliest 5 ms after the last poll |
/// |                | also if it comes while a poll waits for an answer |
/// | `listens(_:)`  | at once: commits in between were not notified     |
package struct HistoryPollTiming: Equatable, Sendable {
  package static let shortest = Duration.milliseconds(20)
  package static let longest = Duration.seconds(2)
  package static let afterFailure = Duration.milliseconds(250)
  package static let betweenNotifications = Duration.milliseconds(5)
  /// The time without changes is this many intervals.
  package static let fraction = 10

  /// When to poll.
  package private(set) var due: Duration
  private var lastChange: Duration
  private var lastPoll: Duration
  private var isListening = false
  /// Whether another poll was asked for since the last one began.
  private var isWanted = false

  package init(now: Duration) {
    (due, lastChange, lastPoll) = (now, now, now)
  }

  /// Called before the server is asked. The answer may lack what is notified from now on.
  package mutating func began() { isWanted = false }

  /// - Parameter hasChanged: Whether the history had another end than at the poll before.
  package mutating func polled(hasChanged: Bool, now: Duration) {
    if hasChanged { lastChange = now }
    ended(now, next: isWanted ? HistoryPollTiming.betweenNotifications : interval(now))
  }

  package mutating func failed(now: Duration) {
    ended(now, next: max(isWanted ? .zero : interval(now), HistoryPollTiming.afterFailure))
  }

  private mutating func ended(_ now: Duration, next interval: Duration) {
    lastPoll = now
    due = now + interval
  }

  package mutating func notified(now: Duration) {
    isWanted = true
    due = min(due, max(now, lastPoll + HistoryPollTiming.betweenNotifications))
  }

  package mutating func listens(_ isListening: Bool, now: Duration) {
    if self.isListening == isListening { return }
    self.isListening = isListening
    if !isListening { lastChange = now }
    isWanted = true
    due = now
  }

  private func interval(_ now: Duration) -> Duration {
    if isListening { return HistoryPollTiming.longest }
    let quiet = (now - lastChange) / HistoryPollTiming.fraction
    return min(max(quiet, HistoryPollTiming.shortest), HistoryPollTiming.longest)
  }
}
