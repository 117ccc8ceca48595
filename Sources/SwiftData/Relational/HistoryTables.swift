package import OpenSwiftDataSQLSyntax

/// The tables of the persistent history, as in files of Apple's framework: transactions, the row
/// changes in each transaction, and the texts that transactions share.
package struct HistoryTables: Hashable, Sendable {
  /// The number of columns for preserved values in a change: as many as the entity with the most
  /// preserved columns needs.
  package let tombstoneCount: Int
  /// Whether one row may stand for the same change of rows with consecutive keys (`Change.firstKey`).
  package let hasRanges: Bool

  package init(tombstoneCount: Int, hasRanges: Bool = false) {
    self.tombstoneCount = tombstoneCount
    self.hasRanges = hasRanges
  }

  /// Finds the tables of a file; `nil` if it has no history.
  /// - Parameter columns: The types of the file's columns, by table and name.
  package init?(in columns: [String: [String: String]]) {
    for definition in HistoryTables.definitions(tombstoneCount: 0) {
      guard let known = columns[definition.table.name],
        definition.table.columns.allSatisfy({ known[$0.name] != nil })
      else { return nil }
    }
    let known = columns[Entity.change.table] ?? [:]
    tombstoneCount = (0...).first { known[Change.tombstone($0)] == nil } ?? 0
    hasRanges = known[Change.firstKey] != nil
  }

  /// Whether a file has none of the tables.
  package static func areMissing(in columns: [String: [String: String]]) -> Bool {
    Entity.allCases.allSatisfy { columns[$0.table] == nil }
  }

  /// The entities of the history, which have the same numbers in every file.
  package enum Entity: Int, CaseIterable, Sendable {
    case change = 16_001
    case transaction = 16_002
    case text = 16_003

    package var name: String {
      switch self {
      case .change: "CHANGE"
      case .transaction: "TRANSACTION"
      case .text: "TRANSACTIONSTRING"
      }
    }

    package var table: String { "A" + name }

    /// The row in `Z_PRIMARYKEY`, with the values of `entityColumns`.
    func listing(lastKey: SQLExpression) -> [SQLExpression] {
      [.integer(Int64(rawValue)), .text(name), .integer(0), lastKey]
    }
  }

  /// The columns of `Z_PRIMARYKEY`.
  static let entityColumns = [
    EntityTable.number, EntityTable.entityName, EntityTable.superNumber, EntityTable.lastKey,
  ]

  /// The columns of a change of one row in one transaction, or of a range of rows in a database whose
  /// dialect has `keepsRangesOfChanges`.
  package enum Change {
    /// 0 for an inserted row, 1 for an updated one, 2 for a deleted one.
    package static let type = "ZCHANGETYPE"
    /// Entity number and key of the row.
    package static let entity = "ZENTITY"
    package static let key = "ZENTITYPK"
    package static let transaction = "ZTRANSACTIONID"
    /// The bits of the properties that an update changed.
    package static let columns = "ZCOLUMNS"
    /// The first key of a range of rows. `key` is the last one then, and the key of the change is that of
    /// the last row's change. So keys of changes are unique and ascend as if each row had its own.
    /// Null for a single row.
    package static let firstKey = "ZFIRSTPK"

    /// The number of changed rows for which a row stands, at least 1.
    /// - Parameters:
    ///   - first: The value of `firstKey`.
    ///   - last: The value of `key`.
    package static func count(from first: Int64?, to last: Int64) -> Int64 {
      guard let first, first < last else { return 1 }
      let (distance, isTooLarge) = last.subtractingReportingOverflow(first)
      return isTooLarge ? 1 : min(distance, 0xFFFF_FFFF_FFFF) + 1
    }

    /// The column of a preserved value of a deleted row.
    package static func tombstone(_ index: Int) -> String { "ZTOMBSTONE\(index)" }
  }

  /// The columns of a transaction. Texts are stored as the key of a row in `Entity.text`.
  package enum Transaction {
    package static let author = "ZAUTHORTS"
    package static let bundleIdentifier = "ZBUNDLEIDTS"
    package static let contextName = "ZCONTEXTNAMETS"
    package static let processName = "ZPROCESSIDTS"
    /// Seconds since 2001-01-01.
    package static let timestamp = "ZTIMESTAMP"
    /// The columns with keys of texts.
    package static let texts = [author, bundleIdentifier, contextName, processName]

    /// The column that may contain the text itself, in files of earlier frameworks.
    package static func twin(of column: String) -> String { String(column.dropLast(2)) }
  }

  /// The kind of a change.
  package enum ChangeType: Int64, CaseIterable, Sendable {
    case inserted, updated, deleted
  }

  /// The prefix for the number of an entity without a name.
  static let unnamedEntity = "entity "

  package enum Text {
    package static let value = "ZNAME"

    /// The context name of a transaction without changes, which stands for changes without history.
    package static let gap = "changes without history"

    /// The context name of changes by a migration; with a plan, the version follows.
    package static let migration = "migration"
  }
}

// MARK: - Creation

extension HistoryTables {
  package var definitions: [TableDefinition] {
    HistoryTables.definitions(tombstoneCount: tombstoneCount)
  }

