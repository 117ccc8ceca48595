import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The stored values of one column that are raw values of an enum's cases, as a temporary table, for
/// databases that cannot call Swift code.
struct MigrationCases {
  let name: String
  let table: String
  /// In quotes.
  let column: String
  let type: any RawRepresentable.Type
  /// Whether the table is that of the changed file.
  let isChanged: Bool

  /// A column has few different values of an enum.
  func fill(_ session: any SQLSession, _ sql: ChangeSQL) throws {
    try session.execute("DROP TABLE IF EXISTS pg_temp.\(name)")
    try session.execute(
      "CREATE TEMP TABLE \(name) AS SELECT \(column) AS V FROM \(table.quotedName) LIMIT 0")
    let stored = try session.statement(
      "SELECT DISTINCT \(column) FROM \(table.quotedName) WHERE \(column) IS NOT NULL"
    ).values(.none).compactMap(\.first)
    let insert = try session.statement("INSERT INTO \(name) VALUES (\(sql.parameter(1)))")
    for value in stored where type.hasCase(value) { try insert.run(.values([value])) }
  }
}

/// The keys of the rows whose stored list does not fit a type, as a temporary table, for databases that cannot
/// call Swift code.
struct MigrationLists {
  let name: String
  let table: String
  /// In quotes.
  let column: String
  let condition: String
  let type: any Decodable.Type

  /// The number of lists that are read at once.
  private static let portion = 500

  func fill(_ session: any SQLSession, _ sql: ChangeSQL) throws {
    // The checks before the change and the change itself see the same rows.
    let exists = try session.integer(
      "SELECT count(*) FROM pg_class WHERE oid = to_regclass('pg_temp.\(name)')")
    if exists == 1 { return }
    try session.execute("CREATE TEMP TABLE \(name) (K BIGINT)")
    var last = Int64.min
    while true {
      let rows = try session.statement(
        """
        SELECT \(RowTerms.key), \(column) FROM \(table.quotedName) WHERE \(condition) AND \
        \(column) IS NOT NULL AND \(RowTerms.key) > \(sql.parameter(1)) ORDER BY 1 \
        LIMIT \(MigrationLists.portion)
        """
      ).values(.integer(last))
      var unfit: [Int64] = []
      for row in rows {
        guard case .integer(let key)? = row.first else { continue }
        last = key
        if case .blob(let bytes)? = row.last, ListFitting.fits(type, bytes) { continue }
        unfit.append(key)
      }
      if !unfit.isEmpty {
        let keys = unfit.map { "(\($0))" }.joined(separator: ", ")
        try session.execute("INSERT INTO \(name) VALUES \(keys)")
      }
      if rows.count < MigrationLists.portion { break }
    }
  }
}

/// Declared values that are evaluated for each row, such as `UUID()`, as a temporary table with the
/// keys of the rows, for databases that cannot call Swift code.
struct MigrationValues {
  let declared: Int
  /// The types of the property's columns.
  let types: [AttributeType]
  let table: String
  let condition: String

  var name: String { "\(MigrationFunction.declaredValue)_\(declared)" }

  /// The number of rows in one statement.
  private static let portion = 500

  func fill(_ session: any SQLSession, _ defaults: DeclaredDefaults, _ sql: ChangeSQL) throws {
    // The checks before the change and the change itself use the same values.
    let exists = try session.integer(
      "SELECT count(*) FROM pg_class WHERE oid = to_regclass('pg_temp.\(name)')")
    if exists == 1 { return }
    let columns = types.indices.map { "V\($0) \(type($0).columnName(in: sql.dialect))" }
    try session.execute(
      "CREATE TEMP TABLE \(name) (\((["K BIGINT"] + columns).joined(separator: ", ")))")
    var last = Int64.min
    while true {
      let keys = try session.statement(
        """
        SELECT \(RowTerms.key) FROM \(table.quotedName) WHERE \(condition) AND \(RowTerms.key) > \
        \(sql.parameter(1)) ORDER BY 1 LIMIT \(MigrationValues.portion)
        """
      ).integers(.integer(last))
      guard let end = keys.last else { break }
      last = end
      let rows = try keys.map { key in
        let terms = try types.indices.map { leaf in
          sql.literal(
            try defaults.value(at: declared, leaf: leaf, row: key), of: types[leaf])
        }
        return "(\((["\(key)"] + terms).joined(separator: ", ")))"
      }
      try session.execute("INSERT INTO \(name) VALUES \(rows.joined(separator: ", "))")
    }
    try session.execute("CREATE UNIQUE INDEX ON \(name) (K)")
  }

  private func type(_ index: Int) -> SQLType {
    types[index] == .boolean ? .boolean : types[index].columnType?.sqlType ?? .blob
  }
}
