import Synchronization

/// Whether a read fails for the first time since one succeeded. A listener that reads again after
/// each notification of a failure would otherwise be notified forever.
final class FailureFlag: Sendable {
  private let hasFailed = Mutex(false)

  /// A read has succeeded.
  func forget() { hasFailed.withLock { $0 = false } }

  func isFirst() -> Bool {
    hasFailed.withLock { hasFailed in
      defer { hasFailed = true }
      return !hasFailed
    }
  }
}
