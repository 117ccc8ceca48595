import Dispatch
import Foundation
import OpenSwiftDataCPostgres
import Synchronization

/// Cancels what a connection does, from any thread.
///
/// 1. `request` notes the wish, wakes the thread that waits for the server, and asks the server on a
///    thread of its own: `PQcancel` has no time limit, and a server that is stopped never answers.
/// 2. The waiting thread gets the server's error, or closes the connection after a grace period.
final class Cancellation: @unchecked Sendable {
  // The handle is immutable, and `PQcancel` may be called on any thread. `deinit` runs when the last
  // thread has released this object.
  private let handle: OpaquePointer?
  /// Requests that the server has not received.
  private let open = DispatchGroup()
  private let state = Mutex(false)
  let wake: WakePipe

  /// The number of requests that run in this process. More are not sent: their connections are
  /// closed instead.
  private static let running = Mutex(0)
  private static let limit = 32

  init(_ connection: OpaquePointer, wake: WakePipe) {
    handle = PQgetCancel(connection)
    self.wake = wake
  }

  deinit { PQfreeCancel(handle) }

  /// Cancels the statement that runs, and makes its call throw.
  func request() {
    state.withLock { $0 = true }
    wake.signal()
    askServer()
  }

  /// Whether a cancellation was requested since the last call of `take`.
  var isRequested: Bool { state.withLock { $0 } }

  /// - Returns: Whether a cancellation was requested since the last call.
  func take() -> Bool {
    wake.clear()
    return state.withLock { requested in
      defer { requested = false }
      return requested
    }
  }

  /// Forgets a request that came when nothing ran.
  func reset() {
    if isRequested { _ = take() }
  }

  /// - Returns: Whether the server has received all requests.
  func waitForServer(_ limit: Duration) -> Bool {
    open.wait(timeout: .now() + .milliseconds(Int(limit.milliseconds))) == .success
  }

  /// Asks the server to end the statement that runs. Returns at once.
  func askServer() {
    guard handle != nil else { return }
    let isAllowed = Cancellation.running.withLock { count in
      if count >= Cancellation.limit { return false }
      count += 1
      return true
    }
    guard isAllowed else { return }
    open.enter()
    let thread = Thread { [self] in
      var message = [CChar](repeating: 0, count: 256)
      PQcancel(handle, &message, Int32(message.count))
      Cancellation.running.withLock { $0 -= 1 }
      open.leave()
    }
    thread.stackSize = 256 * 1024
    thread.start()
  }
}

/// A pipe that wakes a thread in `poll`.
final class WakePipe: Sendable {
  let reading: Int32
  private let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard cpostgres_make_pipe(&ends) == 0 else {
      throw PostgresError(.connection, "too many open files")
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  func signal() {
    var byte: UInt8 = 1
    // A full pipe wakes the thread as well.
    _ = write(writing, &byte, 1)
  }

  func clear() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(reading, &bytes, 16) > 0 {}
  }
}
