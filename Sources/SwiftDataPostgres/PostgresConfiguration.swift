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
/// work as in the default store. Commits of other containers and processes are seen by later fetches, and
/// noticed by observers.
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

  /// How long a statement may run. The default is 60 seconds.
  ///
  /// The server ends the statement then, and a wait for a lock after nine tenths of the time, at most 10
  /// seconds. `ModelContext.transaction(waitingAtMost:block:)` may wait longer. If the server does not answer, the
  /// call throws at most three seconds later. A call that needs a connection first waits up to 30 seconds for one that others hold, and
  /// opens one for up to five seconds and `connect_timeout` of the address, 10 seconds by default, for
  /// each host. If the server has no more connections, it waits for those of the container, for the rest of the
  /// 30 seconds. If the answer to a commit is lost, the server is asked for up to 14 seconds what became
  /// of it.
  ///
  /// For a changed row with more than 1 MB the time begins when the server has taken it. While it is sent, the
  /// server may take nothing for this time. New rows that are sent with `COPY` share the time.
  ///
  /// Over TCP a network that loses everything ends each call after 30 seconds, also those of a
  /// migration, whose statements may take any time. The server ends the session of a client that the
  /// network has lost after 30 to 40 seconds, with its locks.
  public var statementTimeout: Duration = .seconds(60)

  /// Whether the address leads to a pooler that changes the connection after each transaction, such
  /// as PgBouncer with `pool_mode = transaction`.
  public var usesTransactionPooling = false

  /// Whether containers announce commits with `NOTIFY`, and hear those of others with `LISTEN`.
  ///
  /// Without it, an observer notices a commit of another process after a twentieth of the time
  /// between commits on average: 20 ms or less while commits follow each other, up to 2 s after
  /// 20 s without commits. With it, after some 10 ms always. It costs one connection for each
  /// container with observers, and a small statement after saves, at most one in 5 ms. A
  /// notification that gets lost is replaced by a poll within 2 s. Set it for all containers of the
  /// store. It is refused with ``usesTransactionPooling``.
  public var notifiesCommits = false

  /// The features of the server that the store may use.
  public var profile = PostgresProfile.postgreSQL

  /// How much history the store keeps; `nil` for all of it.
  ///
  /// Pruning follows saves of this container. Transactions that observers of *other* processes have
  /// not read yet are not kept for them: those observers read all models again.
  public var historyRetention: HistoryRetention?

  /// Whether the store may be changed.
  public var allowsSave = true

  /// Whether opening a store of an older version migrates it. The default is `true`.
  ///
  /// If it is `false`, opening such a store throws `SwiftDataError.loadIssueModelContainer` with the
  /// steps and the differences, and the database stays unchanged. Servers can migrate their store once,
  /// in a deploy script: see `ModelContainer.migrationPreview(for:migrationPlan:configurations:)`. A
  /// store that does not exist is created all the same, if the role may create tables;
  /// ``allowsSave`` `false` refuses it.
  public var allowsMigration = true

  /// Whether a migration may delete values, and objects that others have added to tables.
  ///
  /// Values for which the new models have no property, and triggers, policies and the like of tables that it
  /// creates again.
  /// Unlike a file, a database is not copied before. So such a migration throws
  /// `SwiftDataError.loadIssueModelContainer` with the numbers of values, and changes nothing, unless
  /// this is `true`. Make a backup first. The default is `false`.
  public var allowsMigrationLosses = false

  /// How long a migration waits for transactions that use the tables.
  ///
  /// Other sessions that need the tables wait meanwhile. The default is 10 seconds.
  public var migrationLockTimeout: Duration = .seconds(10)

  /// Receives each statement that the store's connections run, waits for connections, and repeated
  /// saves.
  ///
  /// Statements that were sent together share the time of the round trip. Rows that are inserted with
  /// `COPY` are one statement, whose values are not included. Statements that open and migrate the
  /// store are reported too; preparing a statement is not. Two configurations may be equal although
  /// their logs differ.
  public var statementLog: StatementLog? {
    get { logging.value }
    set { logging.value = newValue }
  }

  private var logging = Uncompared<StatementLog?>(nil)

  let parameters: ConnectionParameters

  /// The servers that may answer reads instead of the primary server.
  let standbys: [ConnectionParameters]

  /// Makes a configuration for a database.
  /// - Parameters:
  ///   - name: The name of the configuration.
  ///   - schema: The entities in the store; `nil` for those of the container.
  ///   - url: `postgresql://user@host:port/database?keyword=value`, or `host=… dbname=…`, with the
  ///     keywords of libpq. Several hosts are separated by commas.
  ///   - readURLs: The addresses of streaming standbys of the same database. Fetches go to one of
  ///     them when it has replayed everything that this container has saved, noticed or read
  ///     before. A read waits up to 50 ms for that, then the primary server answers. Saves, reads
  ///     inside ``ModelContext/transaction(block:)`` and the history use the primary server. A
  ///     standby that is down or lags costs one line on standard error.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the address is malformed.
  public init(
    _ name: String = "default", schema: Schema? = nil, url: String, readURLs: [String] = []
  ) throws {
    self.name = name
    self.schema = schema
    do {
      parameters = try ConnectionParameters(url)
      standbys = try readURLs.map { try ConnectionParameters($0) }
    } catch {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The address of the configuration \(name) is malformed.", underlying: error)
    }
  }

  /// Checks the schema and the options of the configuration.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the schema, a number of connections, a time or
  ///   a limit of ``historyRetention`` is invalid.
  public func validate() throws {
    try SwiftDataError.requireOption(
      (2...1_000).contains(connections), "connections", "\(connections)",
      "a number from 2 to 1,000")
    try SwiftDataError.requireOption(
      statementTimeout > .zero, "statementTimeout", "\(statementTimeout)", "more than zero")
    try SwiftDataError.requireOption(
      migrationLockTimeout >= .zero, "migrationLockTimeout", "\(migrationLockTimeout)",
      "zero or more")
    try historyRetention?.validate()
    try schema?.validate()
  }

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if a listener would not hear anything.
  func requireListening() throws {
    guard notifiesCommits else { return }
    if !profile.notifications {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The configuration \(name) has notifiesCommits, but a profile without notifications. Set "
          + "notifiesCommits to false; then commits are found by polling.")
    }
    guard usesTransactionPooling else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The configuration \(name) has notifiesCommits and usesTransactionPooling, but a pooler that "
        + "changes the connection after each transaction does not pass on notifications. Set one of "
        + "them to false; without notifications commits are found by polling.")
  }

  var options: ConnectionOptions {
    var options = ConnectionOptions()
    options.statementTimeout = statementTimeout
    if usesTransactionPooling { options.statements = .pooled }
    options.tracer = StatementLog.wanted(by: self)?.tracer
    return options
  }

  /// Of the connection for a migration: statements may take any time, and tables change.
  var migrationOptions: ConnectionOptions {
    var options = options
    options.statementTimeout = nil
    options.idleInTransactionTimeout = nil
    options.lockTimeout = migrationLockTimeout
    if !usesTransactionPooling { options.statements = .unnamed }
    return options
  }

  func migration(
    to schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> StoreMigration {
    var subject = MigrationSubject(name: "store in \(parameters)")
    subject.allowsSave = allowsSave
    subject.allowsMigration = allowsMigration
    subject.keepsNumbers = true
    let profile = profile
    subject.isOwnTable = { PostgresCreation.isOwn($0, profile) }
    let opening = StoreOpeningOptions.current
    return try StoreMigration(
      subject, schema: schema, isPart: opening.isPart, plan: try plan.map { try PlanVersions($0) },
      progress: opening.progress)
  }
}
