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
    UPDATE \(table.quotedName) SET \(column.quotedName) = (SELECT d.\(RowColumns.entity) \
    FROM \(destination.quotedName) AS d WHERE d.\(RowColumns.key) = \(table.quotedName).\(key.quotedName)) \
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
    case altered(renamed: [Rename], added: [(column: StoreLayout.Column, constant: String)])
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

  var isEmpty: Bool {
    if case .kept = kind { return removed.isEmpty && !sources[0].hasNewNumbers }
    return false
  }

  /// The statement that reads the rows of one source in the form of the changed table.
  func selection(_ index: Int) -> String {
    let source = sources[index]
    let terms =
      [source.key(RowColumns.key), source.number, versions[index]]
      + columns[index].map(\.sql)
    return "SELECT \(terms.joined(separator: ", ")) FROM \(source.table.quotedName)"
  }
}

extension TableChange {
  init(
    _ table: StoreLayout.Table, sources: [TableSource], columns: [[ColumnSource]],
    versions: [String], stored: StoreLayout, all: TableSources, lastKeys: [String: Int64],
    makesAll: Bool
  ) {
    let removed = Set(sources.map(\.table)).flatMap { all.removed[$0] ?? [] }.sorted()
    self.init(
      table: table, sources: sources, columns: columns, versions: versions, removed: removed,
      kind: TableChange.kind(table, sources, columns, stored, all, lastKeys, makesAll))
  }

  private static func kind(
    _ table: StoreLayout.Table, _ sources: [TableSource], _ columns: [[ColumnSource]],
    _ stored: StoreLayout, _ all: TableSources, _ lastKeys: [String: Int64], _ makesAll: Bool
  ) -> Kind {
    guard sources.count == 1, let source = sources.first, !makesAll,
      all.destinations[source.table] == [table.name],
      let earlier = stored.tables.first(where: { $0.name == source.table })
    else { return .made }
    let types = Dictionary(
      earlier.columns.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    var renamed: [Rename] = []
    var added: [(column: StoreLayout.Column, constant: String)] = []
    for (column, origin) in zip(table.columns, columns[0]) {
      switch origin {
      case .column(let name) where types[name] == column.type:
        renamed.append(Rename(from: name, to: column.name))
      case .constant(let literal): added.append((column, literal))
      case .links: added.append((column, "NULL"))
      case .column, .expression: return .made
      }
    }
    // All columns continue, each exactly once.
    guard Set(renamed.map(\.from)).count == earlier.columns.count,
      renamed.count == earlier.columns.count
    else { return .made }
    let isSmall = lastKeys[source.table] ?? 0 < SchemaChange.smallTable
    let isUnchanged = added.isEmpty && renamed.allSatisfy { $0.from == $0.to }
    if isUnchanged, table.name == source.table {
      let isOrdered = earlier.columns.map(\.name) == table.columns.map(\.name)
      if isOrdered || !isSmall { return .kept }
    }
    if isSmall { return .made }
    return .altered(renamed: renamed.filter { $0.from != $0.to }, added: added)
  }
}
