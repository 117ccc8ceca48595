import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import SwiftData

/// Writes the new store of a recovery: tables, rows and indexes.
struct StoreRecoveryWriter {
  /// A table of the damaged store, and the result for it.
  struct Table {
    let name: String
    let root: Int
    /// In the order of the values in records.
    let columns: [String]
    /// What records tell of the columns if their order is assumed to be that of the models, because
    /// the file's definition is lost; otherwise `nil`.
    fileprivate var assumed: AssumedColumns?
    /// The column of the keys; a record contains null for it.
    let keyColumn: Int?
    /// The default expressions of columns, by column index. A record has no value for a column that
    /// `ALTER TABLE` added after it was written. Columns that are not listed have null.
    var defaults: [Int: String] = [:]
    /// Whether the file's default values could not be read.
    var lacksDefaults = false
    var copied = 0
    /// The number of records with fewer values than the table has columns.
    var shortRows = 0
    var lost: [ClosedRange<Int64>] = []
    var duplicates: [Int64] = []
    var damagedPages: Set<Int> = []
    var hasUncertainKeys = false

    /// Whether its rows may name files. The history may have names of files that were removed.
    fileprivate var namesFiles: Bool { name != HistoryTables.Entity.change.table }

    /// Whether the assumed columns may not be those of the records.
    var hasUnknownColumns: Bool {
      assumed?.areUnknown(fitting: copied + duplicates.count) ?? false
    }
  }

  private let connection: Connection
  private let source: StoreRecoverySource
  private let entities: RecoveredEntities
  private var tablesByName: [String: Table] = [:]
  private(set) var externalNames: Set<String> = []
  /// The file's default values of tables that are created with the definition of the models.
  private var replacedDefaults: [String: [Int: String]] = [:]
  /// The tables whose definition in the file can't be read.
  private var unreadDefinitions: Set<String> = []
  /// The order of columns in definitions that can be read only so far.
  private var columnOrders: [String: [String]] = [:]

  init(_ connection: Connection, source: StoreRecoverySource) {
    self.connection = connection
    self.source = source
    entities = RecoveredEntities(source.rows["Z_PRIMARYKEY"] ?? [])
  }

  /// Whether values may be missing because default values could not be read.
  var hasLostDefaults: Bool { tables.contains { $0.lacksDefaults && $0.shortRows > 0 } }

  /// The tables, in the order of their names.
  var tables: [Table] { tablesByName.values.sorted { $0.name < $1.name } }

  // MARK: Tables

  /// Virtual tables, which are R-trees of spatial indexes. They are left out, with their internal
  /// tables and triggers: the store builds them from the rows when it is opened with its models.
  private var virtualTables: [String] {
    source.objects.filter { $0.sql.uppercased().hasPrefix("CREATE VIRTUAL") }.map(\.name)
  }

  /// - Returns: Whether all definitions could be read.
  mutating func makeTables() throws -> Bool {
    let virtual = virtualTables
    var isComplete = true
    for object in source.objects where object.type == "table" {
      let isPart = virtual.contains { object.name == $0 || object.name.hasPrefix($0 + "_") }
      if isPart || object.name.hasPrefix("sqlite_") { continue }
      guard try make(object) else {
        isComplete = false
        continue
      }
      if let rows = source.rows[object.name] {
        var copy = try copy(of: try table(object))
        for row in rows { _ = try copy.insert(row.key, row.values) }
        try connection.commit()
        continue
      }
      tablesByName[object.name] = try table(object)
    }
    return isComplete
  }

  /// Creates a table with the definition in the file, or with that of the models if the file's is
  /// damaged.
  private mutating func make(_ object: StoreRecoverySource.Object) throws -> Bool {
    let definition = source.definitions[object.name]
    do {
      try connection.execute(object.sql)
    } catch is SQLiteError {
      guard let definition else { return false }
      try connection.execute(definition)
      unreadDefinitions.insert(object.name)
      let names = TableText(object.sql).columns.map(\.name)
      if try names.sorted() == columns(of: object.name, "name").sorted() {
        columnOrders[object.name] = names
      }
      return true
    }
    guard let definition, definition != object.sql else { return true }
    let stored = try columns(of: object.name)
    let defaults = try defaults(of: object.name)
    try connection.execute("DROP TABLE \(object.name.quotedName)")
    try connection.execute(definition)
    if try stored.isDamaged(columns(of: object.name)) {
      replacedDefaults[object.name] = defaults
      return true
    }
    try connection.execute("DROP TABLE \(object.name.quotedName)")
    try connection.execute(object.sql)
    return true
  }

