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
  ///
  /// Lists have thousands of keys, so their digits are written without a string for each key. Not
  /// generic, because a generic function of another module is not specialised.
  package func list(_ keys: [Int64]) -> String {
    let (start, end) =
      switch self {
      case .sqlite: (UInt8(ascii: "["), UInt8(ascii: "]"))
      case .postgreSQL: (UInt8(ascii: "{"), UInt8(ascii: "}"))
      }
    let largest = keys.reduce(0) { max($0, $1.magnitude) }
    let size = String(largest).utf8.count + 2  // with a sign and a comma
    return String(unsafeUninitializedCapacity: keys.count * size + 2) { buffer in
      var count = 0
      func put(_ byte: UInt8) {
        buffer.initializeElement(at: count, to: byte)
        count += 1
      }
      put(start)
      for (index, key) in keys.enumerated() {
        if index > 0 { put(UInt8(ascii: ",")) }
        if key < 0 { put(UInt8(ascii: "-")) }
        let first = count
        var rest = key.magnitude
        repeat {
          put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
          rest /= 10
        } while rest > 0
        buffer[first..<count].reverse()
      }
      put(end)
      return count
    }
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
