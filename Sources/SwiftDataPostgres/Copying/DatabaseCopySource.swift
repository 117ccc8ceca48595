import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// Reads a store in a PostgreSQL database for a copy, in one transaction.
final class DatabaseCopySource: CopySource {
  let store: CopiedStore
  private let connection: PostgresConnection
  private let columns: [String: Set<String>]

  static func open<R>(
    _ parameters: ConnectionParameters, options: StoreCopy, _ body: (any CopySource) throws -> R
  ) throws -> R {
    let connection = try StoreCopy.Location.connect(parameters)
    defer { connection.close() }
    var copied: R?
    do {
      return try connection.transaction(.snapshot) {
        let result = try body(DatabaseCopySource(connection, options.source))
        copied = result
        return result
      }
    } catch {
      // Everything has been read: the end of the transaction does not matter.
      if let copied { return copied }
      throw error
    }
  }

  private init(_ connection: PostgresConnection, _ location: StoreCopy.Location) throws {
    self.connection = connection
    func refusal(_ text: String) -> SwiftDataError {
      .loadIssueModelContainer.with(text, doing: "copying a store")
    }
    let columns = try DatabaseRows.columns(connection)
    self.columns = columns
    guard columns["Z_METADATA"] != nil, columns["Z_COPY"] == nil,
      let row = try connection.prepare("SELECT \"Z_UUID\", \"Z_PLIST\" FROM \"Z_METADATA\"")
        .values().first, case .text(let identifier) = row[0]
    else {
      throw refusal(
        "There is no complete store in the current schema of \(location). Check the address, and "
          + "options=-csearch_path=… in it.")
    }
    guard columns["Z_MODELCACHE"] != nil,
      case .bytes(let cache)? = try connection.prepare("SELECT \"Z_CONTENT\" FROM \"Z_MODELCACHE\"")
        .values().first?.first, let model = try? ModelCache.decode(cache)
    else {
      throw refusal(
        "The store in \(location) has no description of its model, because an earlier version of this "
          + "library made it. Open it once with its app and this version.")
    }
    let metadata: Data = if case .bytes(let data) = row[1] { data } else { Data() }
    store = CopiedStore(
      identifier: identifier, metadata: metadata, model: model,
      entities: try DatabaseKeys.entities(connection), tableNames: Set(columns.keys),
      history: HistoryTables(
        in: columns.mapValues { names in
          Dictionary(names.map { ($0, "") }, uniquingKeysWith: { $1 })
        }), deletedHistory: try DatabaseCopySource.deletedHistory(connection, columns),
      isDatabase: true)
  }

  private static func deletedHistory(
    _ connection: PostgresConnection, _ columns: [String: Set<String>]
  ) throws -> CopiedStore.DeletedHistory {
    guard columns[PostgresCreation.deletedHistoryTable] != nil else {
      return CopiedStore.DeletedHistory()
    }
    let record = try connection.prepare("SELECT \"Z_START\", \"Z_LAST\" FROM \"Z_DELETEDHISTORY\"")
      .integers()
    return record.count == 2
      ? CopiedStore.DeletedHistory(start: record[0], last: record[1])
      : CopiedStore.DeletedHistory()
  }

  /// All is read in one snapshot.
  func requireUnchanged() {}

  func unknownParts() throws -> [String] {
    let tables = Dictionary(
      store.tables.map { ($0.name, Set($0.columns.map(\.name))) }, uniquingKeysWith: { $1 })
    var unknown: [String] = []
    for (table, names) in columns.sorted(by: { $0.key < $1.key }) {
      // Other tables of the schema do not belong to the store.
      guard let known = tables[table] else { continue }
      let own = CopiedTable.isChanges(table) ? [HistoryTables.Change.firstKey] : []
      for name in names.subtracting(known).subtracting(own).sorted() {
        let found = try connection.prepare(
          "SELECT count(*) FROM (SELECT 1 FROM \(table.quotedName) "
            + "WHERE \(name.quotedName) IS NOT NULL LIMIT 1) AS found"
        ).integer()
        if found == 1 { unknown.append("the column \(name) of \(table)") }
      }
    }
    return unknown
  }

