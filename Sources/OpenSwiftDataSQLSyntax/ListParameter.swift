/// A list of values that is bound as one parameter: JSON in SQLite, an array in PostgreSQL. It is
/// read as a table with a column `value`.
package struct ListParameter: Hashable, Sendable {
  package var parameter: SQLExpression
  package var element: SQLType
  /// Whether the table also has a column `position` with the position, for databases that do not keep
  /// the order of a list.
  package var hasPositions: Bool

  package init(_ parameter: SQLExpression, of element: SQLType, hasPositions: Bool = false) {
    self.parameter = parameter
    self.element = element
    self.hasPositions = hasPositions
  }

  /// The columns for the values and their positions.
  package static let value = "value"
  package static let position = "position"

  func write(as alias: String?, to renderer: inout SQLRenderer) {
    switch renderer.dialect {
    case .sqlite:
      renderer.write("json_each(")
      parameter.write(to: &renderer)
      renderer.write(")")
      if let alias {
        renderer.write(" AS ")
        renderer.write(identifier: alias)
      }
    case .postgreSQL:
      renderer.write("unnest(")
      parameter.write(to: &renderer)
      renderer.write("::\(element.name(in: renderer.dialect))[])")
      if hasPositions { renderer.write(" WITH ORDINALITY") }
      renderer.write(" AS ")
      renderer.write(identifier: alias ?? "list")
      renderer.write(" ")
      renderer.writeColumns(hasPositions ? [Self.value, Self.position] : [Self.value])
    }
  }
}

extension SQLDialect {
  /// The text of a list of keys, to bind to a `ListParameter`.
  package func list(_ keys: some Sequence<Int64>) -> String {
    var (text, end): (String, String) =
      switch self {
      case .sqlite: ("[", "]")
      case .postgreSQL: ("{", "}")
      }
    for key in keys {
      if text.utf8.count > 1 { text.append(",") }
      text.append(String(key))
    }
    text += end
    return text
  }
}

extension SQLExpression {
  /// Whether the value is in a list that is bound as one parameter.
  package static func isMember(
    _ value: SQLExpression, of list: ListParameter
  ) -> SQLExpression {
    .inSelect(
      value,
      Select(
        [.column(table: nil, name: ListParameter.value)], from: TableReference(list: list)))
  }
}
