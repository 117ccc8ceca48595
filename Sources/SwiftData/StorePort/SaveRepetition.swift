import Foundation

/// Whether a writing transaction runs beside others.
package enum WriteAccess: Sendable {
  /// Like `shared`, and the database checks with the commit what the work expects: the unique values of new
  /// rows are free, and the rows that it changes or refers to exist. The commit fails otherwise, and the
  /// work must be repeated with shared access, which finds out the reason.
  case optimistic
  /// Others may write at the same time. The database fails one of two transactions that disturb each
  /// other, and the work is repeated. A database with one writer ignores this.
  case shared
  /// No other transaction writes until its end.
  case exclusive
}

/// Why a transaction failed, although its work is right.
package enum WriteObstacle: Sendable {
  /// Both transactions read or wrote the same rows.
  case concurrentChange
  /// A unique value exists that the transaction could not see. A repetition sees it, and merges or
  /// reports it.
  case unseenValue
  /// A row does not exist any more that the transaction was expected to find at its commit.
  case missingRow
  /// Another program used a key that was reserved for a new row.
  case takenKey
  /// The connection was lost, and nothing was committed.
  case lostConnection
}

/// A database error after which the same work may succeed in a new transaction.
package protocol ConflictingWrite: Error {
  var obstacle: WriteObstacle? { get }
}

/// Decides whether a save that was disturbed by other writers, or lost its connection, is performed
/// again. Used by `SaveSession` and by `RelationalStore.save`.
///
/// 1. The save is tried beside other writers, some times, with short random pauses. What an optimistic
///    attempt has expected in vain is looked up by the next one, at once.
/// 2. Then it gets the database for itself, so that it cannot be disturbed for ever.
/// 3. What fails even then is reported. So is the loss of a connection after two others: the work itself
///    may be the cause.
package struct SaveRepetition {
  /// How the next attempt writes.
  package private(set) var access: WriteAccess
  /// The number of attempts that failed.
  package private(set) var failures = 0
  private var lostConnections = 0
  /// The failures because of other writers.
  private var disturbances = 0
  private var exclusiveFailures = 0
  private var unseenValues = 0
  /// Whether the next attempt waits for other writers.
  private var waits = true

  /// The number of attempts beside other writers.
  private static let sharedAttempts = 6
  /// The number of attempts without other writers. Only other programs can disturb these.
  private static let exclusiveAttempts = 4
  static let repeatedLosses = 2

  package init(_ access: WriteAccess = .optimistic) { self.access = access }

  /// Whether the error says that an optimistic attempt has expected something in vain.
  package func isVainExpectation(_ error: any Error) -> Bool {
    guard access == .optimistic, let obstacle = SaveRepetition.obstacle(of: error) else {
      return false
    }
    return obstacle == .unseenValue || obstacle == .missingRow
  }

  /// - Returns: Whether the work should be done again, with `access`.
  package mutating func repeats(after error: any Error) -> Bool {
    guard let obstacle = SaveRepetition.obstacle(of: error) else { return false }
    failures += 1
    if obstacle == .lostConnection {
      lostConnections += 1
      return lostConnections <= SaveRepetition.repeatedLosses
    }
    waits = !isVainExpectation(error)
    if !waits {
      access = .shared
      return true
    }
    disturbances += 1
    if access == .exclusive {
      exclusiveFailures += 1
      // Nobody else writes, so the value is in the way of a repetition too.
      if obstacle == .unseenValue || exclusiveFailures >= SaveRepetition.exclusiveAttempts {
        return false
      }
    }
    if obstacle == .unseenValue { unseenValues += 1 }
    if disturbances >= SaveRepetition.sharedAttempts || unseenValues > 1 { access = .exclusive }
    return true
  }

  /// Waits a random time, longer after each failure, so that two saves do not meet again.
  /// - Parameter log: The log of the store whose work is repeated.
  package func pause(_ log: StatementLog?) {
    let pause = waits ? Double.random(in: 0...0.001 * Double(1 << min(failures, 6))) : 0
    log?.handle(
      .repetition(
        StatementLog.Repetition(
          failureCount: failures, pause: .seconds(pause), isExclusive: access == .exclusive)))
    Thread.sleep(forTimeInterval: pause)
  }

  /// Why the work of a transaction failed, if the same work may succeed in a new one.
  static func obstacle(of error: any Error) -> WriteObstacle? {
    if let error = error as? any ConflictingWrite { return error.obstacle }
    return (error as? SwiftDataError)?.underlyingError.flatMap { obstacle(of: $0) }
  }
}