  /// The names and types of columns, in their order.
  private func columns(
    of table: String, _ term: String = "name || ' ' || type"
  ) throws -> [String] {
    let statement = try connection.prepare("SELECT \(term) FROM pragma_table_info(?1)")
    try statement.bind(table, at: 1)
    var columns: [String] = []
    while try statement.step() { columns.append(statement.string(0)) }
    return columns
  }

  /// The default expressions by the indices of their columns.
  private func defaults(of table: String) throws -> [Int: String] {
    let statement = try connection.prepare(
      "SELECT cid, dflt_value FROM pragma_table_info(?1) WHERE dflt_value IS NOT NULL")
    try statement.bind(table, at: 1)
    var defaults: [Int: String] = [:]
    while try statement.step() { defaults[Int(statement.int64(0))] = statement.string(1) }
    return defaults
  }

  private func table(_ object: StoreRecoverySource.Object) throws -> Table {
    let statement = try connection.prepare(
      "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 AND upper(type) = 'INTEGER'")
    try statement.bind(object.name, at: 1)
    var keys: [String] = []
    while try statement.step() { keys.append(statement.string(0)) }
    let order = columnOrders[object.name]
    let columns = try order ?? columns(of: object.name, "name")
    let isAssumed = object.root <= 0 || unreadDefinitions.contains(object.name)
    // The columns of the history are in the same order in all files.
    let isOfModels = columns.dropFirst().first == RowColumns.entity && !isHistory(object.name)
    // If the root page of a table is lost, any key may be lost.
    return Table(
      name: object.name, root: object.root, columns: columns,
      assumed: order == nil && isAssumed && isOfModels
        ? try AssumedColumns(columns, types: self.columns(of: object.name, "type")) : nil,
      keyColumn: keys.count == 1 ? columns.firstIndex(of: keys[0]) : nil,
      // The definition of the models has its defaults in another order.
      defaults: order == nil
        ? try replacedDefaults[object.name] ?? defaults(of: object.name) : [:],
      lacksDefaults: unreadDefinitions.contains(object.name),
      lost: object.root <= 0 ? [1 ... .max] : [])
  }

  private func isHistory(_ table: String) -> Bool {
    HistoryTables.Entity.allCases.contains { $0.table == table }
  }

  // MARK: Rows

  /// Inserts rows into one table of the new store.
  struct Copy {
    fileprivate var table: Table
    fileprivate let connection: Connection
    /// By the number of values in a record.
    fileprivate var statements: [Int: Statement] = [:]
    /// The entity numbers of the table; empty if they are not known.
    fileprivate let numbers: Set<Int64>
    fileprivate var names: Set<String> = []

    /// - Returns: Whether the row can belong to the table.
    mutating func add(_ key: Int64, _ values: [RecordValue]) throws -> Bool {
      guard isPlausible(values) else { return false }
      if table.assumed?.note(values) == false { return false }
      if try insert(key, values) { table.copied += 1 } else { table.duplicates.append(key) }
      return true
    }

    /// Adds a row of a page that nothing leads to, unless the table has its key.
    fileprivate mutating func addMissing(_ key: Int64, _ values: [RecordValue]) throws {
      if try insert(key, values) { table.copied += 1 }
    }

    fileprivate func isPlausible(_ values: [RecordValue]) -> Bool {
      guard !values.isEmpty, values.count <= table.columns.count else { return false }
      if let column = table.keyColumn, column < values.count, values[column] != .null {
        return false
      }
      guard !numbers.isEmpty, values.count > 1, table.columns[1] == "Z_ENT",
        case .integer(let number) = values[1]
      else { return true }
      return numbers.contains(number)
    }

    /// - Returns: Whether the row was new.
    fileprivate mutating func insert(_ key: Int64, _ values: [RecordValue]) throws -> Bool {
      let statement = try statement(values.count)
      if values.count < table.columns.count { table.shortRows += 1 }
      if let column = table.keyColumn { try statement.bind(key, at: Int32(column + 1)) }
      for (index, value) in values.enumerated() where index != table.keyColumn {
        let parameter = Int32(index + 1)
        switch value {
        case .null: try statement.bindNull(at: parameter)
        case .integer(let value): try statement.bind(value, at: parameter)
        case .real(let value): try statement.bind(value, at: parameter)
        case .text(let value): try statement.bind(value, at: parameter)
        case .blob(let value):
          try value.withUnsafeBytes { try statement.bind(bytes: $0, at: parameter) }
          if table.namesFiles, let name = RecoveredFiles.name(in: value) { names.insert(name) }
        }
      }
      try statement.run()
      return connection.changes > 0
    }

