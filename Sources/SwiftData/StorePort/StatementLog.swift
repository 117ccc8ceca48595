import Foundation

/// A configuration whose store reports its statements. Not in Apple's framework.
public protocol StatementLogging: DataStoreConfiguration {
  /// Receives each statement that the store runs.
  var statementLog: StatementLog? { get set }
}

/// Receives the SQL statements of a store, for example to find out why a fetch is slow.
///
/// ```swift
/// var configuration = ModelConfiguration()
/// configuration.statementLog = StatementLog { event in print(event) }
/// ```
///
/// A ``StatementLogging`` configuration has one: ``ModelConfiguration``, and that of PostgreSQL stores.
///
/// Not in Apple's framework. With `OPENSWIFTDATA_SQL=1` in the environment, all stores print the
/// same events to standard error; with `OPENSWIFTDATA_SQL=values` including bound values.
public struct StatementLog: Sendable {
  package let includesValues: Bool
  package let handle: @Sendable (Event) -> Void
  /// What records the events for tests, so that an expectation finds it.
  package var recorder: (any AnyObject & Sendable)?
  /// What made the log, so that a store is found by its log.
  package var origin: (any AnyObject & Sendable)?
  /// Receives each read for a single model, after its statement.
  package var noteFault: (@Sendable (FaultRead) -> Void)?

  /// Creates a log.
  /// - Parameters:
  ///   - includesValues: Whether statements include their values, which may be private.
  ///   - handle: Called on the thread that ran the statement, while the store is in use. It must be
  ///     quick and must not use the store.
  public init(includesValues: Bool = false, _ handle: @escaping @Sendable (Event) -> Void) {
    self.includesValues = includesValues
    self.handle = handle
  }

  /// Creates a log whose events another one receives too.
  package init(
    passingTo other: StatementLog?, _ handle: @escaping @Sendable (Event) -> Void
  ) {
    self.init(includesValues: other?.includesValues ?? false) { event in
      handle(event)
      other?.handle(event)
    }
    noteFault = other?.noteFault
    origin = other?.origin
  }
}

extension StatementLog {
  /// The log of a configuration, combined with that of the environment; `nil` if there is neither.
  package static func wanted(by configuration: some StatementLogging) -> StatementLog? {
    guard let own = configuration.statementLog else { return environment }
    guard let environment else { return own }
    let includesValues = own.includesValues || environment.includesValues
    var log = StatementLog(includesValues: includesValues) { event in
      environment.handle(environment.includesValues ? event : event.withoutValues)
      own.handle(own.includesValues ? event : event.withoutValues)
    }
    log.noteFault = own.noteFault
    return log
  }

  private static let environment: StatementLog? = {
    let wanted = ProcessInfo.processInfo.environment["OPENSWIFTDATA_SQL"]
    guard wanted == "1" || wanted == "values" else { return nil }
    return StatementLog(includesValues: wanted == "values") { event in
      StandardError.write("\(event)\n")
    }
  }()

  @Sendable func note(entity: String, reasons: [String]) {
    handle(.inMemory(InMemoryWork(entityName: entity, reasons: reasons)))
  }
}
