import Foundation

/// What the tables of a store hold, read by SQL alone.
struct StoredPicture {
  private(set) var lines: Set<String> = []

  init(_ url: URL) throws {
    let stored = StoredTables(url)
    let number = try stored.integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Captain'")
    func read(_ sql: String) throws {
      for row in try stored.rows(sql) { lines.insert(row[0]) }
    }
    let tables = ["team", "member", "club", "badge", "chore"]
    try read(
      tables.map { table in
        let kind =
          table == "member"
          ? "CASE WHEN Z_ENT = \(number ?? 0) THEN 'captain' ELSE 'member' END" : "'\(table)'"
        let code = ["team", "club"].contains(table) ? " || ' #' || ZCODE" : ""
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
        SELECT '\(bond) ' || coalesce(CAST(l.ZNUMBER AS TEXT), 'none') || ' - ' || r.ZNUMBER
        FROM Z\(table) r LEFT JOIN Z\(target) l ON l.Z_PK = r.\(column)
        WHERE r.\(column) IS NOT NULL
        """
      }.joined(separator: " UNION ALL "))
    try read(
      """
      SELECT 'badge ' || l.ZNUMBER || ' - ' || coalesce(CAST(r.ZNUMBER AS TEXT), 'none')
      FROM ZMEMBER l LEFT JOIN ZBADGE r ON r.Z_PK = l.ZBADGE WHERE l.ZBADGE IS NOT NULL
      """)
    let pairs = try stored.columns().first { table, _ in
      table.hasPrefix("Z_") && table.dropFirst(2).first?.isNumber == true && table.hasSuffix("S")
    }
    let (table, columns) = (pairs?.key ?? "", pairs?.value ?? [])
    let member = columns.first { $0.hasSuffix("MEMBERS") || $0.hasSuffix("MEMBERS1") } ?? ""
    let club = columns.first { $0.hasSuffix("CLUBS") } ?? ""
    try read(
      """
      SELECT 'club ' || coalesce(CAST(m.ZNUMBER AS TEXT), 'none') || ' - ' || coalesce(CAST(c.ZNUMBER AS TEXT), 'none')
      FROM \(table) j LEFT JOIN ZMEMBER m ON m.Z_PK = j.\(member)
      LEFT JOIN ZCLUB c ON c.Z_PK = j.\(club)
      """)
  }
}
