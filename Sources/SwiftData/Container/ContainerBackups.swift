import Dispatch
import Synchronization

/// The running backups of a container, which its end cancels and waits for.
final class ContainerBackups: Sendable {
  private let isEnded = Mutex(false)
  private let running = DispatchGroup()

  /// Whether running backups must stop.
  var isCancelled: Bool { isEnded.withLock(\.self) }

  /// Runs a backup, unless the container has been closed.
  /// - Returns: The result of `body`; `nil` after the end.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result? {
    let begins = isEnded.withLock { isEnded in
      if !isEnded { running.enter() }
      return !isEnded
    }
    guard begins else { return nil }
    defer { running.leave() }
    return try body()
  }

  /// Refuses further backups, and lets the running ones stop.
  func cancel() { isEnded.withLock { $0 = true } }

  /// Waits until the cancelled backups have stopped. Called on a thread that may block.
  func wait() { running.wait() }
}
