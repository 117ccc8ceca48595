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
/// Fetches, saves, relationships, unique values, subclasses, history, batch deletions and migrations
/// work as in the default store. Models with `.preserveValueOnDeletion` are refused when the store is
/// opened. Commits of other containers and
/// processes are seen by later fetches; observers do not notice them. One save is written at a time.
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

  /// Whether opening a store of an older version migrates it. The default is `true`.
  ///
  /// If it is `false`, opening such a store throws `SwiftDataError.loadIssueModelContainer` with the
  /// steps and the differences, and the database stays unchanged. Servers can migrate their store once,
  /// in a deploy script: see `ModelContainer.migrationPreview(for:migrationPlan:configurations:)`.
  public var allowsMigration = true

  /// Whether a migration may delete values, for which the new models have no property.
  ///
  /// Unlike a file, a database is not copied before. So such a migration throws
  /// `SwiftDataError.loadIssueModelContainer` with the numbers of values, and changes nothing, unless
  /// this is `true`. Make a backup first. The default is `false`.
  public var allowsMigrationLosses = false

  /// How long a migration waits for transactions that use the tables. Other sessions that need the
  /// tables wait behind it meanwhile. The default is 10 seconds.
  public var migrationLockTimeout: Duration = .seconds(10)

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

  /// Of the connection for a migration: statements may take any time, and tables change.
  var migrationOptions: ConnectionOptions {
    var options = options
    options.statementTimeout = nil
    options.idleInTransactionTimeout = nil
    options.lockTimeout = migrationLockTimeout
    options.statements = .unnamed
    return options
  }

  func migration(
    to schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> StoreMigration {
    var subject = MigrationSubject(name: "store in \(parameters)")
    subject.allowsSave = allowsSave
    subject.allowsMigration = allowsMigration
    subject.keepsNumbers = true
    let opening = StoreOpeningOptions.current
    return try StoreMigration(
      subject, schema: schema, isPart: opening.isPart, plan: try plan.map { try PlanVersions($0) },
      progress: opening.progress)
  }
}
