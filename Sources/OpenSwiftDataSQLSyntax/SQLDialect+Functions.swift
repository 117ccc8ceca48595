extension SQLExpression {
  /// The condition, with 0 in place of null.
  package static func orFalse(_ condition: SQLExpression) -> SQLExpression {
    .function(SQLDialect.orElse, [condition, .false])
  }

  /// The condition, with a hint that it is true for few rows.
  package static func unlikely(_ condition: SQLExpression) -> SQLExpression {
    .function(SQLDialect.unlikely, [condition])
  }

  /// Whether the value is an integer, and not a floating-point number that an overflow produced.
  /// Only for databases that mark an overflow in this way.
  package static func isWholeNumber(_ value: SQLExpression) -> SQLExpression {
    .binary(.function("typeof", [value]), .equal, .text("integer"))
  }

  /// The canonical composition of a text, in databases that support Unicode normalisation.
  package static func composed(_ text: SQLExpression) -> SQLExpression {
    .function(SQLDialect.composed, [text])
  }

  /// The canonical decomposition of a text, in databases that support Unicode normalisation.
  package static func decomposed(_ text: SQLExpression) -> SQLExpression {
    .function(SQLDialect.decomposed, [text])
  }

  /// The text inside `composed(_:)`; `nil` for any other expression.
  package var composedText: SQLExpression? {
    guard case .function(SQLDialect.composed, let arguments) = self else { return nil }
    return arguments.first
  }

  /// The number of the row in the result, from 1.
  package static var rowNumber: SQLExpression { .function(SQLDialect.rowNumber, []) }

  /// The condition inside `orFalse(_:)`; `nil` for any other expression.
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

  /// Writes a function call; `function` is the name that SQLite uses.
  func write(_ function: String, _ arguments: [SQLExpression], to renderer: inout SQLRenderer) {
    switch (self, function) {
    case (.postgreSQL, Self.unlikely):
      renderer.write("(")
      renderer.writeList(arguments) { $1.write(to: &$0) }
    // A comparison with a 32-bit number would refuse larger parameters.
    case (.postgreSQL, "length"):
      renderer.write("CAST(")
      writeCall(function, arguments, to: &renderer)
      renderer.write(") AS BIGINT")
    case (.postgreSQL, Self.orElse): writeCall("coalesce", arguments, to: &renderer)
    case (.postgreSQL, Self.composed), (.postgreSQL, Self.decomposed):
      return writeNormalized(
        arguments[0], function == Self.composed ? "NFC" : "NFD", to: &renderer)
    default: writeCall(function, arguments, to: &renderer)
    }
    renderer.write(")")
  }

  /// The server needs a microsecond to normalise a text. A text of a column is mostly ASCII, which both forms
  /// leave as it is, and which has as many bytes as characters. That is found in a twentieth of the time.
  private func writeNormalized(
    _ text: SQLExpression, _ form: String, to renderer: inout SQLRenderer
  ) {
    guard case .column = text else {
      writeCall("normalize", [text], to: &renderer)
      return renderer.write(", \(form))")
    }
    renderer.write("CASE WHEN octet_length(")
    text.write(to: &renderer)
    renderer.write(") = char_length(")
    text.write(to: &renderer)
    renderer.write(") THEN ")
    text.write(to: &renderer)
    renderer.write(" ELSE normalize(")
    text.write(to: &renderer)
    renderer.write(", \(form)) END")
  }

  private func writeCall(
    _ name: String, _ arguments: [SQLExpression], to renderer: inout SQLRenderer
  ) {
    renderer.write(name)
    renderer.write("(")
    renderer.writeList(arguments) { $1.write(to: &$0) }
  }
}