    /// A statement that inserts a record with this number of values; other columns get their
    /// defaults.
    private mutating func statement(_ count: Int) throws -> Statement {
      if let statement = statements[count] { return statement }
      let names = table.columns.map(\.quotedName).joined(separator: ", ")
      let values = table.columns.indices.map { index in
        index < count || index == table.keyColumn
          ? "?\(index + 1)" : table.defaults[index] ?? "NULL"
      }.joined(separator: ", ")
      let statement = try connection.prepare(
        "INSERT OR IGNORE INTO \(table.name.quotedName) (\(names)) VALUES (\(values))")
      statements[count] = statement
      return statement
    }
  }

  func copy(of table: Table) throws -> Copy {
    if !connection.isInTransaction { try connection.begin(.immediate) }
    return Copy(
      table: table, connection: connection,
      numbers: entities.numbers[table.name] ?? [])
  }

  mutating func finish(_ copy: Copy, _ losses: PageScanner.Losses) throws {
    var table = copy.table
    table.lost = losses.keys
    table.damagedPages = Set(losses.pages)
    table.hasUncertainKeys = losses.areUncertain
    try store(table, copy.names)
    try connection.commit()
  }

  /// Takes over the result for a table. Removes the rows if their columns are not known.
  private mutating func store(_ table: Table, _ names: Set<String>) throws {
    var table = table
    if table.hasUnknownColumns {
      try connection.execute("DELETE FROM \(table.name.quotedName)")
      (table.copied, table.shortRows, table.duplicates) = (0, 0, [])
      table.lost = [1 ... .max]
    } else {
      externalNames.formUnion(names)
    }
    tablesByName[table.name] = table
  }

  /// Copies rows from pages that could not be reached because of damaged pages.
  /// - Parameter unreadable: Loses `metadata` if the metadata are found.
  mutating func copyOrphanRows(
    _ walk: PageScanner, _ unreadable: inout Set<StoreRecovery.Part>
  ) throws {
    var copies: [String: Copy] = [:]
    var tableOfPage: [Int: String] = [:]
    var found: [String: [Int64]] = [:]
    for table in tables where !table.hasUnknownColumns {
      copies[table.name] = try copy(of: table)
      for page in table.damagedPages.union([table.root]) { tableOfPage[page] = table.name }
    }
    try walk.orphanRows { ancestors, key, values in
      if unreadable.contains(.metadata), let (identifier, plist) = Self.metadata(values) {
        try restore(identifier, plist)
        unreadable.remove(.metadata)
      }
      let above = ancestors.lazy.compactMap { tableOfPage[$0] }.first
      guard let name = above ?? entityTable(of: values), let table = copies[name]?.table,
        copies[name]?.isPlausible(values) == true
      else { return }
      if table.lost.contains(where: { $0.contains(key) }) {
        if try copies[name]?.add(key, values) == true { found[name, default: []].append(key) }
      } else if above != nil, table.assumed == nil {
        // Another page was written over one that led here.
        try copies[name]?.addMissing(key, values)
      }
    }
    for (name, copy) in copies {
      var table = copy.table
      table.lost = table.lost.removing(found[name, default: []].sorted())
      try store(table, copy.names)
    }
    if connection.isInTransaction { try connection.commit() }
  }

  private static func metadata(_ values: [RecordValue]) -> (identifier: String, plist: [UInt8])? {
    guard values.count == 3, values[0] == .null, case .text(let identifier) = values[1],
      UUID(uuidString: identifier) != nil, case .blob(let plist) = values[2],
      plist.starts(with: "bplist".utf8)
    else { return nil }
    return (identifier, plist)
  }

  private func restore(_ identifier: String, _ plist: [UInt8]) throws {
    let update = try connection.prepare("UPDATE Z_METADATA SET Z_UUID = ?1, Z_PLIST = ?2")
    try update.bind(identifier, at: 1)
    try plist.withUnsafeBytes { try update.bind(bytes: $0, at: 2) }
    try update.run()
  }

  /// The table of the entity number in the second value, if the number of values is possible for
  /// it.
  private func entityTable(of values: [RecordValue]) -> String? {
    guard values.count > 2, values[0] == .null, case .integer(let number) = values[1],
      let name = entities.tables[number], let columns = tablesByName[name]?.columns.count,
      // Rows that were written before a column was added have no value for it.
      values.count <= columns
    else { return nil }
    return name
  }

  // MARK: Indexes

  mutating func makeIndexes() throws {
    let virtual = virtualTables
    for object in source.objects where object.type != "table" && !object.sql.isEmpty {
      // A trigger for an R-tree contains its name.
      if object.type == "trigger", virtual.contains(where: object.sql.contains) { continue }
      do {
        try connection.execute(object.sql)
      } catch let error as SQLiteError where error.isUniquenessViolation {
        try removeDuplicates(object)
        try connection.execute(object.sql)
      } catch let error as SQLiteError where error.code == .error {
        // The definition is damaged. The indexes of models are created when the store is opened
        // with them.
      }
    }
  }

