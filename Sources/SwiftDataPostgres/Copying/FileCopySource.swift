import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import SwiftData

/// Reads a store file for a copy, in one transaction.
final class FileCopySource: CopySource {
  let store: CopiedStore
  private let schema: StoredSchema
  private let rows: FileRows
  private let url: URL
  /// The state of a file that can't be locked, from before it was read.
  private let unlocked: DatabaseFile?

  static func open<R>(
    _ url: URL, options: StoreCopy, _ body: (any CopySource) throws -> R
  ) throws -> R {
    let file = try DatabaseFile(at: url.path)
    let unlocked = file.lookAccess.last == .immutable ? file : nil
    // Errors of the other side are not errors of the file, so they pass through as values. A copy is not
    // repeated after a change of a file that can't be locked; `requireUnchanged` finds that.
    var outcome: Result<R, any Error>?
    return try StoreFileCheck.look(at: url) { connection, schema in
      if let outcome { return outcome }
      let source = try FileCopySource(url, connection, schema, unlocked: unlocked)
      let result = Result { try body(source) }
      outcome = result
      return result
    }.get()
  }

  private init(
    _ url: URL, _ connection: Connection, _ schema: StoredSchema, unlocked: DatabaseFile?
  ) throws {
    self.url = url
    self.unlocked = unlocked
    guard let model = schema.model else {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The file at \(url.path) contains no description of its model. Open it once with the app that "
          + "wrote it, then copy it; it is unchanged.", doing: "copying a store")
    }
    let schema = schema.renamed(by: model)
    self.schema = schema
    store = CopiedStore(
      identifier: schema.identifier, metadata: schema.metadata, model: model,
      entities: schema.entities.map {
        CopiedStore.Entity(
          name: $0.name, number: $0.number, superNumber: $0.superNumber, lastKey: $0.lastKey)
      }, tableNames: Set(schema.columns.keys),
      history: HistoryTables(in: schema.columns),
      deletedHistory: try FileCopySource.deletedHistory(connection, schema), isDatabase: false)
    rows = FileRows(
      connection, folder: ExternalFolder(of: url), guesses: !store.listsExternalAttributes)
    for table in store.tables {
      let missing = table.columns.filter { schema.columns[table.name]?[$0.name] == nil }
      guard let first = missing.first else { continue }
      throw SwiftDataError.loadIssueModelContainer.with(
        "The table \(table.name) of \(url.path) has no column \(first.name), but its model does. Check the "
          + "file with `swiftdata check`; it is unchanged.", doing: "copying a store")
    }
  }

  /// In a file a missing number is that of a deleted transaction.
  private static func deletedHistory(
    _ connection: Connection, _ schema: StoredSchema
  ) throws -> CopiedStore.DeletedHistory {
    let transaction = HistoryTables.Entity.transaction
    guard schema.columns[transaction.table] != nil else { return CopiedStore.DeletedHistory() }
    let oldest = try connection.integer("SELECT min(Z_PK) FROM \(transaction.table)")
    let last = schema.entities.first { $0.number == transaction.rawValue }?.lastKey ?? 0
    let start = oldest.map { $0 - 1 } ?? last
    return CopiedStore.DeletedHistory(start: start, last: start)
  }

  /// Tables of the format itself, besides those of the model.
  private static let formatTables: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

  func unknownParts() throws -> [String] {
    let tables = Dictionary(
      store.tables.map { ($0.name, Set($0.columns.map(\.name))) }, uniquingKeysWith: { $1 })
    var unknown: [String] = []
    for (table, columns) in schema.columns.sorted(by: { $0.key < $1.key })
    where !FileCopySource.formatTables.contains(table) && !table.hasPrefix("sqlite_") {
      guard let known = tables[table] else {
        // The node tables of an R-tree belong to an index.
        if ["_node", "_rowid", "_parent"].contains(where: table.hasSuffix) { continue }
        if try rows.hasRow(table, where: "1") { unknown.append("the table \(table)") }
        continue
      }
      for column in columns.keys.sorted() where !known.contains(column) {
        if try rows.hasRow(table, where: "\(column.quotedName) IS NOT NULL") {
          unknown.append("the column \(column) of \(table)")
        }
      }
    }
    return unknown
  }

  func requireUnchanged() throws {
    guard let unlocked, try DatabaseFile(at: url.path) != unlocked else { return }
    throw SwiftDataError.storeWriteFailure.with(
      "The file at \(url.path), which can't be locked, was changed while it was copied. Stop the programs "
        + "that write to it, and start anew (startsAnew, --restart). The copy can't be opened as a store.",
      doing: "copying a store")
  }

  func summary(of table: CopiedTable) throws -> [Int64] { try rows.summary(of: table) }

  func rows(
    of table: CopiedTable, after key: CopiedKey?, _ body: ([CopiedValue]) throws -> Void
  ) throws {
    try rows.read(table, after: key, body)
  }
}

