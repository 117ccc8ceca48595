import Synchronization

/// Whether reading fails for the first time since it last succeeded: who is told of each failure, and reads
/// again, would be told for ever.
final class FailureMemory: Sendable {
  private let hasFailed = Mutex(false)

  func forget() { hasFailed.withLock { $0 = false } }

  func isFirst() -> Bool {
    hasFailed.withLock { hasFailed in
      defer { hasFailed = true }
      return !hasFailed
    }
  }
}
