import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// How long after a commit of another process a container has noticed it.
@Suite(.enabled(if: PostgresServer.isAvailable), .serialized)
struct PostgresLatencyTests {
  let database: MemoDatabase

  init() throws { database = try MemoDatabase() }

  /// Milliseconds from each save of the other process to its notification here, in ascending order.
  ///
  /// Measured where the contexts can see the change, on the thread that found it: tests that run at
  /// the same time delay the main actor.
  private func latencies(_ count: Int, pause: Int, notifies: Bool) throws -> [Double] {
    let mine = try database.container { $0.notifiesCommits = notifies }
    let noticed = Mutex<[(number: Int64, time: Double)]>([])
    let registration = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: mine, queue: nil
    ) { notification in
      let now = Date().timeIntervalSinceReferenceDate
      let token =
        notification.userInfo?[ModelContainer.remoteChangeTokenKey] as? DefaultHistoryToken
      let number = token?.tokenValue?.values.first ?? 0
      noticed.withLock { $0.append((number, now)) }
    }
    defer { NotificationCenter.default.removeObserver(registration) }
    mine.observesRemoteChanges = true
    let worker = try HistoryWorker(
      ["pulse", database.url, "\(count)", "\(pause)"], notifies: notifies)
    let saved = try worker.lines().map { Double($0.split(separator: " ")[1]) ?? 0 }
    let numbers = try mine.transactions().map { Int64($0.transactionIdentifier) }
    #expect(saved.count == count)
    #expect(numbers.count == count)
    let end = ContinuousClock.now + .seconds(10)
    while noticed.withLock({ $0.last?.number ?? 0 }) < numbers[count - 1],
      ContinuousClock.now < end
    {
      Thread.sleep(forTimeInterval: 0.002)
    }
    let found = noticed.withLock(\.self)
    return try zip(numbers, saved).map { number, time in
      let first = try #require(found.first { $0.number >= number })
      return max((first.time - time) * 1000, 0)
    }.sorted()
  }

  /// A busy app: five saves a second.
  @Test func commitsOfAnotherProcessAreNoticedWithin100Milliseconds() throws {
    let times = try latencies(40, pause: 200, notifies: false)
    print("polls: median \(times[20].rounded()) ms, largest \(times[39].rounded()) ms")
    #expect(times[20] < 100)
  }

  /// A quiet app: a save every 4 s, which polls find after 200 ms on average.
  @Test func notificationsArriveAtOnceAfterAPause() throws {
    let times = try latencies(5, pause: 4000, notifies: true)
    print("notifications: median \(times[2].rounded()) ms, largest \(times[4].rounded()) ms")
    #expect(times[2] < 100)
  }

  /// Two seconds at the longest interval; the processor time is printed by the second process.
  @Test func observingAQuietStoreCostsLittleProcessorTime() throws {
    let worker = try HistoryWorker(["watch", database.url, "10"])
    let milliseconds = try #require(Double(try worker.lines().first ?? ""))
    print("observing a quiet store for 10 s: \(milliseconds) ms of processor time")
    #expect(milliseconds < 200)
  }
}
