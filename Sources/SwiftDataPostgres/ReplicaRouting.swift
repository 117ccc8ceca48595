/// Which server answers a read: a state machine without servers and clocks.
///
/// Servers are compared by the number of the last history transaction, which increases in the order of
/// commits. A standby may answer if it has replayed at least `floor`: all that this container has
/// saved, noticed or read. So reads of the container never go back in time.
///
/// - One standby is used at a time. Another one may be behind it, so after a change of the server, and
///   after a read from the primary, the primary is asked for its last number, which becomes the floor.
/// - A standby that fails, or does not reach the floor in time, is replaced by the next one. After all
///   of them, the primary answers, and the standbys are tried again after a pause that doubles.
package struct ReplicaRouting: Equatable, Sendable {
  package static let pauses = Duration.milliseconds(100)...Duration.seconds(5)
  /// The pause after a read that waited for a lock in vain. A check does not notice that lock.
  package static let lockPause = Duration.seconds(30)

  package enum Route: Equatable, Sendable {
    case standby(Int)
    /// The standby must be asked first, and the primary before it if `asksPrimary`.
    case check(Check)
    case primary
  }

  package struct Check: Equatable, Sendable {
    package let standby: Int
    package let asksPrimary: Bool
    fileprivate let primaryReads: Int
    /// The floor when the check began.
    package let floor: Int64
  }

  private let count: Int
  private var current: Int
  package private(set) var floor: Int64 = 0
  /// The last number that the current standby is known to have; `nil` if it was not asked.
  private var replayed: Int64?
  /// Counts what the primary has answered; the standby is not behind the first `includedReads`.
  private var primaryReads = 1
  private var includedReads = 0
  private var failures = 0
  private var pause = ReplicaRouting.pauses.lowerBound
  private var retry: Duration = .zero

  /// - Parameters:
  ///   - count: The number of standbys.
  ///   - first: The standby to use first.
  package init(count: Int, first: Int = 0) {
    self.count = count
    current = count == 0 ? 0 : first % count
  }

  /// Whether a failure was reported since the last success.
  package var isDegraded: Bool { failures > 0 }

  package mutating func route(now: Duration) -> Route {
    if count > 0 {
      if let replayed, replayed >= floor, includedReads == primaryReads { return .standby(current) }
      if now >= retry {
        return .check(
          Check(
            standby: current, asksPrimary: includedReads != primaryReads,
            primaryReads: primaryReads, floor: floor))
      }
    }
    primaryReads += 1
    return .primary
  }

  /// Later reads must include the transaction.
  package mutating func include(_ number: Int64) { floor = max(floor, number) }

  /// Later reads must include what the primary has now.
  package mutating func includePrimary() { primaryReads += 1 }

  /// The primary has answered a check.
  /// - Returns: The number that the standby must reach.
  package mutating func primaryAnswered(_ number: Int64, _ check: Check) -> Int64 {
    // A lower number than before is that of a primary that lost transactions; none will bring them.
    floor = floor == check.floor ? number : max(floor, number)
    return floor
  }

  /// The standby of a check has the number.
  package mutating func standbyAnswered(_ number: Int64, _ check: Check) {
    guard check.standby == current else { return }
    replayed = number
    includedReads = check.primaryReads
    failures = 0
    pause = ReplicaRouting.pauses.lowerBound
  }

  /// The standby can't be used now.
  /// - Parameter isLocked: Whether a read has waited for a lock there.
  /// - Returns: Whether this is the first failure after a success.
  package mutating func standbyFailed(
    _ standby: Int, now: Duration, isLocked: Bool = false
  ) -> Bool {
    guard standby == current else { return false }
    failures += 1
    current = (current + 1) % count
    replayed = nil
    // What the old one has answered may be missing in the next one.
    primaryReads += 1
    if failures % count == 0 {
      retry = now + (isLocked ? ReplicaRouting.lockPause : pause)
      pause = min(pause * 2, ReplicaRouting.pauses.upperBound)
    }
    return failures == 1
  }
}
