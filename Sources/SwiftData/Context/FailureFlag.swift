import Synchronization

/// Whether a read fails for the first time since one succeeded. A listener that reads again after
/// each notification of a failure would otherwise be notified forever.
final class FailureFlag: Sendable {
  private let hasFailed = Mutex(false)

  /// A read has succeeded.
  /// - Returns: Whether the one before had failed.
  @discardableResult
  func forget() -> Bool {
    hasFailed.withLock { hasFailed in
      defer { hasFailed = false }
      return hasFailed
    }
  }

  func isFirst() -> Bool {
    hasFailed.withLock { hasFailed in
      defer { hasFailed = true }
      return !hasFailed
    }
  }
}
