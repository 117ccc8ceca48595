/// When `RemoteCommitHub` looks again at a store that it could not read, and what it reports: a state
/// machine without a clock.
///
/// | a look                                        | reported                         | the next one        |
/// |-----------------------------------------------|----------------------------------|---------------------|
/// | fails                                         | once: observers get the error    | after a pause       |
/// | fails because another thread writes for long  |                                  | after a pause       |
/// | fails because it was migrated or replaced     | once, also after another failure | after a commit      |
/// | fails because the container is closed         |                                  |                     |
/// | succeeds after a failure that was reported    | that observers can read again    | after a commit      |
///
/// Each pause is twice as long as the one before. Looks after commits do not wait for its end.
package struct FailedLooks: Sendable {
  /// The first pause and the longest one.
  @TaskLocal package static var defaultPauses = Duration.milliseconds(250)...Duration.seconds(5)

  private let pauses = FailedLooks.defaultPauses
  private var pause: Duration
  private var isPausing = false
  private var isReported = false
  private var isMigrationReported = false

  package init() { pause = pauses.lowerBound }

  /// - Returns: Whether to report it, and after which pause to look again, unless that is planned
  ///   already.
  package mutating func failed(
    because reason: SwiftDataError.Reason
  ) -> (reports: Bool, pause: Duration?) {
    let wasReported = isReported
    switch reason {
    case .closed: return (false, nil)
    case .schemaMismatch:
      defer { (isReported, isMigrationReported) = (true, true) }
      return (!isMigrationReported, nil)
    case .busy: break
    default: isReported = true
    }
    if isPausing { return (isReported != wasReported, nil) }
    isPausing = true
    defer { pause = min(pause * 2, pauses.upperBound) }
    return (isReported != wasReported, pause)
  }

  /// A pause has ended.
  package mutating func pauseEnded() { isPausing = false }

  /// - Returns: Whether a failure was reported before.
  package mutating func succeeded() -> Bool {
    defer { (isReported, isMigrationReported, pause) = (false, false, pauses.lowerBound) }
    return isReported
  }
}