  func summary(of table: CopiedTable) throws -> [Int64] {
    var summary = try connection.prepare(table.summary).integers()
    if hasRanges(table) {
      summary[0] +=
        try connection.prepare(
          "SELECT coalesce(sum(\"ZENTITYPK\" - \"ZFIRSTPK\"), 0)::bigint FROM \"ACHANGE\""
        ).integer() ?? 0
    }
    return summary
  }

  /// A row that stands for changes of several rows is read as one for each, as a file has them.
  func rows(
    of table: CopiedTable, after key: CopiedKey?, _ body: ([CopiedValue]) throws -> Void
  ) throws {
    guard hasRanges(table),
      let changed = table.columns.firstIndex(where: { $0.name == HistoryTables.Change.key })
    else { return try DatabaseRows.read(connection, table, after: key, body) }
    let first = CopiedColumn(name: HistoryTables.Change.firstKey, type: .integer)
    let ranges = CopiedTable(
      name: table.name, columns: table.columns + [first], keyCount: table.keyCount)
    try DatabaseRows.read(connection, ranges, after: key) { range in
      var row = range
      let first = row.removeLast().integer
      guard let number = row[0].integer, let last = row[changed].integer else {
        return try body(row)
      }
      for following in (0..<HistoryTables.Change.count(from: first, to: last)).reversed() {
        // A copy that goes on may have been interrupted inside of the range.
        if let key, number &- following <= key.first { continue }
        row[0] = .integer(number &- following)
        row[changed] = .integer(last - following)
        try body(row)
      }
    }
  }

  private func hasRanges(_ table: CopiedTable) -> Bool {
    CopiedTable.isChanges(table.name) && store.history?.hasRanges == true
  }
}

/// Reads rows of a database as copied values.
enum DatabaseRows {
  /// The columns of the tables in the current schema.
  static func columns(_ connection: PostgresConnection) throws -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    try connection.prepare(
      """
      SELECT c.relname::text, a.attname::text FROM pg_class c \
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(quote_ident(current_schema()))
      """
    ).rows { rows in
      while try rows.next() {
        columns[try rows.text(0) ?? "", default: []].insert(try rows.text(1) ?? "")
      }
    }
    return columns
  }

  static func read(
    _ connection: PostgresConnection, _ table: CopiedTable, after key: CopiedKey?,
    _ body: ([CopiedValue]) throws -> Void
  ) throws {
    let statement = try connection.prepare(table.selection(after: key, placeholder: "$"))
    if let key {
      let keys = [key.first, key.second].prefix(table.keyCount)
      try statement.bind(keys.map { PostgresValue.integer($0) })
    }
    try statement.rows { rows in
      while try rows.next() {
        try body(
          table.columns.indices.map { try value(rows.value($0), table.columns[$0], table) })
      }
    }
  }

  private static func value(
    _ value: PostgresValue, _ column: CopiedColumn, _ table: CopiedTable
  ) throws -> CopiedValue {
    switch (column.type, value) {
    case (_, .null): return .null
    case (_, .bytes(let bytes)) where column.isPreserved:
      if let value = PreservedBytes.value(of: bytes) { return CopiedValue(preserved: value) }
      throw SwiftDataError.loadIssueModelContainer.with(
        "The column \(column.name) of \(table.name) has a value of a deleted model that this version of the "
          + "library can't read. Copy the store with the version that wrote it.",
        doing: "copying a store")
    case (.boolean, .boolean(let value)): return .boolean(value)
    case (.boolean, .integer(let value)) where value == 0 || value == 1:
      return .boolean(value == 1)
    case (.integer, .integer(let value)): return .integer(value)
    case (.integer, .boolean(let value)): return .integer(value ? 1 : 0)
    case (.real, .double(let value)), (.timestamp, .double(let value)): return .real(value)
    case (.real, .real(let value)), (.timestamp, .real(let value)): return .real(Double(value))
    case (.decimal, .numeric(let value)): return .decimal(value)
    case (.text, .text(let value)): return .text(value)
    case (.blob, .bytes(let value)): return .bytes(value)
    case (.blob, .uuid(let value)):
      return .bytes(withUnsafeBytes(of: value.uuid) { Data($0) })
    default:
      throw SwiftDataError.loadIssueModelContainer.with(
        "The column \(column.name) of \(table.name) has another type in the database than in the model, "
          + "so its values can't be copied.", doing: "copying a store")
    }
  }
}
