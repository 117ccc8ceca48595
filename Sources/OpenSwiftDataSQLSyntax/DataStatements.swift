/// A value that renders to one SQL statement.
package protocol SQLStatement: Hashable, Sendable {
  func write(to renderer: inout SQLRenderer)
}

package struct Insert: SQLStatement {
  /// What an insert does when a unique index already contains the row's key.
  package enum Conflict: Hashable, Sendable {
    case fail
    /// Fails, and keeps the rows before the rejected one. Only for dialects with `stopping`.
    case stop
    /// Skips the row.
    case ignore
  }

  package var table: String
  package var columns: [String]
  package var rows: [[SQLExpression]]
  package var conflict: Conflict

  package init(
    into table: String, columns: [String], rows: [[SQLExpression]], onConflict: Conflict = .fail
  ) {
    self.table = table
    self.columns = columns
    self.rows = rows
    self.conflict = onConflict
  }

  /// One row whose values are the parameters 0, 1, 2 … in the order of `columns`.
  package init(into table: String, columns: [String], onConflict: Conflict = .fail) {
    self.init(
      into: table, columns: columns, rows: [columns.indices.map { .parameter($0) }],
      onConflict: onConflict)
  }
}

/// Inserts the rows of a query.
package struct InsertSelection: SQLStatement {
  package var table: String
  package var columns: [String]
  package var select: Select

  package init(into table: String, columns: [String], _ select: Select) {
    self.table = table
    self.columns = columns
    self.select = select
  }
}

package struct Update: SQLStatement {
  package var table: String
  package var assignments: [Assignment]
  package var condition: SQLExpression?
  /// The columns of the updated rows that the statement returns.
  package var returning: [String]

  package init(
    _ table: String, set assignments: [Assignment], where condition: SQLExpression?,
    returning: [String] = []
  ) {
    self.table = table
    self.assignments = assignments
    self.condition = condition
    self.returning = returning
  }
}

package struct Assignment: Hashable, Sendable {
  package var column: String
  package var value: SQLExpression

  package init(_ column: String, _ value: SQLExpression) {
    self.column = column
    self.value = value
  }
}

package struct Delete: SQLStatement {
  package var table: String
  package var alias: String?
  package var condition: SQLExpression?
  /// The columns of the deleted rows that the statement returns.
  package var returning: [String]

  package init(
    from table: String, as alias: String? = nil, where condition: SQLExpression?,
    returning: [String] = []
  ) {
    self.table = table
    self.alias = alias
    self.condition = condition
    self.returning = returning
  }
}
