import Foundation
import SwiftData

/// A statement that a recorder has seen.
public struct RecordedStatement: Sendable {
  /// The SQL text, with parameters in place of values.
  public let sql: String

  /// The kind of the statement, one of `StatementKinds`.
  public let kind: StatementKinds

  /// The number of rows that the statement returned.
  public let rowCount: Int

  /// The time from the start of the statement to its end.
  public let duration: Duration

  init(_ statement: StatementLog.Statement) {
    sql = statement.sql
    kind = StatementKinds(of: statement.sql)
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
