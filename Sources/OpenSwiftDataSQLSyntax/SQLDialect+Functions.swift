extension SQLExpression {
  /// The condition, 0 where it is null.
  package static func orFalse(_ condition: SQLExpression) -> SQLExpression {
    .function(SQLDialect.orElse, [condition, .false])
  }

  /// The condition, with a hint that few rows meet it.
  package static func unlikely(_ condition: SQLExpression) -> SQLExpression {
    .function(SQLDialect.unlikely, [condition])
  }

  /// Whether the value is a whole number, and no floating-point number that it was rounded to; only
  /// where the database marks an overflow so.
  package static func isWholeNumber(_ value: SQLExpression) -> SQLExpression {
    .binary(.function("typeof", [value]), .equal, .text("integer"))
  }

  /// The canonical composition of a text, where the database knows Unicode.
  package static func composed(_ text: SQLExpression) -> SQLExpression {
    .function(SQLDialect.composed, [text])
  }

  /// The canonical decomposition of a text, where the database knows Unicode.
  package static func decomposed(_ text: SQLExpression) -> SQLExpression {
    .function(SQLDialect.decomposed, [text])
  }

  /// The number of the row in the result, from 1.
  package static var rowNumber: SQLExpression { .function(SQLDialect.rowNumber, []) }

  /// The condition in `orFalse(_:)`; `nil` for any other expression.
  package var conditionOrFalse: SQLExpression? {
    guard case .function(SQLDialect.orElse, let arguments) = self, arguments.count == 2,
      arguments[1].isFalse
    else { return nil }
    return arguments[0]
  }
}

extension SQLDialect {
  fileprivate static let orElse = "ifnull"
  fileprivate static let unlikely = "unlikely"
  fileprivate static let composed = "nfc"
  fileprivate static let decomposed = "nfd"
  fileprivate static let rowNumber = "row_number() OVER "

  /// Writes the call of a function by the name that SQLite has for it.
  func write(_ function: String, _ arguments: [SQLExpression], to renderer: inout SQLRenderer) {
    switch (self, function) {
    case (.postgreSQL, Self.unlikely):
      renderer.write("(")
      renderer.writeList(arguments) { $1.write(to: &$0) }
    case (.postgreSQL, Self.orElse): writeCall("coalesce", arguments, to: &renderer)
    case (.postgreSQL, Self.composed), (.postgreSQL, Self.decomposed):
      writeCall("normalize", arguments, to: &renderer)
      renderer.write(function == Self.composed ? ", NFC" : ", NFD")
    default: writeCall(function, arguments, to: &renderer)
    }
    renderer.write(")")
  }

  private func writeCall(
    _ name: String, _ arguments: [SQLExpression], to renderer: inout SQLRenderer
  ) {
    renderer.write(name)
    renderer.write("(")
    renderer.writeList(arguments) { $1.write(to: &$0) }
  }
}
