import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// A column of a copied table.
struct CopiedColumn {
  let name: String
  let type: SQLType
  /// Whether a file may have the name of another file in the place of the value.
  var isExternal = false
  /// Whether the column of the history has values of deleted rows, of any type.
  var isPreserved = false
  /// Whether the column has numbers of entities.
  var isEntityNumber = false

  func named(_ name: String) -> CopiedColumn {
    CopiedColumn(
      name: name, type: type, isExternal: isExternal, isPreserved: isPreserved,
      isEntityNumber: isEntityNumber)
  }
}

/// A table whose rows are copied, ordered by their keys.
struct CopiedTable {
  let name: String
  let columns: [CopiedColumn]
  /// The number of columns at the beginning that identify a row: 2 for links.
  let keyCount: Int
  /// The positions of the columns with numbers of entities.
  let numberColumns: [Int]

  init(name: String, columns: [CopiedColumn], keyCount: Int) {
    self.name = name
    self.columns = columns
    self.keyCount = keyCount
    numberColumns = columns.indices.filter { columns[$0].isEntityNumber }
  }

  /// Whether a table is that of the history's changes.
  static func isChanges(_ name: String) -> Bool { name == HistoryTables.Entity.change.table }

  func key(of row: [CopiedValue]) throws -> CopiedKey {
    let keys = row.prefix(keyCount).compactMap(\.integer)
    guard keys.count == keyCount else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "A row of \(name) has no key. Check the source with `swiftdata check`; it is unchanged.",
        doing: "copying a store")
    }
    return CopiedKey(first: keys[0], second: keyCount > 1 ? keys[1] : 0)
  }

  /// A statement that reads the rows after a key, in the order of the keys.
  func selection(after key: CopiedKey?, placeholder: String) -> String {
    let keys = columns.prefix(keyCount).map(\.name.quotedName).joined(separator: ", ")
    let names = columns.map(\.name.quotedName).joined(separator: ", ")
    let values = (1...keyCount).map { "\(placeholder)\($0)" }.joined(separator: ", ")
    let condition = key == nil ? "" : " WHERE (\(keys)) > (\(values))"
    return "SELECT \(names) FROM \(name.quotedName)\(condition) ORDER BY \(keys)"
  }

  func insertion(placeholder: String) -> String {
    let names = columns.map(\.name.quotedName).joined(separator: ", ")
    let values = columns.indices.map { "\(placeholder)\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(name.quotedName) (\(names)) VALUES (\(values))"
  }

  /// The command of PostgreSQL that inserts many rows.
  var copyCommand: String {
    let names = columns.map(\.name.quotedName).joined(separator: ", ")
    return "COPY \(name.quotedName) (\(names)) FROM STDIN (FORMAT binary)"
  }

  /// Three numbers that most changes of the rows change: count, largest key, sum of the versions.
  var summary: String {
    let isRows = columns.contains { $0.name == RowColumns.version }
    let sum = isRows ? "sum(\(RowColumns.version.quotedName))" : "count(*)"
    return
      "SELECT count(*), coalesce(max(\(columns[0].name.quotedName)), 0), coalesce(\(sum), 0) "
      + "FROM \(name.quotedName)"
  }
}

/// The description of a store: its model, entities and tables.
struct CopiedStore {
  struct Entity {
    let name: String
    let number: Int
    let superNumber: Int
    let lastKey: Int64
  }

  /// What was deleted from the history, as a database records it.
  struct DeletedHistory {
    /// The last number of the beginning that was deleted as a whole; 0 if nothing was.
    var start: Int64 = 0
    /// The largest number of a deleted transaction.
    var last: Int64 = 0
  }

  let identifier: String
  /// The dictionary of `Z_METADATA`.
  let metadata: Data
  /// Including the entities of the history.
  let entities: [Entity]
  let model: ModelDescription
  /// The layout in a file, whose entity numbers follow from the model.
  let fileLayout: StoreLayout
  /// From the entity numbers of the source to those of `fileLayout`.
  let renumbering: EntityRenumbering
  /// The layout in a database, which limits the length of names.
  let databaseLayout: StoreLayout
  /// Whether the tables have the names in a database.
  let isDatabase: Bool
  /// The name of a table or column in the source that is shorter in databases; `nil` if all names are the same.
  let longName: String?
  /// `nil` if the source has no history.
  let history: HistoryTables?
  let deletedHistory: DeletedHistory
  let tables: [CopiedTable]
  /// The same tables and columns with the names of the layout in a file, by the name of the source's table.
  let fileTables: [String: CopiedTable]
  /// The columns of the indexes, by table.
  let indexedColumns: [String: Set<String>]

