import OpenSwiftDataPostgresEngine

/// Finds the table and the column that a parameter of a statement belongs to, for errors about values. The
/// statement is one that the relational engine has rendered: names are quoted.
struct ParameterColumn {
  let table: String?
  let column: String

  /// The table into which a statement writes.
  static func writtenTable(of sql: String) -> String? {
    sql.firstMatch(of: #/(?:INTO|UPDATE|COPY) "((?:[^"]|"")*)"/#).map { unquoted($0.1) }
  }

  private static func unquoted(_ text: Substring) -> String {
    String(text.replacing("\"\"", with: "\""))
  }

  /// `nil` if the parameter is not compared with, assigned to or inserted into a column.
  init?(of number: Int, in sql: String) {
    let name = #/"((?:[^"]|"")*)"/#
    table = sql.firstMatch(of: #/(?:INTO|UPDATE|FROM|COPY) "((?:[^"]|"")*)"/#)
      .map { Self.unquoted($0.1) }
    if let insert = sql.firstMatch(
      of: #/^INSERT INTO "(?:[^"]|"")*" \(([^)]*)\) VALUES \(([^)]*)\)/#)
    {
      let names = insert.1.matches(of: name).map { Self.unquoted($0.1) }
      let values = insert.2.split(separator: ",").map { $0.drop { $0 == " " } }
      if names.count == values.count, let index = values.firstIndex(of: "$\(number)") {
        column = names[index]
        return
      }
    }
    for match in sql.matches(
      of: #/"((?:[^"]|"")*)" (?:=|<>|<|>|<=|>=|IS NOT DISTINCT FROM) \$(\d+)/#)
    where match.2 == String(number) {
      column = Self.unquoted(match.1)
      return
    }
    return nil
  }
}
