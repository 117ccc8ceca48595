import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData

/// The locks of a migration, held until the end of its transaction.
struct PostgresStoreLock {
  let connection: PostgresConnection
  let pool: PostgresPool
  let configuration: PostgresConfiguration

  /// How long to wait for another program that creates or migrates the tables.
  private static let openingLimit: Duration = .seconds(600)

  func takeOpeningLock() throws {
    try limitWait(to: PostgresStoreLock.openingLimit)
    do {
      try connection.execute(StoreLock(configuration.profile).statement(for: .opening))
    } catch let error as PostgresError where error.state == .lockNotAvailable {
      throw failure("another program migrates it", "l.locktype = 'advisory'", error)
    }
    try limitWait(to: configuration.migrationLockTimeout)
  }

  /// Waits for running saves and excludes further ones; rows can still be read. Statements that change
  /// tables exclude readers too, with the same limit.
  func lockTables(of stored: StoredSchema) throws {
    // Every save uses the first table, so that saves and migrations wait in the same order.
    let tables = ["Z_PRIMARYKEY"] + stored.objects.subtracting(["Z_PRIMARYKEY"]).sorted()
    let names = tables.filter { name in
      name == "Z_PRIMARYKEY" || stored.columns[name]?["Z_PK"] != nil || name.hasPrefix("Z_")
    }.map(PostgresConnection.quoted)
    do {
      guard configuration.profile.tableLocks else {
        return try connection.execute(StoreLock(configuration.profile).statement(for: .writing))
      }
      for name in names {
        try connection.execute("LOCK TABLE \(name) IN SHARE ROW EXCLUSIVE MODE")
      }
    } catch let error as PostgresError where error.state == .lockNotAvailable {
      throw busy(error)
    }
  }

  /// Waits until no open container relies on a check that found the version before, so that each read
  /// after the commit is followed by a check. The last lock before the commit.
  ///
  /// While "Z_METADATA" is locked, no check succeeds. So at the commit the last one is older than the
  /// interval, within which reads rely on it. In profiles without such locks a read may be mistaken
  /// during the interval after a migration.
  func outlastChecks() throws {
    guard configuration.profile.tableLocks else { return }
    do {
      try connection.execute("LOCK TABLE \"Z_METADATA\" IN ACCESS EXCLUSIVE MODE")
    } catch let error as PostgresError where error.state == .lockNotAvailable {
      throw busy(error)
    }
    let margin = Duration.milliseconds(50)
    Thread.sleep(forTimeInterval: (PostgresSchemaMonitor.interval + margin) / .seconds(1))
  }

  /// The error for tables that other sessions hold.
  func busy(_ error: PostgresError) -> any Error {
    failure(
      "its tables are in use",
      """
      l.locktype = 'relation' AND l.relation IN (SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n \
      ON n.oid = c.relnamespace WHERE n.nspname = current_schema())
      """, error)
  }

  private func limitWait(to limit: Duration) throws {
    try connection.execute("SET LOCAL lock_timeout = \(max(limit.milliseconds, 1))")
  }

  private func failure(_ reason: String, _ condition: String, _ error: PostgresError) -> any Error {
    let own = connection.serverProcess
    // A prepared transaction has no process. The lock of its own number leads to its other locks.
    let holders = try? pool.read("finding the holders of locks") { reader in
      try reader.prepare(
        """
        SELECT DISTINCT 'process ' || a.pid || ' (' || coalesce(nullif(a.application_name, ''), \
        'without a name') || ', ' || coalesce(a.state, 'unknown') || ', transaction open for ' || \
        coalesce(extract(epoch FROM now() - a.xact_start)::bigint::text, '0') || ' s)' \
        FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid \
        WHERE l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = \
        current_database()) AND a.pid NOT IN (\(own), pg_backend_pid()) AND \(condition) \
        UNION SELECT 'prepared transaction ' || quote_literal(p.gid) || ' of ' || p.owner || \
        ' (COMMIT PREPARED or ROLLBACK PREPARED ' || quote_literal(p.gid) || ' ends it)' \
        FROM pg_prepared_xacts AS p JOIN pg_locks AS t ON t.transactionid = p.transaction \
        JOIN pg_locks AS l ON l.virtualtransaction = t.virtualtransaction \
        WHERE p.database = current_database() AND t.pid IS NULL AND t.granted \
        AND l.pid IS NULL AND l.granted AND \(condition)
        """
      ).values().compactMap { if case .text(let text)? = $0.first { text } else { nil } }
    }
    let listed =
      holders.map { $0.isEmpty ? "" : " Locks are held by: \($0.joined(separator: ", "))." } ?? ""
    return SwiftDataError.loadIssueModelContainer.with(
      "The store in \(configuration.parameters) can't be migrated, because \(reason).\(listed) The "
        + "database is unchanged. End these transactions, or try again later. migrationLockTimeout of the "
        + "configuration sets how long to wait.", doing: "migrating a store", underlying: error)
  }
}