/// Reads rows of a file as copied values.
struct FileRows {
  private let connection: Connection
  private let folder: ExternalFolder
  /// Whether the file does not list its external attributes, so that values that look like names are
  /// taken for names if there is such a file.
  private let guesses: Bool

  init(_ connection: Connection, folder: ExternalFolder, guesses: Bool) {
    self.connection = connection
    self.folder = folder
    self.guesses = guesses
  }

  func hasRow(_ table: String, where condition: String) throws -> Bool {
    try connection.integer("SELECT 1 FROM \(table.quotedName) WHERE \(condition) LIMIT 1") != nil
  }

  func summary(of table: CopiedTable) throws -> [Int64] {
    let statement = try connection.prepare(table.summary)
    guard try statement.step() else { return [0, 0, 0] }
    return (0..<3).map { statement.int64($0) }
  }

  func read(
    _ table: CopiedTable, after key: CopiedKey?, _ body: ([CopiedValue]) throws -> Void
  ) throws {
    let statement = try connection.prepare(table.selection(after: key, placeholder: "?"))
    if let key {
      try statement.bind(key.first, at: 1)
      if table.keyCount > 1 { try statement.bind(key.second, at: 2) }
    }
    while try statement.step() {
      try body(
        table.columns.indices.map { index in
          try value(statement, Int32(index), table)
        })
    }
  }

  private func value(
    _ row: Statement, _ index: Int32, _ table: CopiedTable
  ) throws -> CopiedValue {
    let column = table.columns[Int(index)]
    switch (column.type, row.storageClass(index)) {
    case (_, .null): return .null
    case (_, let storage) where column.isPreserved:
      if let value = preserved(row, index, storage) { return value }
    case (.integer, .integer): return .integer(row.int64(index))
    case (.integer, .real):
      if let whole = Int64(exactly: row.double(index)) { return .integer(whole) }
    case (.boolean, .integer):
      let value = row.int64(index)
      if value == 0 || value == 1 { return .boolean(value == 1) }
    case (.real, .real), (.timestamp, .real): return .real(row.double(index))
    case (.real, .integer), (.timestamp, .integer):
      let value = row.int64(index)
      if Int64(exactly: Double(value)) == value { return .real(Double(value)) }
    case (.decimal, _):
      if let value = decimal(row, index) { return .decimal(value) }
    case (.text, .text):
      let text = row.withText(index) { String(validating: $0, as: UTF8.self) }
      if let text { return .text(text) }
    case (.text, .blob) where column.isExternal:
      let bytes = try bytes(row, index, table)
      let text = bytes.dropFirst(bytes.first == TaggedValue.valueTag ? 1 : 0)
      if let text = String(validating: text, as: UTF8.self) { return .text(text) }
    case (.blob, .blob): return .bytes(try bytes(row, index, table))
    default: break
    }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The row p\(row.int64(0)) of \(table.name) has a value in the column \(column.name) that does not "
        + "fit its type. Correct the value, or remove it; the source is unchanged.",
      doing: "copying a store")
  }

  /// A value of a deleted row; `nil` for a text that is not UTF-8.
  private func preserved(
    _ row: Statement, _ index: Int32, _ storage: StorageClass
  ) -> CopiedValue? {
    switch storage {
    case .integer: .integer(row.int64(index))
    case .real: .real(row.double(index))
    case .text: row.withText(index) { String(validating: $0, as: UTF8.self) }.map { .text($0) }
    case .blob: .bytes(row.data(index))
    case .null: .null
    }
  }

  private func decimal(_ row: Statement, _ index: Int32) -> Decimal? {
    switch row.storageClass(index) {
    case .integer: Decimal(storedValue: .integer(row.int64(index)))
    case .real: Decimal(storedValue: .real(row.double(index)))
    case .text: Decimal(storedValue: .text(row.string(index)))
    case .blob: Decimal(storedValue: .blob(row.data(index)))
    case .null: nil
    }
  }

  /// The bytes of a value. The content of an external file gets the tag of a value in a row.
  private func bytes(_ row: Statement, _ index: Int32, _ table: CopiedTable) throws -> Data {
    let value = row.data(index)
    guard table.columns[Int(index)].isExternal else { return value }
    let name = value.withUnsafeBytes { bytes -> String? in
      guard case .name(let name) = TaggedValue(bytes) else { return nil }
      return String(decoding: name, as: UTF8.self)
    }
    guard let name, !guesses || UUID(uuidString: name) != nil else { return value }
    if let content = try folder.content(named: name) {
      return Data([TaggedValue.valueTag]) + content
    }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The row p\(row.int64(0)) of \(table.name) names the file \(name), which is missing from the "
        + "folder for large values. Copy the folder together with the file, or set the property to nil; "
        + "the source is unchanged.", doing: "copying a store")
  }
}
