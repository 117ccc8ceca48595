import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization

/// The tables of a store, read and changed by plain SQL, on the database of the test.
///
/// Statements are written for both databases. Those without quotation marks get them for PostgreSQL, around
/// the names of tables and columns.
struct StoredTables {
  private enum Source {
    case file(URL)
    case defaultStore(DefaultStore)
    case schema(String)
    case postgresStore(PostgresStore)
  }

  private let source: Source

  /// The tables of the store that a configuration with the URL opens.
  init(_ url: URL) {
    source = PostgresTestStores.schema(of: url).map(Source.schema) ?? .file(url)
  }

  /// The tables of the first store of a container, through a connection of the store.
  init(_ container: ModelContainer) throws {
    switch container.stores.first {
    case let store as DefaultStore: source = .defaultStore(store)
    case let store as PostgresStore: source = .postgresStore(store)
    default: throw CocoaError(.fileNoSuchFile)
    }
  }

  static func execute(_ sql: String, in url: URL) throws { try StoredTables(url).execute(sql) }

  static func integer(_ sql: String, in url: URL) throws -> Int64 {
    try StoredTables(url).integer(sql) ?? -1
  }

  static func text(_ sql: String, in url: URL) throws -> String? {
    try StoredTables(url).text(sql)
  }

  static func texts(_ sql: String, in url: URL) throws -> [String] {
    try StoredTables(url).rows(sql).compactMap(\.first)
  }

  /// Whether keys and the numbers of the history are those of tables, not of sequences.
  var countsInTables: Bool {
    switch source {
    case .file, .defaultStore: true
    case .schema, .postgresStore: false
    }
  }

  /// The changes of the history as a source of rows, one for each changed row.
  var changes: String { countsInTables ? "\"ACHANGE\"" : HistorySQL.changes }

  /// A column as SQL writes its value; null is NULL.
  func literal(_ column: String) -> String {
    countsInTables ? "quote(\"\(column)\")" : "coalesce(\"\(column)\"::text, 'NULL')"
  }

  /// The columns of all tables, by the name of the table.
  func columns() throws -> [String: [String]] {
    let rows = try rows(
      countsInTables
        ? "SELECT t.\"name\", c.\"name\" FROM sqlite_schema t, pragma_table_info(t.name) c"
        : """
        SELECT table_name::text AS "table", column_name::text FROM information_schema.columns \
        WHERE table_schema = current_schema()
        """)
    return Dictionary(grouping: rows, by: \.[0]).mapValues { $0.map { $0[1] } }
  }

  /// A column of bytes as hexadecimal digits.
  func digits(_ column: String) -> String {
    countsInTables ? "hex(\"\(column)\")" : "encode(\"\(column)\", 'hex')"
  }

  /// All rows; null is an empty text.
  func rows(_ sql: String) throws -> [[String]] {
    switch source {
    case .file(let url):
      // Functions that list columns prepare statements of their own while they run.
      let connection = try Connection(path: url.path)
      return try withExtendedLifetime(connection) { try Self.rows(sql, connection) }
    case .defaultStore(let store): return try store.pool.read { try Self.rows(sql, $0) }
    case .schema(let schema):
      return try Self.sharedConnection.withLock { shared in
        let connection = try Self.connection(&shared)
        try connection.execute("SET search_path = \(schema)")
        return try Self.rows(sql, connection)
      }
    case .postgresStore(let store):
      return try store.pool.read("a look") { try Self.rows(sql, $0) }
    }
  }

  /// The first column of the first row; `nil` without a row and for null.
  func text(_ sql: String) throws -> String? {
    try rows(sql).first?.first.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The first column of the first row; `nil` without a row and for null.
  func integer(_ sql: String) throws -> Int64? { try text(sql).flatMap { Int64($0) } }

  /// Runs one or more statements.
  func execute(_ sql: String) throws {
    switch source {
    case .file(let url): try Connection(path: url.path).execute(sql)
    case .defaultStore(let store): try store.pool.write { try $0.execute(sql) }
    case .schema(let schema):
      try Self.sharedConnection.withLock { shared in
        let connection = try Self.connection(&shared)
        try connection.execute("SET search_path = \(schema)")
        try connection.execute(Self.quoted(sql))
      }
    case .postgresStore(let store):
      try store.pool.write("a change") { try $0.execute(Self.quoted(sql)) }
    }
  }

  // MARK: SQLite

  private static func rows(_ sql: String, _ connection: Connection) throws -> [[String]] {
    let statement = try connection.prepare(sql)
    defer { statement.reset() }
    var rows: [[String]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.string($0) })
    }
    return rows
  }

  // MARK: PostgreSQL

  private static let sharedConnection = Mutex<PostgresConnection?>(nil)

  private static func connection(
    _ shared: inout PostgresConnection?
  ) throws -> PostgresConnection {
    if let shared { return shared }
    // Statements with equal texts concern the tables of other schemas.
    let connection = try PostgresServer.shared.connect { $0.statements = .unnamed }
    shared = connection
    return connection
  }

  private static func rows(_ sql: String, _ connection: PostgresConnection) throws -> [[String]] {
    try connection.prepare(quoted(sql)).values().map { row in row.map(text) }
  }

  private static func text(_ value: PostgresValue) -> String {
    switch value {
    case .null: ""
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .real(let value): "\(value)"
    case .numeric(let value): "\(value)"
    case .text(let value): value
    case .bytes(let value): value.map { String($0, radix: 16) }.joined(separator: " ")
    case .uuid(let value): value.uuidString
    case .array(let values): values.map(text).joined(separator: " ")
    }
  }

  /// Puts names in capital letters between quotation marks.
  private static func quoted(_ sql: String) -> String {
    if sql.contains("\"") { return sql }
    let parts = sql.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    // A point between letters is no end of a word for Unicode.
    let name = /\b(?:Z[A-Z0-9_]+|A(?:TRANSACTION|CHANGE)[A-Z]*)\b/.wordBoundaryKind(.simple)
    // Every second part is a text.
    return parts.enumerated().map { index, part -> String in
      index % 2 == 1 ? part : part.replacing(name) { "\"\($0.output)\"" }
    }.joined(separator: "'")
  }
}
