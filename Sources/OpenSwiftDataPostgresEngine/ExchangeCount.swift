import Synchronization

/// Counts the exchanges with servers that a task makes, over all connections. For tests that assert how
/// many round trips an operation of a store takes.
package final class ExchangeCount: Sendable {
  @TaskLocal package static var current: ExchangeCount?

  private let count = Atomic(0)

  package init() {}

  package var value: Int { count.load(ordering: .relaxed) }

  func add() { count.wrappingAdd(1, ordering: .relaxed) }

  /// Counts no exchange of `body`: those that are made because some time has passed, which would make
  /// the numbers depend on the speed of the machine.
  package static func pausing<R>(_ body: () throws -> R) rethrows -> R {
    try $current.withValue(nil, operation: body)
  }
}