  /// - Parameters:
  ///   - entities: The rows of `Z_PRIMARYKEY`.
  ///   - tableNames: The names of the source's tables.
  ///   - history: The tables of the source's history.
  ///   - deletedHistory: What was deleted from the history.
  ///   - isDatabase: Whether the source is a database.
  init(
    identifier: String, metadata: Data, model: ModelDescription, entities: [Entity],
    tableNames: Set<String>, history: HistoryTables?, deletedHistory: DeletedHistory,
    isDatabase: Bool
  ) {
    self.isDatabase = isDatabase
    self.deletedHistory = deletedHistory
    self.identifier = identifier
    self.metadata = metadata
    self.model = model
    self.entities = entities
    // Of an older model more values may be preserved; of a newer one more columns are needed.
    let history = history.map {
      HistoryTables(
        tombstoneCount: max($0.tombstoneCount, HistoryTables(for: model).tombstoneCount),
        hasRanges: $0.hasRanges)
    }
    self.history = history
    let own = entities.filter { EntityNumbering.isValid($0.number) }
    let numbers = Dictionary(own.map { ($0.name, $0.number) }, uniquingKeysWith: { $1 })
    let fileNumbers = model.freshNumbers
    renumbering = EntityRenumbering(from: numbers, to: fileNumbers)
    fileLayout = StoreLayout(
      model, numbers: fileNumbers,
      knownTables: Set(tableNames.map(renumbering.renumbered(table:))))
    databaseLayout = StoreLayout(
      model, numbers: numbers, knownTables: tableNames,
      longestName: SQLDialect.postgreSQL.longestName)
    let layout =
      isDatabase
      ? databaseLayout : StoreLayout(model, numbers: numbers, knownTables: tableNames)
    let names =
      layout.tables.flatMap { [$0.name] + $0.columns.map(\.name) }
      + layout.joinTables.flatMap { [$0.name] + $0.columns }
    longName = names.first { $0.shortened(to: SQLDialect.postgreSQL.longestName) != $0 }
    let external = StoreMetadata(metadata)?.externalAttributes.map(Set.init)
    let rows = layout.tables.map { table in
      CopiedTable(
        name: table.name,
        columns: CopiedStore.keyColumns
          + table.columns.map { column in
            let type = layout.sqlType(of: column)
            let name = "\(column.id.entity).\(column.id.property)"
            // Files of other programs do not list them.
            return CopiedColumn(
              name: column.name, type: type,
              isExternal: external?.contains(name) ?? (type == .blob),
              isEntityNumber: column.id.part == .entityNumber)
          }, keyCount: 1)
    }
    let links = layout.joinTables.map { table in
      CopiedTable(
        name: table.name, columns: table.columns.map { CopiedColumn(name: $0, type: .integer) },
        keyCount: 2)
    }
    let preserved = Set((0..<(history?.tombstoneCount ?? 0)).map(HistoryTables.Change.tombstone))
    let changes = (history?.definitions ?? []).map { definition in
      CopiedTable(
        name: definition.table.name,
        columns: definition.table.columns.map {
          CopiedColumn(
            name: $0.name, type: $0.type, isPreserved: preserved.contains($0.name),
            isEntityNumber: $0.name == HistoryTables.Change.entity)
        }, keyCount: 1)
    }
    tables = rows + links + changes
    fileTables = CopiedStore.fileTables(tables, of: layout, in: fileLayout)
    let indexes = layout.creationStatements.compactMap { $0 as? CreateIndex }
    indexedColumns = Dictionary(grouping: indexes, by: \.table)
      .mapValues { Set($0.flatMap(\.columns).map(\.name)) }
  }

