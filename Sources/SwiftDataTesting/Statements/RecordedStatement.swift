import Foundation
import SwiftData

/// A statement that a recorder has seen.
public struct RecordedStatement: Sendable {
  /// The SQL text, with parameters in place of values.
  public let sql: String

  /// The only kind of the statement.
  public let kinds: StatementKinds

  /// The number of rows that the statement returned.
  public let rowCount: Int

  /// The time from the start of the statement to its end.
  public let duration: Duration

  init(_ statement: StatementLog.Statement) {
    sql = statement.sql
    kinds = StatementKinds(of: statement.sql)
    rowCount = statement.rowCount
    duration = statement.duration
  }
}

extension RecordedStatement: CustomStringConvertible {
  /// The SQL text, with the number of rows of a statement that reads.
  public var description: String {
    rowCount == 0 ? sql : "\(sql)  -- \(rowCount) \(rowCount == 1 ? "row" : "rows")"
  }
}

extension StatementKinds {
  /// The kind of a statement, from its verb and the table that it changes or reads first.
  init(of sql: String) {
    let verb = sql.prefix { $0.isLetter }.uppercased()
    switch verb {
    case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE": self = .transactions
    case "SELECT":
      self = StatementKinds.kind(of: StatementKinds.table(in: sql, after: " FROM "), .reads)
    case "INSERT", "REPLACE":
      self = StatementKinds.kind(of: StatementKinds.table(in: sql, after: " INTO "), .writes)
    case "UPDATE":
      self = StatementKinds.kind(of: StatementKinds.table(in: sql, after: "UPDATE "), .writes)
    case "DELETE":
      self = StatementKinds.kind(of: StatementKinds.table(in: sql, after: " FROM "), .writes)
    default: self = .bookkeeping
    }
  }

  private static func kind(of table: String, _ kind: StatementKinds) -> StatementKinds {
    switch table {
    case "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING": .history
    case "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "sqlite_schema", "": .bookkeeping
    default: kind
    }
  }

  private static func table(in sql: String, after word: String) -> String {
    guard let start = sql.range(of: word)?.upperBound else { return "" }
    let rest = sql[start...]
    if rest.first == "\"" {
      return String(rest.dropFirst().prefix { $0 != "\"" })
    }
    return String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }
}