  /// Keeps only the newest of rows with equal values in a unique index.
  private mutating func removeDuplicates(_ index: StoreRecoverySource.Object) throws {
    let plain = index.sql.replacing("CREATE UNIQUE INDEX", with: "CREATE INDEX", maxReplacements: 1)
    try connection.execute(plain)
    guard
      let name = try text(
        "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND name = ?1", index.name)
    else { return }
    var conditions: [String] = []
    let statement = try connection.prepare("SELECT name FROM pragma_index_info(?1)")
    try statement.bind(index.name, at: 1)
    while try statement.step() {
      let column = statement.string(0).quotedName
      conditions.append("other.\(column) = this.\(column)")
    }
    let table = name.quotedName
    let matches =
      "SELECT 1 FROM \(table) AS other WHERE \(conditions.joined(separator: " AND ")) "
      + "AND other.rowid > this.rowid"
    var keys: [Int64] = []
    let duplicates = try connection.prepare(
      "SELECT rowid FROM \(table) AS this WHERE EXISTS (\(matches))")
    while try duplicates.step() { keys.append(duplicates.int64(0)) }
    let delete = try connection.prepare("DELETE FROM \(table) WHERE rowid = ?1")
    for key in keys {
      try delete.bind(key, at: 1)
      try delete.run()
    }
    tablesByName[name]?.duplicates += keys
    tablesByName[name]?.copied -= keys.count
    try connection.execute("DROP INDEX \(index.name.quotedName)")
  }

  private func text(_ sql: String, _ parameter: String) throws -> String? {
    let statement = try connection.prepare(sql)
    try statement.bind(parameter, at: 1)
    return try statement.step() ? statement.string(0) : nil
  }

  // MARK: Keys

  /// Raises the last assigned keys to those of the rows, so that no key is assigned again.
  mutating func finishKeys() throws {
    let update = try connection.prepare(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), ?1) WHERE Z_ENT = ?2")
    for table in tables {
      let highest =
        table.keyColumn == nil
        ? 0
        : try connection.integer(
          "SELECT max(\(table.columns[table.keyColumn ?? 0].quotedName)) "
            + "FROM \(table.name.quotedName)") ?? 0
      if let root = entities.roots[table.name] {
        try update.bind(highest, at: 1)
        try update.bind(root, at: 2)
        try update.run()
      }
      let last = entities.lastKeys[table.name].map { max($0, highest) }
      tablesByName[table.name]?.lost = table.lost.compactMap { range in
        let low = max(range.lowerBound, 1)
        let high = min(range.upperBound, last ?? .max)
        return low <= high ? low...high : nil
      }
    }
  }

  /// Removes the changes whose transactions are lost: they would become a part of later transactions with the
  /// same numbers.
  /// - Returns: Whether there were any.
  mutating func removeChangesWithoutTransaction() throws -> Bool {
    typealias History = HistoryTables
    let (changes, transactions) = (
      History.Entity.change.table, History.Entity.transaction.table
    )
    guard let columns = tablesByName[changes]?.columns, tablesByName[transactions] != nil,
      columns.contains(History.Change.transaction)
    else { return false }
    try connection.execute(
      """
      DELETE FROM \(changes.quotedName) WHERE \(History.Change.transaction.quotedName) NOT IN \
      (SELECT \(RowColumns.key) FROM \(transactions.quotedName))
      """)
    let count = connection.changes
    tablesByName[changes]?.copied -= Int(count)
    return count > 0
  }

  func results() -> [StoreRecovery.Table] {
    tables.map { table in
      StoreRecovery.Table(
        name: table.name, entities: entities.names[table.name] ?? [], copiedRows: table.copied,
        lostKeys: table.lost, duplicateKeys: table.duplicates.sorted(),
        hasUnknownColumns: table.hasUnknownColumns, hasUncertainKeys: table.hasUncertainKeys)
    }
  }

  /// - Throws: `SQLiteError` if the new file is damaged.
  func check() throws {
    let result = try connection.text("PRAGMA integrity_check(1)") ?? "no answer"
    guard result == "ok" else {
      throw SQLiteError(.corrupt, message: "the new file is damaged: \(result)")
    }
  }
}

extension [String] {
  /// Whether the columns differ only in some characters: then the definition is damaged, and not
  /// one of another version of the models.
  fileprivate func isDamaged(_ others: [String]) -> Bool {
    guard count == others.count else { return false }
    let changed = zip(self, others).filter { $0 != $1 }
    return changed.allSatisfy { own, other in
      let (own, other) = (
        Array<Unicode.Scalar>(own.unicodeScalars), Array<Unicode.Scalar>(other.unicodeScalars)
      )
      return own.count == other.count && 2 * zip(own, other).count { $0 != $1 } < own.count
    }
  }
}
