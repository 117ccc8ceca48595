import Foundation
import OpenSwiftDataSQLiteEngine

/// Receives the SQL statements of a store, for example to find out why a fetch is slow.
///
/// ```swift
/// var configuration = ModelConfiguration()
/// configuration.statementLog = StatementLog { event in print(event) }
/// ```
///
/// Not in Apple's framework. With `OPENSWIFTDATA_SQL=1` in the environment, all stores print the
/// same events to standard error; with `OPENSWIFTDATA_SQL=values` including bound values.
public struct StatementLog: Sendable {
  /// An event in the log.
  public enum Event: Sendable {
    /// A statement has finished.
    case statement(Statement)
    /// A part of a fetch is evaluated in memory.
    case inMemory(InMemoryWork)
  }

  /// A statement that has finished.
  public struct Statement: Sendable {
    /// The SQL text, with parameters in place of values.
    public let sql: String
    /// The SQL text with its values, if the log includes values.
    public let sqlWithValues: String?
    /// The time from the start of the statement to its end, including the reading of its rows.
    public let duration: Duration
    /// The number of rows that the statement returned.
    public let rowCount: Int
  }

  /// The part of a fetch that SQL can't evaluate.
  public struct InMemoryWork: Sendable {
    /// The entity that was fetched.
    public let entityName: String
    /// The reasons: one for each part of the predicate, and one for the order.
    public let reasons: [String]
  }

  package let includesValues: Bool
  package let handle: @Sendable (Event) -> Void

  /// Creates a log.
  /// - Parameters:
  ///   - includesValues: Whether statements include their values, which may be private.
  ///   - handle: Called on the thread that ran the statement, while the store is in use. It must be
  ///     quick and must not use the store.
  public init(includesValues: Bool = false, _ handle: @escaping @Sendable (Event) -> Void) {
    self.includesValues = includesValues
    self.handle = handle
  }
}

extension StatementLog.Event: CustomStringConvertible {
  /// The event as one line of text.
  public var description: String {
    switch self {
    case .statement(let statement):
      let time = String(format: "%.3f", statement.duration / .milliseconds(1))
      let sql = statement.sqlWithValues ?? statement.sql
      return "SQL \(time) ms, \(statement.rowCount) rows: \(sql)"
    case .inMemory(let work):
      return "SQL \(work.entityName), evaluated in memory: \(work.reasons.joined(separator: "; "))"
    }
  }
}

extension StatementLog {
  /// The log of the configuration, combined with that of the environment; `nil` if there is
  /// neither.
  static func wanted(by configuration: ModelConfiguration) -> StatementLog? {
    guard let own = configuration.statementLog else { return environment }
    guard let environment else { return own }
    return StatementLog(includesValues: own.includesValues || environment.includesValues) { event in
      environment.handle(environment.includesValues ? event : event.withoutValues)
      own.handle(own.includesValues ? event : event.withoutValues)
    }
  }

  private static let environment: StatementLog? = {
    let wanted = ProcessInfo.processInfo.environment["OPENSWIFTDATA_SQL"]
    guard wanted == "1" || wanted == "values" else { return nil }
    return StatementLog(includesValues: wanted == "values") { event in
      FileHandle.standardError.write(Data("\(event)\n".utf8))
    }
  }()

  func attach(to connection: Connection) {
    connection.trace(includesValues: includesValues) { [handle] trace in
      handle(
        .statement(
          Statement(
            sql: trace.sql, sqlWithValues: trace.expandedSQL, duration: trace.duration,
            rowCount: trace.rowCount)))
    }
  }

  @Sendable func note(entity: String, reasons: [String]) {
    handle(.inMemory(InMemoryWork(entityName: entity, reasons: reasons)))
  }
}

extension StatementLog.Event {
  fileprivate var withoutValues: Self {
    guard case .statement(let statement) = self else { return self }
    return .statement(
      StatementLog.Statement(
        sql: statement.sql, sqlWithValues: nil, duration: statement.duration,
        rowCount: statement.rowCount))
  }
}
