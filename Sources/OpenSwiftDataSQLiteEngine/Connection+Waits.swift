import Foundation
import OpenSwiftDataCSQLite

/// A wait of a thread for a connection that other threads used.
package struct PoolWait: Sendable {
  package let isForWriting: Bool
  package let duration: Duration
  /// Whether the limit of the pool ended the wait.
  package let isTimedOut: Bool
}

extension Connection {
  /// Calls `body` after each wait for another connection's lock, before SQLite tries again.
  package func traceWaits(_ body: @escaping (Duration) -> Void) {
    waitTracer = WaitTracer(body)
    waitForLocks(atMost: busyTimeout)
  }

  /// How long a statement waits for another connection's lock before it fails.
  func waitForLocks(atMost limit: Duration) {
    guard let waitTracer else {
      sqlite3_busy_timeout(handle, limit.milliseconds)
      return
    }
    waitTracer.limit = limit
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<WaitTracer>.fromOpaque(context).takeUnretainedValue().wait(Int(count))
      }, Unmanaged.passUnretained(waitTracer).toOpaque())
  }
}

/// Waits as the handler of `sqlite3_busy_timeout` does, and reports it.
///
/// Used by the thread that uses the connection, inside a statement.
final class WaitTracer {
  var limit = Duration.zero
  private var end = ContinuousClock.now
  private let body: (Duration) -> Void

  init(_ body: @escaping (Duration) -> Void) { self.body = body }

  /// In milliseconds, as in SQLite's `sqliteDefaultBusyCallback`; later waits take the last one.
  private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  /// - Parameter count: The number of waits for the same lock before.
  /// - Returns: Whether SQLite tries again, as 0 or 1.
  func wait(_ count: Int) -> Int32 {
    let begin = ContinuousClock.now
    if count == 0 { end = begin + limit }
    guard begin < end else { return 0 }
    let delay = Duration.milliseconds(Self.delays[min(count, Self.delays.count - 1)])
    Thread.sleep(forTimeInterval: min(delay, end - begin) / .seconds(1))
    body(.now - begin)
    return 1
  }
}
