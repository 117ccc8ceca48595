import Foundation

extension StatementKinds {
  /// The kind of a statement, from its verb and the table that it changes. Of a statement that reads,
  /// each table counts.
  init(of sql: String) {
    let verb = sql.prefix { $0.isLetter }.uppercased()
    self =
      switch verb {
      case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE": .transactions
      // The last key of a table, which a save reads before it assigns the next one.
      case "SELECT" where sql.hasPrefix("SELECT max(\"Z_PK\") FROM \"Z"): .bookkeeping
      // Whether all texts of a column are composed, which a fetch in its order asks. It reads no model.
      case "SELECT" where sql.hasPrefix("SELECT 1 FROM \"Z") && sql.contains("swift_canonical("):
        .bookkeeping
      case "SELECT": StatementKinds.kind(ofTables: StatementKinds.tables(in: sql), .reads)
      case "INSERT", "REPLACE", "UPDATE", "DELETE", "COPY":
        StatementKinds.kind(ofTables: StatementKinds.tables(in: sql).prefix(1), .writes)
      // In a database server, a transaction of the history and its changes are one statement.
      case "WITH": StatementKinds.kind(ofTables: StatementKinds.tables(in: sql), .reads)
      default: .bookkeeping
      }
  }

  private static func kind(
    ofTables tables: some Collection<String>, _ kind: StatementKinds
  ) -> StatementKinds {
    if tables.contains(where: historyTables.contains) { return .history }
    if tables.isEmpty || tables.contains(where: isBookkeeping) { return .bookkeeping }
    return kind
  }

  private static let historyTables: Set = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

  private static func isBookkeeping(_ table: String) -> Bool {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "Z_LOCK", "generate_series"].contains(table)
      || ["sqlite_", "pragma_", "pg_"].contains { table.hasPrefix($0) }
  }

  /// The names after the words that introduce a table, in order. A subquery has no name.
  private static func tables(in sql: String) -> [String] {
    var tables: [String] = []
    var introduces = false
    for word in sql.split(separator: " ") {
      if introduces {
        let name = word.drop { $0 == "\"" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        if !name.isEmpty { tables.append(String(name)) }
      }
      introduces = ["FROM", "JOIN", "INTO", "UPDATE", "COPY"].contains(word)
    }
    return tables
  }
}
