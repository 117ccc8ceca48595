import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization

/// The PostgreSQL stores that a test opens in place of default stores.
///
/// Each store has a schema of the database for itself. A second container with the same file URL opens
/// the same schema; each configuration in memory gets a new one. Threads and tasks that do not belong
/// to the test's task are recognised by the URL.
final class PostgresTestStores: Sendable {
  @TaskLocal static var current: PostgresTestStores?

  static var isAvailable: Bool {
    install
    return PostgresServer.isAvailable
  }

  private static let install: Void = StoreSubstitution.install { configuration in
    let stores = current ?? byPath.withLock { $0[configuration.url.path]?.stores }
    return try stores?.configuration(for: configuration)
  }

  private struct Owner {
    weak var stores: PostgresTestStores?
  }

  private static let byPath = Mutex<[String: Owner]>([:])

  private struct Opened {
    var schemas: [String] = []
    var byPath: [String: String] = [:]
  }

  private let opened = Mutex(Opened())

  var count: Int { opened.withLock(\.schemas.count) }

  /// - Throws: `NotOnPostgres` if the configuration asks for what only the default store has.
  private func configuration(
    for configuration: ModelConfiguration
  ) throws -> PostgresConfiguration {
    if configuration.instruments != nil { throw NotOnPostgres("instruments of the file") }
    if !configuration.keepsHistory { throw NotOnPostgres("way to write without history") }
    var other = try PostgresConfiguration(
      configuration.name, schema: configuration.schema, url: address(of: configuration))
    other.allowsSave = configuration.allowsSave
    other.statementLog = configuration.statementLog
    other.historyRetention = configuration.historyRetention
    return other
  }

  /// The schema of the store that a container of the running test has opened at the URL of a file.
  static func schema(of url: URL) -> String? {
    let stores = byPath.withLock { $0[url.path]?.stores }
    return stores?.opened.withLock { $0.byPath[url.path] }
  }

  private func address(of configuration: ModelConfiguration) throws -> String {
    let path = configuration.isStoredInMemoryOnly ? nil : configuration.url.path
    let known = opened.withLock { opened in path.flatMap { opened.byPath[$0] } }
    let schema = try known ?? SchemaMaker.make()
    if known == nil {
      opened.withLock {
        $0.schemas.append(schema)
        if let path { $0.byPath[path] = schema }
      }
      if let path { PostgresTestStores.byPath.withLock { $0[path] = Owner(stores: self) } }
    }
    return try SchemaMaker.address(of: schema)
  }

  /// Removes the tables, so that thousands of tests do not fill the disk.
  func end() {
    let (schemas, paths) = opened.withLock { ($0.schemas, Array($0.byPath.keys)) }
    PostgresTestStores.byPath.withLock { known in for path in paths { known[path] = nil } }
    SchemaMaker.drop(schemas)
  }
}

/// The reason why a test can't run with PostgreSQL stores.
struct NotOnPostgres: Error, CustomStringConvertible {
  let description: String

  init(_ what: String) {
    description = "A PostgreSQL store has no \(what). Mark the test with .sqliteOnly(_:)."
  }
}

/// Creates and drops schemas, with one connection for all tests.
enum SchemaMaker {
  private static let shared = Mutex<PostgresConnection?>(nil)

  static func make() throws -> String {
    let name = "s" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try perform("CREATE SCHEMA \(name)")
    return name
  }

  /// The address of a database whose current schema it is.
  static func address(of schema: String) throws -> String {
    "host=\(try PostgresServer.shared.socketFolder) user=postgres dbname=postgres "
      + "options='-c search_path=\(schema)'"
  }

  /// Leaves schemas that a container still uses.
  static func drop(_ names: [String]) {
    for name in names { try? perform("DROP SCHEMA \(name) CASCADE") }
  }

  private static func perform(_ sql: String) throws {
    try shared.withLock { connection in
      if connection == nil {
        connection = try PostgresServer.shared.connect()
        try connection?.execute("SET lock_timeout = 500; SET client_min_messages = warning")
      }
      try connection?.execute(sql)
    }
  }
}
