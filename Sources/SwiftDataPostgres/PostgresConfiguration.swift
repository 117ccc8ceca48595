import Foundation
import OpenSwiftDataPostgresEngine
public import SwiftData

/// The address, the models and the options of a store in a PostgreSQL database.
///
/// ```swift
/// let configuration = try PostgresConfiguration(
///   url: "postgresql://app@db.example/shop?sslmode=verify-full&sslrootcert=system")
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// ```
///
/// Fetches, saves, relationships, unique values, subclasses, history and batch deletions work as in
/// the default store. Tables of other versions of the models and models with
/// `.preserveValueOnDeletion` are refused when the store is opened. Commits of other containers and
/// processes are seen by later fetches; observers do not notice them.
///
/// Saves of several threads and processes are written at the same time. The server isolates them from each
/// other, so that each rule of the models holds whatever others write. A save that another one has
/// disturbed is repeated. `ModelContext.transaction` and batch deletions exclude other writers, so
/// keep them short.
///
/// The password may be in the URL, in the environment variable `PGPASSWORD`, or in a password file.
/// It never appears in descriptions, errors and logs.
public struct PostgresConfiguration: DataStoreConfiguration, Hashable, Sendable {
  /// The type of store that is made from the configuration.
  public typealias Store = PostgresStore

  /// The name of the configuration; unique within a container.
  public let name: String

  /// The entities in the store; `nil` for those of the container.
  public var schema: Schema?

  /// The maximum number of connections to the server; at least 2, at most 1,000.
  public var connections = 8

  /// How long a statement may run.
  public var statementTimeout: Duration = .seconds(60)

  /// Whether the address leads to a pooler that changes the connection after each transaction, such
  /// as PgBouncer with `pool_mode = transaction`.
  public var usesTransactionPooling = false

  /// Whether the store may be changed.
  public var allowsSave = true

  let parameters: ConnectionParameters

  /// Makes a configuration for a database.
  /// - Parameters:
  ///   - name: The name of the configuration.
  ///   - schema: The entities in the store; `nil` for those of the container.
  ///   - url: `postgresql://user@host:port/database?keyword=value`, or `host=… dbname=…`, with the
  ///     keywords of libpq. Several hosts are separated by commas.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the address is malformed.
  public init(_ name: String = "default", schema: Schema? = nil, url: String) throws {
    self.name = name
    self.schema = schema
    do {
      parameters = try ConnectionParameters(url)
    } catch {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The address of the configuration \(name) is malformed.", underlying: error)
    }
  }

  var options: ConnectionOptions {
    var options = ConnectionOptions()
    options.statementTimeout = statementTimeout
    if usesTransactionPooling { options.statements = .unnamed }
    return options
  }
}