  /// Both layouts are of one model, so they have the same tables and columns in the same order. Only the order
  /// of the columns of links may differ.
  private static func fileTables(
    _ tables: [CopiedTable], of layout: StoreLayout, in fileLayout: StoreLayout
  ) -> [String: CopiedTable] {
    var names: [String: (table: String, columns: [String: String])] = [:]
    for (own, file) in zip(layout.tables, fileLayout.tables) {
      let pairs = zip(own.columns.map(\.name), file.columns.map(\.name))
      names[own.name] = (file.name, Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }
    for entity in layout.model.entities {
      for property in entity.properties {
        guard let own = layout.joinSide(property.name, of: entity.name),
          let file = fileLayout.joinSide(property.name, of: entity.name)
        else { continue }
        names[own.table.name] = (
          file.table.name,
          [own.ownerColumn: file.ownerColumn, own.memberColumn: file.memberColumn]
        )
      }
    }
    let pairs = tables.map { table in
      let renamed = names[table.name]
      return (
        table.name,
        CopiedTable(
          name: renamed?.table ?? table.name,
          columns: table.columns.map { $0.named(renamed?.columns[$0.name] ?? $0.name) },
          keyCount: table.keyCount)
      )
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  private static let keyColumns = [RowColumns.key, RowColumns.entity, RowColumns.version].map {
    CopiedColumn(name: $0, type: .integer, isEntityNumber: $0 == RowColumns.entity)
  }

  /// Whether the source lists the attributes whose values may be in files.
  var listsExternalAttributes: Bool { StoreMetadata(metadata)?.externalAttributes != nil }

  /// Changes with the model, the entities and, mostly, with the rows.
  func fingerprint(_ summaries: [[Int64]]) -> String {
    let digest = VersionHashes(model).digest
    let numbers = zip(tables, summaries).map { table, numbers in
      "\(table.name)=\(numbers.map(String.init).joined(separator: ","))"
    }
    // The tables of an interrupted copy have the same numbers as those of the next run.
    let renumbered = renumbering.isEmpty ? [] : [renumbering.description]
    return ([identifier, digest] + renumbered + numbers).joined(separator: " ")
  }
}

/// Reads a store in one transaction.
protocol CopySource {
  var store: CopiedStore { get }

  /// Called at the end. Throws if what was read may be of several states of the store.
  func requireUnchanged() throws

  /// Columns and tables that the model does not have, and whose content would be lost.
  func unknownParts() throws -> [String]

  /// The numbers of `CopiedTable.summary`.
  func summary(of table: CopiedTable) throws -> [Int64]

  /// Reads rows in the order of their keys.
  func rows(
    of table: CopiedTable, after key: CopiedKey?, _ body: ([CopiedValue]) throws -> Void) throws
}

/// What an interrupted run has copied of a table.
struct CopiedPart {
  var rows = 0
  var last: CopiedKey?
}

/// Writes a store. Rows and the note of how far the copy is are committed together.
protocol CopyTarget: AnyObject {
  /// Why the store can't be copied there; `nil` if it can. Writes nothing.
  func refusal(of store: CopiedStore) throws -> String?

  /// Why a value can't be stored; `nil` if it can.
  func refusal(of value: CopiedValue, in column: CopiedColumn) -> String?

  /// Why the values of a row can't be indexed; `nil` if they can.
  func indexRefusal(
    of row: [CopiedValue], in table: CopiedTable, _ store: CopiedStore
  ) throws -> String?

  /// Creates the tables, or finds those of an interrupted run.
  /// - Returns: What is copied already, by table.
  func begin(
    _ store: CopiedStore, fingerprint: String, startsAnew: Bool
  ) throws -> [String: CopiedPart]

  /// Commits rows.
  /// - Parameter part: What is copied of the table after that.
  func append(_ rows: [[CopiedValue]], to table: CopiedTable, _ part: CopiedPart) throws

  /// Creates the indexes, if an interrupted run has not.
  func makeIndexes(_ store: CopiedStore) throws

  func rows(of table: CopiedTable, _ body: ([CopiedValue]) throws -> Void) throws

  /// Writes the last keys and the identifier, after which the copy can be opened as a store.
  func finish(_ store: CopiedStore, identifier: String) throws
}
