import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData
import Synchronization

/// Detects that another process or container has migrated the tables of an open store, or that the address
/// leads to another store.
///
/// A save checks it with the statement that begins its transaction, so it never writes into tables of
/// another version. A read checks it afterwards, if the last check is older than `interval`, and after
/// an error that changed tables may have caused. A migration excludes checks for longer than `interval`
/// before its commit (`PostgresStoreLock.outlastChecks`), so a read that began after the commit is
/// checked, and one that began before has waited that long or saw the tables before. A standby may
/// replay a migration faster than that: a read of it within `interval` after a check could mistake a
/// column that was given to another property with the same name and type.
final class PostgresSchemaMonitor: Sendable {
  /// Why the tables can't be used any more.
  enum Refusal: Error {
    /// They have changed since the store was opened.
    case migrated
    /// They are those of another store: the database or its schema was replaced.
    case replaced
  }

  private struct State {
    /// The version of the row with the store's description; empty if it is not the one that was read at the
    /// opening.
    var version = ""
    /// The statements with which the transactions of saves begin. They check the version.
    var preambles: [TransactionKind: [String]] = [:]
    /// A version on a standby that describes the same entities.
    var acceptedOnStandby: String?
    /// A time before the last check began.
    var lastCheck: ContinuousClock.Instant
    var isMigrated = false
    /// Whether a transaction has failed because of another version, and none was looked up since then.
    var hasFailedCheck = false
  }

  static let interval: Duration = .milliseconds(100)

  private let identifier: String
  private let entities: StoreSchemaMonitor
  /// The expression for the version of the row with the description.
  private let versionTerm: String
  private let lock: StoreLock
  private let state: Mutex<State>

  /// - Parameters:
  ///   - stored: The description that was read at the opening.
  ///   - start: A time before it was read.
  init(
    _ stored: StoredSchema, _ mapping: SchemaMapping, _ lock: StoreLock,
    since start: ContinuousClock.Instant, _ connection: PostgresConnection
  ) throws {
    identifier = stored.identifier
    entities = StoreSchemaMonitor(stored, mapping, latest: stored)
    self.lock = lock
    // Each change of a row writes a new version of it, with the number of the transaction. To compare that
    // takes a tenth of the time for the hash, which other systems have too.
    versionTerm = lock.profile.tableLocks ? "xmin::text" : PostgresSchemaMonitor.digest
    let found = try connection.prepare(
      "SELECT \(versionTerm), \(PostgresSchemaMonitor.digest) \(PostgresSchemaMonitor.source)"
    ).values().first
    let isSame = found?.last == .text(stored.metadataHash)
    state = Mutex(State(lastCheck: start))
    note(version: isSame ? PostgresSchemaMonitor.text(found?.first) ?? "" : "")
  }

  private func note(version: String) {
    let preambles = lock.preambles(checking: check(version))
    state.withLock { state in
      state.version = version
      state.preambles = preambles
    }
  }

  /// The statements with which the transactions of saves begin: the lock, and a check that fails if the
  /// description of the store has changed.
  var preambles: [TransactionKind: [String]] { state.withLock(\.preambles) }

  /// The statement for the identifier of the store and the hash of its description, as one text.
  static let descriptionStatement = "SELECT \(identifierColumn) || \(digest) \(source)"

  private static let identifierColumn = "\"Z_UUID\""
  private static let digest = "encode(sha256(\"Z_PLIST\"), 'hex')"
  private static let source = "FROM \"Z_METADATA\""

  private static func text(_ value: PostgresValue?) -> String? {
    if case .text(let text)? = value { text } else { nil }
  }

  private func currentVersion(
    _ connection: PostgresConnection
  ) throws -> (version: String, isSameStore: Bool) {
    let columns = "\(versionTerm), \(PostgresSchemaMonitor.identifierColumn)"
    let found = try connection.prepare("SELECT \(columns) \(PostgresSchemaMonitor.source)")
      .values().first
    return (
      PostgresSchemaMonitor.text(found?.first) ?? "",
      PostgresSchemaMonitor.text(found?.last) == identifier
    )
  }

  /// A statement that fails with a division by zero if the description has another version or is that of
  /// another store. Otherwise it returns the number of the transaction, if the profile has such numbers.
  private func check(_ version: String) -> String {
    let source = PostgresSchemaMonitor.source
    // An incomplete copy has no identifier.
    let isSameStore =
      "\(PostgresSchemaMonitor.identifierColumn) IS NOT DISTINCT FROM "
      + PostgresConnection.literal(identifier)
    guard lock.profile.tableLocks else {
      return
        "SELECT 1 / count(*) = 1 \(source) WHERE \(versionTerm) = '\(version)' AND \(isSameStore)"
    }
    // An empty text is no number, and no row has the version 0.
    let number = version.isEmpty ? "0" : version
    return
      "SELECT txid_current() / (xmin = '\(number)'::xid AND \(isSameStore))::integer \(source)"
  }

