import OpenSwiftDataPostgresEngine

/// The locks by which the containers of one store exclude each other, until the end of a transaction.
///
/// The profile decides what is locked: a table, a number that belongs to the schema of the database, or
/// a row of the table "Z_LOCK".
struct StoreLock: Sendable {
  enum Purpose: Int64, CaseIterable, Sendable {
    /// Creating and comparing tables.
    case opening = 1
    /// Writing; readers go on.
    case writing = 2
    /// The order of history transactions.
    case history = 3
  }

  /// The table with the rows that are locked.
  static let table = "Z_LOCK"

  let profile: PostgresProfile

  /// Whether any lock is that of a row.
  var needsTable: Bool { !profile.tableLocks || !profile.advisoryLocks }

  init(_ profile: PostgresProfile) {
    self.profile = profile
  }

  /// The statements with which the transactions of saves begin. The lock comes before the first statement
  /// that reads, so that the transaction sees what those before it have committed. The number, the
  /// only integer among the results, tells what became of a transaction whose connection is lost.
  /// - Parameter check: A statement that fails if the tables have changed.
  func preambles(checking check: String) -> [TransactionKind: [String]] {
    guard profile.tableLocks else {
      // Ordinary saves share the row. One that waits for it may see the state from before it waited, but
      // then it fails, because the other writer has changed the row, and is repeated.
      let shared = row(.writing) + " FOR SHARE"
      return [.serializableWrite: [shared, check], .write: [statement(for: .writing), check]]
    }
    func preamble(_ mode: String) -> [String] {
      ["LOCK TABLE \"Z_PRIMARYKEY\" IN \(mode) MODE", check]
    }
    return [
      .serializableWrite: preamble("ROW EXCLUSIVE"), .write: preamble("SHARE ROW EXCLUSIVE"),
    ]
  }

  /// The statement that waits for the lock and takes it. It has no parameters, and may return a row.
  func statement(for purpose: Purpose) -> String {
    switch purpose {
    case .writing where profile.tableLocks:
      "LOCK TABLE \"Z_PRIMARYKEY\" IN SHARE ROW EXCLUSIVE MODE"
    case .opening where profile.advisoryLocks, .history where profile.advisoryLocks:
      "SELECT pg_advisory_xact_lock(hashtextextended("
        + "'OpenSwiftData ' || current_schema(), \(purpose.rawValue)))"
    case .writing: "UPDATE \"Z_LOCK\" SET \"Z_PK\" = \"Z_PK\" WHERE \"Z_PK\" = \(purpose.rawValue)"
    case .opening, .history: row(purpose) + " FOR UPDATE"
    }
  }

  private func row(_ purpose: Purpose) -> String {
    "SELECT \"Z_PK\" IS NULL FROM \"Z_LOCK\" WHERE \"Z_PK\" = \(purpose.rawValue)"
  }

  /// Creates the table with the rows, if any lock needs it. Called before the first lock is taken,
  /// outside of transactions.
  func prepare(_ connection: PostgresConnection) throws {
    guard needsTable else { return }
    // Programs that create it at the same time may fail once.
    for isLast in [false, true] where try !PostgresCatalog.hasTable(StoreLock.table, connection) {
      let rows = Purpose.allCases.map { "(\($0.rawValue))" }.joined(separator: ", ")
      do {
        try connection.execute(
          "CREATE TABLE \"Z_LOCK\" (\"Z_PK\" BIGINT PRIMARY KEY); "
            + "INSERT INTO \"Z_LOCK\" VALUES \(rows)")
      } catch let error as PostgresError
        where !isLast && (error.isUniquenessViolation || error.state == "42P07")
      {
        continue
      }
    }
  }
}
