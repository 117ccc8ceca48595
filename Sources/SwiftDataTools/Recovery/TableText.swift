/// Reads the columns of a table from the text of its definition, also if SQLite can't parse it.
struct TableText {
  struct Column: Hashable {
    let name: String
    let hasDefault: Bool
  }

  /// The columns in their order; constraints of the table are included as columns. Empty if the text
  /// has no list.
  let columns: [Column]

  init(_ sql: String) {
    var parts: [String] = []
    var part = ""
    var depth = 0
    var quote: Character?
    for character in sql {
      if let end = quote {
        if character == end { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == "(" {
        depth += 1
        if depth == 1 { continue }
      } else if character == ")" {
        depth -= 1
      } else if character == ",", depth == 1 {
        parts.append(part)
        part = ""
        continue
      }
      if depth > 0 { part.append(character) }
    }
    columns = (parts + [part]).compactMap(Column.init)
  }
}

extension TableText.Column {
  fileprivate init?(_ definition: String) {
    let text = definition.drop { $0.isWhitespace }
    let isQuoted = text.first == "\""
    let name = isQuoted ? text.dropFirst().prefix { $0 != "\"" } : text.prefix { !$0.isWhitespace }
    guard !name.isEmpty else { return nil }
    self.init(
      name: String(name), hasDefault: definition.uppercased().contains(" DEFAULT "))
  }
}
