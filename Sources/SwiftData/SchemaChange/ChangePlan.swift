import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The changes to the tables of a file.
struct ChangePlan {
  let tables: [TableChange]
  let joins: [JoinChange]
  let links: [LinkTable]
  /// Columns of entity numbers that must be read again from the rows that the keys beside them
  /// refer to.
  let entityNumbers: [EntityNumberColumn]
  let changedValues: [ChangedValues]
  let defaults: MigrationFunctions
  let sources: TableSources
  /// Checks that count the values that the change deletes.
  let losses: [LossCheck]
  /// Checks for values that code must set after the change.
  let required: [RequiredCheck]
  /// Links that relationships get from others, whose inverses they become.
  let unitedLinks: [UnitedLinks]

  func offset(from stored: String, to current: String) -> Int64 {
    sources.offset(from: stored, to: current)
  }

  var isEmpty: Bool {
    tables.allSatisfy(\.isEmpty) && joins.allSatisfy(\.isEmpty) && links.isEmpty
      && entityNumbers.isEmpty
  }
}

/// The column with the entity number of a to-one relationship.
struct EntityNumberColumn {
  let table: String
  let column: String
  let key: String
  let destination: String

  var statement: String {
    """
    UPDATE \(table.quotedName) SET \(column.quotedName) = (SELECT d.\(RowTerms.entity) \
    FROM \(destination.quotedName) AS d WHERE d.\(RowTerms.key) = \(table.quotedName).\(key.quotedName)) \
    WHERE \(key.quotedName) IS NOT NULL
    """
  }
}

/// How one table of the changed file is made.
struct TableChange {
  enum Kind {
    /// The table stays, except for entity numbers.
    case kept
    /// Columns and the table are renamed, and columns are added.
    case altered(
      renamed: [Rename], added: [(column: StoreLayout.Column, constant: String)],
      dropped: [String])
    /// A new table is filled.
    case made
  }

  struct Rename: Hashable {
    let from: String
    let to: String
  }

  let table: StoreLayout.Table
  let sources: [TableSource]
  /// By source, in the order of the columns.
  let columns: [[ColumnSource]]
  /// By source, the expression for a row's version.
  let versions: [String]
  /// The numbers of removed entities, whose rows are deleted.
  let removed: [Int]
  let kind: Kind
  /// The types of the columns.
  private let types: [SQLType]
  private let sql: ChangeSQL

  var isEmpty: Bool {
    if case .kept = kind { return removed.isEmpty && !sources[0].hasNewNumbers }
    return false
  }

  /// The statement that reads the rows of one source in the form of the changed table.
  func selection(_ index: Int) -> String {
    let source = sources[index]
    let terms =
      [source.key(RowTerms.key), source.number, versions[index]]
      + zip(columns[index], types).map { sql.typed($0.sql, as: $1) }
    return "SELECT \(terms.joined(separator: ", ")) FROM \(source.table.quotedName)"
  }
}

extension TableChange {
  init(
    _ table: StoreLayout.Table, sources: [TableSource], columns: [[ColumnSource]],
    versions: [String], stored: StoreLayout, all: TableSources, lastKeys: [String: Int64],
    makesAll: Bool, target: ChangeTarget, _ sql: ChangeSQL
  ) {
    let types = table.columns.map { target.type(of: $0, in: table) }
    let removed = Set(sources.map(\.table)).flatMap { all.removed[$0] ?? [] }.sorted()
    self.init(
      table: table, sources: sources, columns: columns, versions: versions, removed: removed,
      kind: TableChange.kind(
        table, types, sources, columns, stored, all, lastKeys, makesAll, sql.dialect),
      types: types, sql: sql)
  }

  private static func kind(
    _ table: StoreLayout.Table, _ newTypes: [SQLType], _ sources: [TableSource],
    _ columns: [[ColumnSource]], _ stored: StoreLayout, _ all: TableSources,
    _ lastKeys: [String: Int64], _ makesAll: Bool, _ dialect: SQLDialect
  ) -> Kind {
    guard sources.count == 1, let source = sources.first, !makesAll,
      all.destinations[source.table] == [table.name],
      let earlier = stored.tables.first(where: { $0.name == source.table })
    else { return .made }
    let types = Dictionary(
      earlier.columns.map { ($0.name, stored.sqlType(of: $0)) },
      uniquingKeysWith: { first, _ in first })
    func isSame(_ name: String, _ type: SQLType) -> Bool {
      types[name].map { $0.columnName(in: dialect) == type.columnName(in: dialect) } ?? false
    }
    var renamed: [Rename] = []
    var added: [(column: StoreLayout.Column, constant: String)] = []
    for ((column, type), origin) in zip(zip(table.columns, newTypes), columns[0]) {
      switch origin {
      case .column(let name) where isSame(name, type):
        renamed.append(Rename(from: name, to: column.name))
      case .constant(let literal) where dialect != .sqlite || isPlain(literal):
        added.append((column, literal))
      case .links: added.append((column, "NULL"))
      case .column, .constant, .expression: return .made
      }
    }
    // Each column continues at most once, and in SQLite all do: older versions cannot drop columns.
    let continued = Set(renamed.map(\.from))
    let dropped = earlier.columns.map(\.name).filter { !continued.contains($0) }
    guard continued.count == renamed.count, dropped.isEmpty || dialect != .sqlite else {
      return .made
    }
    // Only in files the columns have the order of a new one.
    let isSmall =
      dialect == .sqlite && lastKeys[source.table] ?? 0 < SchemaChange.smallTable
    let isUnchanged = added.isEmpty && dropped.isEmpty && renamed.allSatisfy { $0.from == $0.to }
    if isUnchanged, table.name == source.table {
      let isOrdered = earlier.columns.map(\.name) == table.columns.map(\.name)
      if isOrdered || !isSmall { return .kept }
    }
    if isSmall { return .made }
    return .altered(
      renamed: renamed.filter { $0.from != $0.to }, added: added, dropped: dropped)
  }

  /// Whether SQLite adds a column with this default to a table with rows. It refuses expressions, such as
  /// those for the smallest integer and for texts with a zero.
  private static func isPlain(_ constant: String) -> Bool {
    !["(", "CAST(", "zeroblob("].contains { constant.hasPrefix($0) }
  }
}
