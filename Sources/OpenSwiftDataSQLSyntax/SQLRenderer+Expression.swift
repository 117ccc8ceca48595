extension SQLExpression {
  /// The precedence of the outermost operator; operands with a lower one are put in parentheses.
  private var precedence: Int {
    switch self {
    case .disjunction: 1
    case .conjunction: 2
    case .unary(.not, _): 3
    case .unary(.isNull, _), .unary(.isNotNull, _), .inList, .inSelect: 4
    case .binary(_, let op, _): op.precedence
    case .unary(.minus, _): 9
    case .collate: 10
    default: 11
    }
  }

  package func write(to renderer: inout SQLRenderer) {
    switch self {
    case .column(let table, let name):
      if let table {
        renderer.write(identifier: table)
        renderer.write(".")
      }
      renderer.write(identifier: name)
    case .parameter(let index): renderer.write(parameter: index)
    case .boolean(let value): renderer.write(renderer.dialect.text(of: value))
    case .integer(let value): renderer.write(String(value))
    case .text(let value): renderer.write(literal: value)
    case .null: renderer.write("NULL")
    case .star: renderer.write("*")
    case .unary(let op, let operand): write(op, operand, to: &renderer)
    case .binary(let left, let op, let right):
      left.write(operandOf: op.precedence, allowEqual: op.isLeftAssociative, to: &renderer)
      renderer.write(" ")
      renderer.write(op.text(in: renderer.dialect))
      renderer.write(" ")
      right.write(operandOf: op.precedence, allowEqual: false, to: &renderer)
    case .conjunction(let parts): write(parts, " AND ", empty: true, to: &renderer)
    case .disjunction(let parts): write(parts, " OR ", empty: false, to: &renderer)
    case .function(let name, let arguments):
      renderer.dialect.write(name, arguments, to: &renderer)
    case .conditional(let branches, let otherwise):
      renderer.write("CASE")
      for branch in branches {
        renderer.write(" WHEN ")
        branch.condition.write(to: &renderer)
        renderer.write(" THEN ")
        branch.result.write(to: &renderer)
      }
      if let otherwise {
        renderer.write(" ELSE ")
        otherwise.write(to: &renderer)
      }
      renderer.write(" END")
    case .inList(let value, let list):
      value.write(operandOf: 4, allowEqual: false, to: &renderer)
      renderer.write(" IN (")
      renderer.writeList(list) { $1.write(to: &$0) }
      renderer.write(")")
    case .inSelect(let value, let select):
      value.write(operandOf: 4, allowEqual: false, to: &renderer)
      renderer.write(" IN (")
      select.write(to: &renderer)
      renderer.write(")")
    case .exists(let select):
      renderer.write("EXISTS (")
      select.write(to: &renderer)
      renderer.write(")")
    case .subquery(let select):
      renderer.write("(")
      select.write(to: &renderer)
      renderer.write(")")
    case .collate(let value, let collation):
      value.write(operandOf: 10, allowEqual: true, to: &renderer)
      renderer.write(" COLLATE ")
      renderer.write(identifier: collation)
    case .cast(let value, let type):
      renderer.write("CAST(")
      value.write(to: &renderer)
      renderer.write(" AS \(type.name(in: renderer.dialect)))")
    }
  }

  private func write(
    _ op: SQLUnaryOperator, _ operand: SQLExpression, to renderer: inout SQLRenderer
  ) {
    switch op {
    case .not:
      renderer.write("NOT ")
      operand.write(operandOf: 3, allowEqual: false, to: &renderer)
    case .minus:
      renderer.write("-")
      // Two minus signs in a row would begin a comment.
      operand.write(operandOf: 9, allowEqual: false, to: &renderer)
    case .isNull, .isNotNull:
      operand.write(operandOf: 4, allowEqual: false, to: &renderer)
      renderer.write(op == .isNull ? " IS NULL" : " IS NOT NULL")
    }
  }

  private func write(
    _ parts: [SQLExpression], _ separator: String, empty: Bool, to renderer: inout SQLRenderer
  ) {
    if parts.isEmpty { renderer.write(renderer.dialect.text(of: empty)) }
    write(parts[...], separator, to: &renderer)
  }

  /// The maximum number of parts that are written without parentheses.
  private static var longestRun: Int { 32 }

  /// Writes parts between separators, and long lists as lists of lists. SQLite parses `a AND b AND
  /// c` as `(a AND b) AND c` and rejects expressions nested more than 1000 levels deep.
  private func write(
    _ parts: ArraySlice<SQLExpression>, _ separator: String, to renderer: inout SQLRenderer
  ) {
    guard parts.count > Self.longestRun else {
      for (index, part) in parts.enumerated() {
        if index > 0 { renderer.write(separator) }
        part.write(operandOf: precedence, allowEqual: false, to: &renderer)
      }
      return
    }
    var length = Self.longestRun
    while length * Self.longestRun < parts.count { length *= Self.longestRun }
    for start in stride(from: parts.startIndex, to: parts.endIndex, by: length) {
      if start > parts.startIndex { renderer.write(separator) }
      renderer.write("(")
      write(parts[start..<min(start + length, parts.endIndex)], separator, to: &renderer)
      renderer.write(")")
    }
  }

  private func write(
    operandOf parent: Int, allowEqual: Bool, to renderer: inout SQLRenderer
  ) {
    let isNegativeLiteral = if case .integer(let value) = self { value < 0 } else { false }
    let isBare = !isNegativeLiteral && (precedence > parent || (allowEqual && precedence == parent))
    if !isBare { renderer.write("(") }
    write(to: &renderer)
    if !isBare { renderer.write(")") }
  }
}

extension SQLBinaryOperator {
  fileprivate var precedence: Int {
    switch self {
    // All comparisons have one level, because databases differ in their precedence.
    case .equal, .notEqual, .isSame, .isNotSame, .less, .lessOrEqual, .greater, .greaterOrEqual,
      .isInside:
      4
    case .add, .subtract: 6
    case .multiply, .divide, .remainder: 7
    case .concatenate: 8
    }
  }

  fileprivate var isLeftAssociative: Bool {
    precedence >= 6
  }

  fileprivate func text(in dialect: SQLDialect) -> String {
    switch self {
    case .isSame: dialect.isSame
    case .isNotSame: dialect.isNotSame
    default: rawValue
    }
  }
}