  /// Whether the error is that of `check`.
  static func isFailedCheck(_ last: PostgresError) -> Bool {
    let error = last.causes.first ?? last
    return error.state == "22012" && error.sql?.contains(source) == true
  }

  /// Whether changed tables may be the cause: a column or a table does not exist, has another type, or
  /// a value cannot be read.
  static func mayBeCause(of error: PostgresError) -> Bool {
    error.kind == .value || error.kind == .invalidAnswer
      || ["42703", "42P01", "42804", "42883", "0A000"].contains(error.state?.rawValue)
  }

  /// Checks the store if the last check is old. Inside a transaction nothing is checked: one that writes
  /// has begun with a check, and a snapshot shows an old description. It is checked after its end.
  /// - Throws: `Refusal`.
  func didRead(_ connection: PostgresConnection, onStandby isStandby: Bool = false) throws {
    if connection.hasOpenTransaction { return }
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      state.isMigrated || now - state.lastCheck > PostgresSchemaMonitor.interval
    }
    // Whether a check is due depends on the time only, so no statement of the program has caused it.
    guard isDue else { return }
    try ExchangeCount.pausing {
      try connection.untraced { try verify(connection, onStandby: isStandby) }
    }
  }

  /// Compares the entities if the description has changed: another program may have added its own.
  /// - Parameter isStandby: Whether the connection is one for reads only.
  /// - Throws: `Refusal`, or `PostgresError` if a standby describes other entities: it may lag, or have another
  ///   store by now, so the read is repeated on the primary server, which decides.
  func verify(_ connection: PostgresConnection, onStandby isStandby: Bool) throws {
    let known = state.withLock { $0 }
    if known.isMigrated { throw Refusal.migrated }
    let start = ContinuousClock.now
    // The description of a snapshot tells nothing about the present.
    let isCurrent = !connection.hasOpenTransaction
    let (version, isSameStore) = try currentVersion(connection)
    guard isSameStore else {
      if isStandby { throw PostgresSchemaMonitor.standbyDiffers }
      // The address may lead to the store again.
      throw Refusal.replaced
    }
    if version != known.version {
      let isStandby =
        try isStandby
        || connection.prepare("SELECT pg_is_in_recovery()::int::bigint").integer() == 1
      if !(isStandby && version == known.acceptedOnStandby) {
        let stored = try connection.snapshot { try PostgresCatalog.read(connection) }
        let isSame = stored.map(entities.describesSameEntities) ?? false
        if !isSame {
          if isStandby { throw PostgresSchemaMonitor.standbyDiffers }
          state.withLock { $0.isMigrated = true }
          throw Refusal.migrated
        }
      }
      if isStandby {
        // Only the primary server decides which version saves expect.
        return state.withLock { state in
          state.acceptedOnStandby = version
          if isCurrent { state.lastCheck = start }
        }
      }
    }
    guard isCurrent else { return }
    if version != known.version { note(version: version) }
    state.withLock { state in
      state.lastCheck = start
      state.hasFailedCheck = false
    }
  }

  /// Called after the check of a transaction has failed in which nothing can be read any more.
  func noteFailedCheck() { state.withLock { $0.hasFailedCheck = true } }

  /// Compares the entities if a check has failed, before the next transaction begins.
  /// - Throws: `Refusal`, or `PostgresError`.
  func willWrite(_ connection: PostgresConnection) throws {
    guard state.withLock(\.hasFailedCheck), !connection.hasOpenTransaction else { return }
    try verify(connection, onStandby: false)
  }

  private static let standbyDiffers = PostgresError(
    .server, "the standby has the tables of another version or store", state: "42P01")
}

extension PostgresSchemaMonitor.Refusal {
  private var text: String {
    switch self {
    case .migrated:
      "The store was migrated by another process or container since it was opened: its tables now belong to "
        + "other models. Open it again with those models"
    case .replaced:
      "The address leads to another store now: the database or its schema was replaced while the store was "
        + "open. Open a new container for the store that is there"
    }
  }

  var whileReading: any Error {
    SwiftDataError.storeReadFailure.with(
      "\(text).", doing: "reading rows", because: .schemaMismatch)
  }

  func whileWriting(else consequence: String) -> any Error {
    SwiftDataError.storeWriteFailure.with(
      "\(text); \(consequence).", doing: "beginning the transaction", because: .schemaMismatch)
  }
}
