import Foundation
import OpenSwiftDataSQLiteEngine

/// What the tables of a file hold, read by SQL alone.
struct StoredPicture {
  private(set) var lines: Set<String> = []

  init(_ url: URL) throws {
    let connection = try Connection(path: url.path)
    let number = try connection.integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Captain'")
    func read(_ sql: String) throws {
      let statement = try connection.prepare(sql)
      while try statement.step() { lines.insert(statement.string(0)) }
    }
    let tables = ["team", "member", "club", "badge", "chore"]
    try read(
      tables.map { table in
        let kind =
          table == "member" ? "iif(Z_ENT = \(number ?? 0), 'captain', 'member')" : "'\(table)'"
        let code = table == "club" ? " || ' #' || ZCODE" : ""
        return
          "SELECT \(kind) || ' ' || ZNUMBER || ' = ' || ZVALUE\(code) FROM Z\(table.uppercased())"
      }.joined(separator: " UNION ALL "))
    // An outer join, so that a key that leads nowhere shows.
    try read(
      [
        ("team", "MEMBER", "ZTEAM", "TEAM"), ("mentor", "MEMBER", "ZMENTOR", "MEMBER"),
        ("badge", "BADGE", "ZHOLDER", "MEMBER"), ("chore", "CHORE", "ZASSIGNEE", "MEMBER"),
      ].map { bond, table, column, target in
        """
        SELECT '\(bond) ' || ifnull(l.ZNUMBER, 'none') || ' - ' || r.ZNUMBER
        FROM Z\(table) r LEFT JOIN Z\(target) l ON l.Z_PK = r.\(column)
        WHERE r.\(column) IS NOT NULL
        """
      }.joined(separator: " UNION ALL "))
    try read(
      """
      SELECT 'badge ' || l.ZNUMBER || ' - ' || ifnull(r.ZNUMBER, 'none')
      FROM ZMEMBER l LEFT JOIN ZBADGE r ON r.Z_PK = l.ZBADGE WHERE l.ZBADGE IS NOT NULL
      """)
    let table =
      try connection.text("SELECT name FROM sqlite_schema WHERE name GLOB 'Z_[0-9]*S'") ?? ""
    let columns =
      try connection.text(
        "SELECT group_concat(name, ' ') FROM pragma_table_info('\(table)')")?.split(separator: " ")
      ?? []
    let member = columns.first { $0.hasSuffix("MEMBERS") || $0.hasSuffix("MEMBERS1") } ?? ""
    let club = columns.first { $0.hasSuffix("CLUBS") } ?? ""
    try read(
      """
      SELECT 'club ' || ifnull(m.ZNUMBER, 'none') || ' - ' || ifnull(c.ZNUMBER, 'none')
      FROM \(table) j LEFT JOIN ZMEMBER m ON m.Z_PK = j.\(member)
      LEFT JOIN ZCLUB c ON c.Z_PK = j.\(club)
      """)
  }
}
