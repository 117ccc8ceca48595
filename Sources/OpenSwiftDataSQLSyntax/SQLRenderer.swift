/// The text of a statement and how many parameters it wants.
package struct RenderedSQL: Hashable, Sendable {
  package var sql: String
  package var parameterCount: Int

  package init(sql: String, parameterCount: Int) {
    self.sql = sql
    self.parameterCount = parameterCount
  }
}

/// Writes statements as text of one dialect.
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

  /// A name between double quotes; quotes inside it are doubled.
  package mutating func write(identifier: String) {
    text += "\""
    for character in identifier.unicodeScalars {
      if character == "\"" { text += "\"\"" } else { text.unicodeScalars.append(character) }
    }
    text += "\""
  }

  /// A name where it is defined. A file tells the text of definitions to every program that opens it, so
  /// names stand there as Apple's framework writes them: without quotes, where they need none.
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

  /// Writes the elements with a comma between them.
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
  /// The name between double quotes, for statements that are written as text.
  package var quotedName: String {
    var renderer = SQLRenderer(dialect: .sqlite)
    renderer.write(identifier: self)
    return renderer.text
  }

  /// Letters, digits and underscores behind a Z, with which no keyword begins, or the table of history
  /// rows.
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
  /// The statement's text in a dialect.
  package func rendered(in dialect: SQLDialect) -> RenderedSQL {
    var renderer = SQLRenderer(dialect: dialect)
    write(to: &renderer)
    return RenderedSQL(sql: renderer.text, parameterCount: renderer.parameterCount)
  }
}
