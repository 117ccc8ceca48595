import SwiftDataPostgres
import Testing

/// When a watch polls: one test for each row of the table, without a clock.
struct HistoryPollTimingTests {
  /// The times of the polls after a change, if nothing changes any more.
  private func quiet(_ count: Int) -> [Duration] {
    var timing = HistoryPollTiming(now: .zero)
    timing.polled(hasChanged: true, now: .zero)
    return (0..<count).map { _ in
      let due = timing.due
      timing.polled(hasChanged: false, now: due)
      return due
    }
  }

  @Test func theIntervalIsATenthOfTheQuietTime() {
    let times = quiet(200)
    #expect(times.first == .milliseconds(20))
    for (earlier, later) in zip(times, times.dropFirst()) {
      let expected = min(max(earlier / 10, .milliseconds(20)), .seconds(2))
      #expect(later - earlier == expected)
    }
    #expect(times.suffix(2).reduce(.zero) { $1 - $0 } == .seconds(2))
  }

  @Test func aQuietStoreCostsFewPolls() {
    // One per 20 ms for 0.2 s, then 24 for each tenfold time, then one per 2 s.
    #expect(quiet(200).filter { $0 < .seconds(20) }.count < 62)
  }

  @Test func aChangeMakesPollsFrequent() {
    var timing = HistoryPollTiming(now: .zero)
    timing.polled(hasChanged: false, now: .seconds(100))
    #expect(timing.due == .seconds(102))
    timing.polled(hasChanged: true, now: .seconds(102))
    #expect(timing.due == .seconds(102) + .milliseconds(20))
  }

  @Test func aFailureDelaysThePoll() {
    var timing = HistoryPollTiming(now: .zero)
    timing.polled(hasChanged: true, now: .seconds(1))
    timing.failed(now: .seconds(1))
    #expect(timing.due == .seconds(1) + .milliseconds(250))
  }

  @Test func notificationsPollAtOnceButNotMoreOftenThanEvery5Milliseconds() {
    var timing = HistoryPollTiming(now: .zero)
    timing.listens(true, now: .seconds(1))
    #expect(timing.due <= .seconds(1))
    timing.began()
    timing.polled(hasChanged: true, now: .seconds(1))
    #expect(timing.due == .seconds(3))
    timing.notified(now: .seconds(1) + .milliseconds(1))
    #expect(timing.due == .seconds(1) + .milliseconds(5))
    timing.began()
    timing.polled(hasChanged: true, now: .seconds(1) + .milliseconds(5))
    timing.notified(now: .seconds(2))
    #expect(timing.due == .seconds(2))
  }

  /// The answer may have been made before the commit.
  @Test func aNotificationDuringAPollAsksForAnother() {
    var timing = HistoryPollTiming(now: .zero)
    timing.listens(true, now: .zero)
    timing.began()
    timing.polled(hasChanged: true, now: .seconds(1))
    timing.began()
    timing.notified(now: .seconds(3))
    timing.polled(hasChanged: true, now: .seconds(4))
    #expect(timing.due == .seconds(4) + .milliseconds(5))
    timing.began()
    timing.notified(now: .seconds(4) + .milliseconds(5))
    timing.failed(now: .seconds(5))
    #expect(timing.due == .seconds(5) + .milliseconds(250))
    timing.began()
    timing.polled(hasChanged: false, now: .seconds(6))
    #expect(timing.due == .seconds(8))
  }

  @Test func aLostListenerPollsAtOnceAndThenFrequently() {
    var timing = HistoryPollTiming(now: .zero)
    timing.listens(true, now: .zero)
    timing.polled(hasChanged: false, now: .zero)
    timing.listens(false, now: .seconds(1))
    #expect(timing.due == .seconds(1))
    timing.began()
    timing.polled(hasChanged: false, now: .seconds(1))
    #expect(timing.due == .seconds(1) + .milliseconds(20))
  }
}
