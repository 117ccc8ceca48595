/// A list of values that travels as one parameter: JSON in SQLite, an array in PostgreSQL. It is read as
/// a table with a column `value`.
package struct ListParameter: Hashable, Sendable {
  package var parameter: SQLExpression
  package var element: SQLType
  /// Whether the table has a column `place` too, for databases that do not keep the order of a list.
  package var hasPlaces: Bool

  package init(_ parameter: SQLExpression, of element: SQLType, hasPlaces: Bool = false) {
    self.parameter = parameter
    self.element = element
    self.hasPlaces = hasPlaces
  }

  /// The values, and their places.
  package static let value = "value"
  package static let place = "place"

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
      if hasPlaces { renderer.write(" WITH ORDINALITY") }
      renderer.write(" AS ")
      renderer.write(identifier: alias ?? "list")
      renderer.write(" ")
      renderer.writeColumns(hasPlaces ? [Self.value, Self.place] : [Self.value])
    }
  }
}

extension SQLDialect {
  /// The text of a list of keys that is bound to a `ListParameter`.
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
  /// Whether the value is in a list that is one parameter.
  package static func isMember(
    _ value: SQLExpression, of list: ListParameter
  ) -> SQLExpression {
    .inSelect(
      value,
      Select(
        [.column(table: nil, name: ListParameter.value)], from: TableReference(list: list)))
  }
}
