/// A value expression of SQL.
///
/// Captured values never become text. They are parameters, numbered from 0, and the statement is
/// bound to a list of values in that order. A parameter may occur several times.
package indirect enum SQLExpression: Hashable, Sendable {
  case column(table: String?, name: String)
  case parameter(Int)
  /// A condition with a constant result.
  case boolean(Bool)
  case integer(Int64)
  case text(String)
  case null
  case star
  case unary(SQLUnaryOperator, SQLExpression)
  case binary(SQLExpression, SQLBinaryOperator, SQLExpression)
  case conjunction([SQLExpression])
  case disjunction([SQLExpression])
  case function(String, [SQLExpression])
  case conditional([SQLBranch], otherwise: SQLExpression?)
  case inList(SQLExpression, [SQLExpression])
  case inSelect(SQLExpression, Select)
  case exists(Select)
  case subquery(Select)
  case collate(SQLExpression, String)
  case cast(SQLExpression, to: SQLType)
}

/// One `WHEN … THEN …` of a `CASE`.
package struct SQLBranch: Hashable, Sendable {
  package var condition: SQLExpression
  package var result: SQLExpression

  package init(when condition: SQLExpression, then result: SQLExpression) {
    self.condition = condition
    self.result = result
  }
}

package enum SQLUnaryOperator: Hashable, Sendable {
  case not, minus, isNull, isNotNull
}

package enum SQLBinaryOperator: String, Hashable, Sendable {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  /// Equality that treats two nulls as equal and never returns null.
  case isSame = "IS"
  case isNotSame = "IS NOT"
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
  case concatenate = "||"
  /// Of a point and a box, in PostgreSQL.
  case isInside = "<@"
}
