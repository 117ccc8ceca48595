public import SwiftData

/// A container that an expectation examines: a `TemporaryContainer`, or an app's own container.
///
/// Expectations about statements, and injected failures, need a container whose stores are recorded:
/// a `TemporaryContainer`, or one with a configuration from ``StatementRecorder/recording(_:)``.
public protocol TestedContainer {
  /// The container with the stores.
  var testedContainer: ModelContainer { get }
}

extension ModelContainer: TestedContainer {
  /// This container.
  public var testedContainer: ModelContainer { self }
}

extension TestedContainer {
  /// The recorders of the container's stores.
  /// - Throws: `ExpectationFailure` if no store is recorded.
  func recorders(expecting expected: String, at place: CallSite) throws -> [StatementRecorder] {
    var found: [StatementRecorder] = []
    for store in testedContainer.stores {
      guard let configuration = store.configuration as? any StatementLogging,
        let recorder = configuration.statementLog?.recorder as? StatementRecorder,
        !found.contains(where: { $0 === recorder })
      else { continue }
      found.append(recorder)
    }
    guard found.isEmpty else { return found }
    throw ExpectationFailure(
      expected: expected,
      outcome: "the container is not recorded. Create it with TemporaryContainer, or with a "
        + "configuration from StatementRecorder.recording(_:)", at: place)
  }
}
