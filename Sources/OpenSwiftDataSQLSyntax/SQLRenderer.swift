/// The text of a statement and the number of its parameters.
package struct RenderedSQL: Hashable, Sendable {
  package var sql: String
  package var parameterCount: Int

  package init(sql: String, parameterCount: Int) {
    self.sql = sql
    self.parameterCount = parameterCount
  }
}

/// Renders statements as text of one dialect.
package struct SQLRenderer {
  package let dialect: SQLDialect
  package private(set) var text = ""
  package private(set) var parameterCount = 0

  package init(dialect: SQLDialect) {
    self.dialect = dialect
  }

  package mutating func write(_ piece: String) {
    text += piece
  }

  /// Writes a name in double quotes; quotes inside it are doubled.
  package mutating func write(identifier: String) {
    text += "\""
    for character in identifier.unicodeScalars {
      if character == "\"" { text += "\"\"" } else { text.unicodeScalars.append(character) }
    }
    text += "\""
  }

  /// Writes a name in its definition. Every program that opens the file reads the text of
  /// definitions, so names are written as Apple's framework writes them: without quotes if they
  /// need none.
  package mutating func write(defining name: String) {
    if dialect.definesBareNames && name.isBareName { text += name } else { write(identifier: name) }
  }

  package mutating func write(literal: String) {
    text += "'"
    for character in literal.unicodeScalars {
      if character == "'" { text += "''" } else { text.unicodeScalars.append(character) }
    }
    text += "'"
  }

  package mutating func write(parameter index: Int) {
    parameterCount = max(parameterCount, index + 1)
    text += dialect.placeholder
    text += String(index + 1)
  }

  /// Writes the elements, separated by commas.
  package mutating func writeList<Elements: Sequence>(
    _ elements: Elements, _ body: (inout SQLRenderer, Elements.Element) -> Void
  ) {
    var isFirst = true
    for element in elements {
      if !isFirst { text += ", " }
      isFirst = false
      body(&self, element)
    }
  }

  package mutating func writeColumns(_ names: [String]) {
    text += "("
    writeList(names) { $0.write(identifier: $1) }
    text += ")"
  }
}

extension String {
  /// The name in double quotes, for statements that are written as text.
  package var quotedName: String {
    var renderer = SQLRenderer(dialect: .sqlite)
    renderer.write(identifier: self)
    return renderer.text
  }

  /// The text in single quotes, for statements that are written as text.
  package var quotedText: String {
    var renderer = SQLRenderer(dialect: .sqlite)
    renderer.write(literal: self)
    return renderer.text
  }

  /// A Z, with which no keyword begins, followed by letters, digits and underscores; or the table
  /// of history rows.
  fileprivate var isBareName: Bool {
    guard hasPrefix("Z") || hasPrefix("ACHANGE") || hasPrefix("ATRANSACTION") else { return false }
    return unicodeScalars.allSatisfy {
      switch $0 {
      case "a"..."z", "A"..."Z", "0"..."9", "_": true
      default: !$0.isASCII
      }
    }
  }
}

extension SQLStatement {
  /// Renders the statement in a dialect.
  package func rendered(in dialect: SQLDialect) -> RenderedSQL {
    var renderer = SQLRenderer(dialect: dialect)
    write(to: &renderer)
    return RenderedSQL(sql: renderer.text, parameterCount: renderer.parameterCount)
  }
}
