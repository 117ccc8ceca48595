import Foundation
package import OpenSwiftDataRowStorage
package import OpenSwiftDataSQLSyntax

/// A database as the relational engine uses it: connections that are lent, statements that run.
///
/// The verbs are coarse. Each stands for a statement or a batch of rows, never for a row or a column, so
/// calls through the existential cost nothing that counts. What happens for every row and column is
/// generic code of the engine (`RowReading`, `RowValues`) over types of the driver, and compiled for them.
package protocol SQLDriver: Sendable {
  /// The dialect, and what the database can do.
  var capabilities: SQLCapabilities { get }

  /// Lends a session that sees what is committed, and what the thread itself has written.
  func read<R>(_ body: (any SQLSession) throws -> R) throws -> R

  /// Runs reads that see one state of the database, each on the session that `read` lends meanwhile.
  func snapshot<R>(_ body: () throws -> R) throws -> R

  /// Lends the session that writes; only one is lent at a time.
  /// - Parameter consequence: What did not happen when it throws, for the error.
  func write<R>(else consequence: String, _ body: (any SQLSession) throws -> R) throws -> R

  /// Lends the session that writes to this thread until the lease ends.
  /// - Parameter limit: How long to wait for another thread; `nil` for the driver's own limit.
  func leaseWriter(within limit: Duration?) throws -> any SQLWriterLease

  /// Gives space that deleted rows have left back to the system, a piece after the other, each in a
  /// transaction of its own, so that other writers may come between. Ends early where one of them keeps it
  /// from going on.
  /// - Parameter limit: At most this many pages, where the database has pages; `nil` for all.
  func reclaimSpace(limit: Int?)

  /// Keeps large values outside of their rows; `nil` where all are kept in them.
  var externalValues: (any ExternalValueStore)? { get }
}

/// Keeps large values outside of their rows, in step with the transactions of the one writer.
///
/// 1. The engine hands over the large values of a save, and writes rows that name them.
/// 2. What rows name no more is noted by the driver, whichever statement changes or deletes them.
/// 3. `didBegin` comes after the begin, `willCommit` before the commit, `didCommit` after it, or else
///    `didRollBack`: values that no row names are removed then. Transactions may be nested where the
///    session nests them.
package protocol ExternalValueStore: OutsideValues {
  /// The longest value that stays in its row.
  var threshold: Int { get }

  /// Keeps the values; they outlive a crash from here on.
  /// - Returns: Their names, in the same order.
  /// - Throws: `SwiftDataError.storeWriteFailure`; `didRollBack` follows.
  func write(_ values: [Data]) throws -> [String]

  func didBegin()

  /// - Throws: `SwiftDataError.storeWriteFailure`; `didRollBack` follows.
  func willCommit() throws
  func didCommit()

  /// - Parameter triedCommit: Whether a commit failed, so that it is not known what is stored.
  func didRollBack(triedCommit: Bool)
}

extension ExternalValueStore {
  /// Runs a transaction of `session`, followed by its values.
  package func transaction<R>(_ session: any SQLSession, _ body: () throws -> R) throws -> R {
    var hasBegun = false
    var triesCommit = false
    do {
      let result = try session.transaction {
        didBegin()
        hasBegun = true
        let result = try body()
        try willCommit()
        triesCommit = true
        return result
      }
      didCommit()
      return result
    } catch {
      if hasBegun { didRollBack(triedCommit: triesCommit) }
      throw error
    }
  }
}

extension SQLSession {
  package func beginEnclosingTransaction(within limit: Duration?) throws { try begin() }
  package func commitEnclosingTransaction() throws { try commit() }
  package func rollbackEnclosingTransaction() { rollback() }
}

extension SQLDriver {
  package func leaseWriter() throws -> any SQLWriterLease { try leaseWriter(within: nil) }

  package func snapshot<R>(_ body: () throws -> R) throws -> R {
    try read { try $0.snapshot(body) }
  }

  package func reclaimSpace(limit: Int?) {}

  package var dialect: SQLDialect { capabilities.dialect }
}

/// The session that writes, lent beyond one call: between writing a save and committing it.
package protocol SQLWriterLease: AnyObject {
  /// Errors of the database leave in the words of the model, as those of `SQLDriver.write` do.
  func use<R>(_ body: (any SQLSession) throws -> R) throws -> R

  /// Gives the session back; a second call does nothing.
  func end()
}

/// One connection, used by one thread at a time. The same object for as long as the connection lives.
package protocol SQLSession: AnyObject {
  /// A statement for the text, prepared now or before.
  func statement(_ sql: String) throws -> any PreparedSQL

  /// Begins a transaction that no other writer comes between.
  func begin() throws
  func commit() throws
  func rollback()

  /// Begins a transaction that all others of the session become parts of.
  /// - Parameter limit: How long to wait for another writer; `nil` for the session's own limit.
  func beginEnclosingTransaction(within limit: Duration?) throws
  func commitEnclosingTransaction() throws
  func rollbackEnclosingTransaction()

  /// Commits what `body` did, or rolls all of it back when `body` or the commit throws.
  func transaction<R>(_ body: () throws -> R) throws -> R

  /// Runs reads that see one state of the database.
  func snapshot<R>(_ body: () throws -> R) throws -> R

  /// Keeps what `body` did within the running transaction, or undoes it when `body` throws.
  func savepoint<R>(_ name: String, _ body: () throws -> R) throws -> R

  /// Differs from an earlier one of the session when anything may have been written since. Only for
  /// databases that tell changes.
  func changeStamp() throws -> ChangeStamp
}

/// A state of the database as one session sees it.
package struct ChangeStamp: Hashable, Sendable {
  /// Counts what others wrote.
  package var others: Int64
  /// Counts what the session wrote.
  package var own: Int64

  package init(others: Int64, own: Int64) {
    self.others = others
    self.own = own
  }
}

/// A statement of a session; every verb binds anew and leaves it ready for the next one.
package protocol PreparedSQL: AnyObject {
  /// Runs to the end.
  /// - Returns: How many rows were changed.
  @discardableResult
  func run(_ parameters: SQLParameters) throws -> Int

  /// Runs once for each row of a batch.
  func run(_ rows: RowWrites) throws

  /// Runs once for each pair.
  /// - Parameter changed: Called for each pair that changed a row.
  func run(_ pairs: [KeyPair], changed: (KeyPair) -> Void) throws

  /// The first column of the first row; `nil` without a row or when it is null.
  func integer(_ parameters: SQLParameters) throws -> Int64?

  /// All columns of all rows, one row after the other; 0 for null.
  func integers(_ parameters: SQLParameters) throws -> [Int64]

  /// All columns of all rows.
  func values(_ parameters: SQLParameters) throws -> [[_StoredValue]]

  /// Adds the keys that the rows give, with the entity number from a second column if there is one.
  func keys(_ parameters: SQLParameters, into keys: inout RowKeys) throws

  /// Copies the rows into pages.
  func rows(_ parameters: SQLParameters, _ reading: RowReading) throws -> ReadRows
}

/// An error of a database, as far as the engine understands it.
package protocol DatabaseFailure: Error {
  /// A unique index or a primary key refused a row.
  var isUniquenessViolation: Bool { get }
}
