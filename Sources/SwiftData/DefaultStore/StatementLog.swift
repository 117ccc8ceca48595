import Foundation
import OpenSwiftDataSQLiteEngine

/// Where a store tells which statements it runs, to find out why a fetch is slow.
///
/// ```swift
/// var configuration = ModelConfiguration()
/// configuration.statementLog = StatementLog { event in print(event) }
/// ```
///
/// Not in Apple's framework. `OPENSWIFTDATA_SQL=1` in the environment prints the same for all stores,
/// `OPENSWIFTDATA_SQL=values` with the bound values.
public struct StatementLog: Sendable {
  /// What there is to tell.
  public enum Event: Sendable {
    /// A statement ran to its end.
    case statement(Statement)
    /// A fetch leaves work to memory.
    case inMemory(InMemoryWork)
  }

  /// A statement that ran to its end.
  public struct Statement: Sendable {
    /// The text; values are parameters in it.
    public let sql: String
    /// The text with the values in their places, when the log includes values.
    public let sqlWithValues: String?
    /// How long it ran, and how long its rows took to be read.
    public let duration: Duration
    /// How many rows it gave.
    public let rowCount: Int
  }

  /// The part of a fetch that SQL can't express.
  public struct InMemoryWork: Sendable {
    /// The entity that was fetched.
    public let entityName: String
    /// Why, for each part of the predicate and for the order.
    public let reasons: [String]
  }

  let includesValues: Bool
  let handle: @Sendable (Event) -> Void

  /// Makes a log.
  /// - Parameters:
  ///   - includesValues: Whether statements come with their values, which may be private.
  ///   - handle: Called on the thread that ran the statement, while the store is in use: it must be
  ///     quick and must not use the store.
  public init(includesValues: Bool = false, _ handle: @escaping @Sendable (Event) -> Void) {
    self.includesValues = includesValues
    self.handle = handle
  }
}

extension StatementLog.Event: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .statement(let statement):
      let time = String(format: "%.3f", statement.duration / .milliseconds(1))
      let sql = statement.sqlWithValues ?? statement.sql
      return "SQL \(time) ms, \(statement.rowCount) rows: \(sql)"
    case .inMemory(let work):
      return "SQL \(work.entityName), left to memory: \(work.reasons.joined(separator: "; "))"
    }
  }
}

extension StatementLog {
  /// The log of a configuration and of the environment; `nil` when nobody listens.
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