  /// The statements that create the tables, and their rows in `Z_PRIMARYKEY`.
  package func creationStatements(for dialect: SQLDialect) -> [any SQLStatement] {
    let entities = Insert(
      into: EntityTable.name, columns: HistoryTables.entityColumns,
      rows: Entity.allCases.map { $0.listing(lastKey: .integer(0)) }, onConflict: .ignore)
    // All tables first, as in files of Apple's framework.
    let tables: [any SQLStatement] = definitions.map { $0.table(for: dialect) }
    return tables + definitions.flatMap { $0.indexes(for: dialect) } + [entities]
  }

  private static func definitions(tombstoneCount: Int) -> [TableDefinition] {
    let change = Entity.change.table
    let transaction = Entity.transaction.table
    var changeColumns: [Column] = [
      (Change.type, .integer), (Change.entity, .integer), (Change.key, .integer),
      (Change.transaction, .integer), (Change.columns, .blob),
    ]
    for index in 0..<tombstoneCount { changeColumns.append((Change.tombstone(index), .blob)) }
    var transactionColumns: [Column] = Transaction.texts.map { ($0, .integer) }
    transactionColumns.append((Transaction.timestamp, .real))
    for text in Transaction.texts { transactionColumns.append((Transaction.twin(of: text), .text)) }
    transactionColumns.append(("ZQUERYGEN", .blob))
    var transactionIndexes = Transaction.texts.map { referenceIndex($0, of: transaction) }
    transactionIndexes.append(
      valueIndex(
        "Z_TRANSACTION_TransactionAuthorIndex", of: transaction,
        Transaction.twin(of: Transaction.author)))
    transactionIndexes.append(
      valueIndex(
        "Z_TRANSACTION_TransactionTimestampIndex", of: transaction, Transaction.timestamp))
    return [
      TableDefinition(
        table: table(.change, changeColumns),
        indexes: [referenceIndex(Change.transaction, of: change)]),
      TableDefinition(
        table: table(.transaction, transactionColumns), indexes: transactionIndexes),
      TableDefinition(
        table: table(.text, [(Text.value, .text)]),
        indexes: [
          valueIndex(
            "Z_TRANSACTIONSTRING_UNIQUE_NAME", of: Entity.text.table, Text.value, isUnique: true)
        ]),
    ]
  }

  private typealias Column = (name: String, type: SQLType)

  private static func table(_ entity: Entity, _ columns: [Column]) -> CreateTable {
    CreateTable(
      entity.table,
      columns: [
        ColumnDefinition(RowColumns.key, .integer, isPrimaryKey: true),
        ColumnDefinition(RowColumns.entity, .integer),
        ColumnDefinition(RowColumns.version, .integer),
      ] + columns.map { ColumnDefinition($0.name, $0.type) })
  }

  private static func referenceIndex(_ column: String, of table: String) -> CreateIndex {
    CreateIndex("\(table)_\(column)_INDEX", on: table, columns: [.init(column)])
  }

  private static func valueIndex(
    _ name: String, of table: String, _ column: String, isUnique: Bool = false
  ) -> CreateIndex {
    CreateIndex(
      name, on: table, columns: [.init(column, isBinary: true, direction: .ascending)],
      isUnique: isUnique)
  }
}

extension TableDefinition {
  fileprivate func table(for dialect: SQLDialect) -> CreateTable {
    var table = table
    if dialect.keepsRangesOfChanges, table.name == HistoryTables.Entity.change.table {
      table.columns.append(ColumnDefinition(HistoryTables.Change.firstKey, .integer))
    }
    return table
  }

  /// Indexes of files are those of Apple's framework. On a server each save would write seven for its
  /// transaction, which doubles the log. Transactions are read by number or by time, and the times ascend
  /// with the rows, so that one entry for each range of blocks is enough.
  fileprivate func indexes(for dialect: SQLDialect) -> [CreateIndex] {
    guard dialect == .postgreSQL, table.name == HistoryTables.Entity.transaction.table else {
      return indexes
    }
    let time = HistoryTables.Transaction.timestamp
    return [
      CreateIndex(
        "\(table.name)_\(time)_INDEX", on: table.name, columns: [.init(time)], method: "brin")
    ]
  }
}

extension SQLDialect {
  /// Whether the history has one row for a range of changed rows. Files have Apple's layout, with a row for
  /// each.
  fileprivate var keepsRangesOfChanges: Bool {
    switch self {
    case .sqlite: false
    case .postgreSQL: true
    }
  }
}

extension EntityMapping {
  /// The preserved attributes, in the order in which a change stores them, with their columns.
  var preservedProperties: [(property: PropertyMapping, columns: [ColumnMapping])] {
    properties.filter { property in
      let metadata = descriptor.properties[property.slot].metadata as? Schema.Attribute
      return metadata?.options.contains(.preserveValueOnDeletion) ?? false
    }
    .sorted { $0.name < $1.name }
    .map { ($0, columns(of: $0)) }
  }

  /// The columns of preserved attributes.
  var preservedColumns: [PreservedColumn] {
    preservedProperties.flatMap { property, columns in
      let isExternal = descriptor.properties[property.slot].isExternallyStored
      return columns.map { PreservedColumn(column: $0, isExternal: isExternal) }
    }
  }
}

/// A column whose values the history keeps when rows are deleted.
struct PreservedColumn {
  let column: ColumnMapping
  /// Whether large values may lie outside the row.
  let isExternal: Bool
}
