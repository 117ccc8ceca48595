import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData
import Synchronization

/// Detects that another process or container has migrated the tables of an open store.
///
/// A save checks it with the statement that begins its transaction, so it never writes into tables of
/// another version. A read checks it afterwards, if the last check is older than `interval`, and after
/// an error that changed tables may have caused. A migration excludes checks for longer than `interval`
/// before its commit (`PostgresStoreLock.outlastChecks`), so a read that began after the commit is
/// checked, and one that began before has waited that long or saw the tables before. A standby may
/// replay a migration faster than that: a read of it within `interval` after a check could mistake a
/// column that was given to another property with the same name and type.
final class PostgresSchemaMonitor: Sendable {
  /// The tables of the store have changed since it was opened.
  struct Migrated: Error {}

  private struct State {
    /// The hash of the store's description.
    var digest: String
    /// A time before the last check began.
    var lastCheck: ContinuousClock.Instant
    var isMigrated = false
  }

  static let interval: Duration = .milliseconds(100)

  private let entities: StoreSchemaMonitor
  private let state: Mutex<State>

  /// - Parameter start: A time before the description was read.
  init(
    _ stored: StoredSchema, _ mapping: SchemaMapping, digest: String,
    since start: ContinuousClock.Instant
  ) {
    entities = StoreSchemaMonitor(stored, mapping, latest: stored)
    state = Mutex(State(digest: digest, lastCheck: start))
  }

  /// The statement for the hash of the store's description.
  static let digestStatement = "SELECT encode(sha256(\"Z_PLIST\"), 'hex') FROM \"Z_METADATA\""

  static func digest(_ connection: PostgresConnection) throws -> String {
    let found = try connection.prepare(digestStatement).values()
    if case .text(let digest)? = found.first?.first { return digest }
    return ""
  }

  /// A division by zero if no row has the hash.
  private static let checkPrefix = "SELECT CASE WHEN 1 / count(*) = 1 THEN"

  /// A statement that fails if the description of the store has changed.
  /// - Parameter value: The expression whose value it returns otherwise.
  func check(returning value: String) -> String {
    """
    \(PostgresSchemaMonitor.checkPrefix) \(value) END FROM "Z_METADATA" \
    WHERE encode(sha256("Z_PLIST"), 'hex') = '\(state.withLock(\.digest))'
    """
  }

  /// Whether the error is that of `check`.
  static func isFailedCheck(_ last: PostgresError) -> Bool {
    let error = last.causes.first ?? last
    return error.state == "22012" && error.sql?.contains(checkPrefix) == true
  }

  /// Whether changed tables may be the cause: a column or a table does not exist, has another type, or
  /// a value cannot be read.
  static func mayBeCause(of error: PostgresError) -> Bool {
    error.kind == .value || error.kind == .invalidAnswer
      || ["42703", "42P01", "42804", "42883", "0A000"].contains(error.state?.rawValue)
  }

  /// Checks the store if the last check is old. Inside a transaction nothing is checked: one that writes
  /// has begun with a check, and a snapshot shows an old description. It is checked after its end.
  /// - Throws: `Migrated`.
  func didRead(_ connection: PostgresConnection) throws {
    if connection.hasOpenTransaction { return }
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      state.isMigrated || now - state.lastCheck > PostgresSchemaMonitor.interval
    }
    // Whether a check is due depends on the time only, so no statement of the program has caused it.
    guard isDue else { return }
    try ExchangeCount.pausing { try connection.untraced { try verify(connection) } }
  }

  /// Compares the entities if the description has changed: another program may have added its own.
  /// - Throws: `Migrated`, or `PostgresError` if a standby has another description: it may lag, so the read is
  ///   repeated on the primary server, which decides.
  func verify(_ connection: PostgresConnection) throws {
    let known = state.withLock { $0 }
    if known.isMigrated { throw Migrated() }
    let start = ContinuousClock.now
    // The description of a snapshot tells nothing about the present.
    let isCurrent = !connection.hasOpenTransaction
    let digest = try PostgresSchemaMonitor.digest(connection)
    if digest != known.digest {
      if try connection.prepare("SELECT pg_is_in_recovery()::int::bigint").integer() == 1 {
        throw PostgresError(
          .server, "the standby has the tables of another version", state: "42P01")
      }
      let stored = try connection.snapshot { try PostgresCatalog.read(connection) }
      guard let stored, entities.describesSameEntities(stored) else {
        state.withLock { $0.isMigrated = true }
        throw Migrated()
      }
    }
    guard isCurrent else { return }
    state.withLock { state in
      state.digest = digest
      state.lastCheck = start
    }
  }

  private static let advice =
    "was migrated by another process or container since it was opened: its tables now belong to other "
    + "models. Open it again with those models"

  static var whileReading: any Error {
    SwiftDataError.storeReadFailure.with(
      "The store \(advice).", doing: "reading rows", because: .schemaMismatch)
  }

  static func whileWriting(else consequence: String) -> any Error {
    SwiftDataError.storeWriteFailure.with(
      "The store \(advice); \(consequence).", doing: "beginning the transaction",
      because: .schemaMismatch)
  }
}
