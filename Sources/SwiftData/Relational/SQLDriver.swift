import Foundation
package import OpenSwiftDataRowStorage
package import OpenSwiftDataSQLSyntax

/// The relational engine's interface to a database: lends connections, which run statements.
///
/// A database has one writer at a time, or several, whose transactions it isolates from each other
/// (`WriteAccess`). Several need a `NumberAllocator`.
///
/// Each function stands for a statement or a batch of rows, never for a single row or column, so
/// calls through the existential cost little. Work per row and column is generic code of the engine
/// (`RowReading`, `RowValues`), specialised for the driver's types.
package protocol SQLDriver: Sendable {
  /// The dialect and the features of the database.
  var capabilities: SQLCapabilities { get }

  /// How many threads can read at the same time while another one writes.
  var readerCount: Int { get }

  /// How many transactions may write at the same time.
  var writerCount: Int { get }

  /// Lends a session that sees commits, and uncommitted changes of the same context on the same thread.
  /// - Parameters:
  ///   - reader: The context; `nil` for any of the thread.
  ///   - body: May run again if the connection is lost, or if another process writes a file that can't be locked.
  /// - Throws: `SwiftDataError.storeReadFailure` also if the only session has uncommitted changes of another
  ///   context of the thread.
  func read<R>(for reader: EditingState.ID?, _ body: (any SQLSession) throws -> R) throws -> R

  /// Runs reads that see one state of the database, each on the session that `read` lends this reader
  /// meanwhile.
  /// - Parameter canRepeat: Whether `body` may run again, as that of `read` may.
  func snapshot<R>(
    for reader: EditingState.ID?, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R

  /// Runs reads that see all commits, on the database itself instead of a copy of it that may lag. They
  /// may run again if the connection is lost.
  func readingPrimary<R>(for reader: EditingState.ID?, _ body: () throws -> R) throws -> R

  /// Makes later reads include a transaction of the history, and all before it.
  func includeInReads(_ number: Int64)

  /// Called after a change has been committed. Later reads include it.
  /// - Parameter number: The number of the transaction in the history; `nil` if it is not known.
  func didCommit(_ number: Int64?)

  /// Lends a writing session; only one thread has it at a time.
  /// - Parameters:
  ///   - writer: The context that writes, if there is one.
  ///   - consequence: What did not happen if it throws, for the error message.
  func write<R>(
    for writer: EditingState.ID?, else consequence: String,
    _ body: (any SQLSession) throws -> R
  ) throws -> R

  /// Lends a writing session to this thread until the lease ends.
  /// - Parameters:
  ///   - writer: The context that writes, if there is one.
  ///   - limit: How long to wait for another thread; `nil` for the driver's own limit. With `.zero` it throws
  ///     if the session is not free.
  func leaseWriter(
    for writer: EditingState.ID?, within limit: Duration?
  ) throws -> any SQLWriterLease

  /// Releases free space to the operating system in small steps. Each step has its own transaction,
  /// so that other writers can run in between. Ends early if another writer blocks it.
  /// - Parameter limit: The maximum number of pages, if the database has pages; `nil` for all.
  func reclaimSpace(limit: Int?)

  /// Stores large values outside their rows; `nil` if all values are stored in rows.
  var externalValues: (any ExternalValueStore)? { get }

  /// Keys and history numbers for several writers at once; `nil` if only one can write. Then the
  /// engine continues the largest numbers.
  var numberAllocator: (any NumberAllocator)? { get }
}

/// Stores large values outside their rows, consistently with the transactions of the single writer.
///
/// 1. The engine passes the large values of a save, and then writes rows with their names.
/// 2. The driver records names that rows no longer contain, whichever statement changes or deletes
///    them.
/// 3. `didBegin` is called after the begin, `willCommit` before the commit, and then `didCommit` or
///    `didRollBack`, which removes values that no row names. Transactions may be nested if the
///    session supports it.
package protocol ExternalValueStore: ExternalValues {
  /// The maximum size in bytes of a value that stays in its row.
  var threshold: Int { get }

  /// Stores the values, so that they survive a crash.
  /// - Returns: Their names, in the same order.
  /// - Throws: `SwiftDataError.storeWriteFailure`; `didRollBack` is called then.
  func write(_ values: [Data]) throws -> [String]

  /// Called in a transaction with the name of a value that no row contains any more.
  func recordDropped(_ name: String)

  func didBegin()

  /// - Throws: `SwiftDataError.storeWriteFailure`; `didRollBack` is called then.
  func willCommit() throws
  func didCommit()

  /// - Parameter triedCommit: Whether a commit failed, so that it is not known what is stored.
  func didRollBack(triedCommit: Bool)
}

extension ExternalValueStore {
  /// Runs a transaction of `session`, and calls the external value store accordingly.
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
  /// The first column of the first row; `nil` if there is no row or it is null.
  func integer(_ sql: String) throws -> Int64? { try statement(sql).integer(.none) }

  /// The first column of all rows, as text.
  func texts(_ sql: String) throws -> [String] {
    try statement(sql).values(.none).map { row in
      if case .text(let text)? = row.first { text } else { "" }
    }
  }

  package func rows(of reads: [SQLRead]) throws -> [ReadRows] {
    try reads.map { try statement($0.sql).rows($0.parameters, $0.reading) }
  }

  package func results(of statements: [BatchStatement]) throws -> [StatementResult] {
    try statements.map { statement in
      let prepared = try self.statement(statement.sql)
      return statement.returnsRows
        ? StatementResult(integers: try prepared.integers(statement.parameters))
        : StatementResult(changedRows: try prepared.run(statement.parameters))
    }
  }

  package func requireLater(_ sql: String, _ parameters: SQLParameters) throws {
    if try statement(sql).integers(parameters).isEmpty { throw MissingRow() }
  }

  package func begin(_ access: WriteAccess) throws { try begin() }
  package var runsBesideWriters: Bool { false }
  package var isOptimistic: Bool { false }
  package func beginEnclosingTransaction(_ access: WriteAccess, within limit: Duration?) throws {
    try begin()
  }
  package func endAfterNextTransaction() {}
  package func makeEnclosingIndivisible() {}
  package var failure: (any Error)? { nil }
  package var state: StoreState? { nil }
  package var hasBegunReading: Bool { true }
  package func commitEnclosingTransaction() throws { try commit() }
  package func rollbackEnclosingTransaction() { rollback() }
}

extension SQLDriver {
  package var readerCount: Int { 1 }

  package var writerCount: Int { 1 }

  func read<R>(_ body: (any SQLSession) throws -> R) throws -> R { try read(for: nil, body) }

  func snapshot<R>(canRepeat: () -> Bool, _ body: () throws -> R) throws -> R {
    try snapshot(for: nil, canRepeat: canRepeat, body)
  }

  func readingPrimary<R>(_ body: () throws -> R) throws -> R {
    try readingPrimary(for: nil, body)
  }

  func write<R>(else consequence: String, _ body: (any SQLSession) throws -> R) throws -> R {
    try write(for: nil, else: consequence, body)
  }

  package func snapshot<R>(
    for reader: EditingState.ID?, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R {
    try read(for: reader) { session in
      try ReadInterruption.allowed(in: session) { try session.snapshot(body) }
    }
  }

  package func readingPrimary<R>(
    for reader: EditingState.ID?, _ body: () throws -> R
  ) throws -> R { try body() }

  package func includeInReads(_ number: Int64) {}

  package func didCommit(_ number: Int64?) {}

  package func reclaimSpace(limit: Int?) {}

  package var numberAllocator: (any NumberAllocator)? { nil }

  package var dialect: SQLDialect { capabilities.dialect }
}

/// The writing session, lent for longer than one call: from writing a save until its commit.
package protocol SQLWriterLease: AnyObject {
  /// Converts database errors to `SwiftDataError`, like `SQLDriver.write`.
  func use<R>(_ body: (any SQLSession) throws -> R) throws -> R

  /// Returns the session; a second call does nothing.
  func end()
}

/// One connection, used by one thread at a time. The object is the same for the connection's whole
/// life.
package protocol SQLSession: InterruptibleSession {
  /// A statement for the text, prepared now or earlier.
  func statement(_ sql: String) throws -> any PreparedSQL

  /// Copies the rows of several statements. A server is asked for all of them in one round trip.
  func rows(of reads: [SQLRead]) throws -> [ReadRows]

  /// Runs several statements that do not need each other's results. A server gets all of them in one round
  /// trip.
  func results(of statements: [BatchStatement]) throws -> [StatementResult]

  /// Runs a statement that returns rows before the next one of an optimistic transaction, or now.
  /// - Throws: A `ConflictingWrite` if it returns no row, here or from a later statement or the commit.
  func requireLater(_ sql: String, _ parameters: SQLParameters) throws

  /// Runs one or more statements without parameters, which are not kept; ignores rows.
  func execute(_ sql: String) throws

  /// Begins a transaction that excludes other writers.
  func begin() throws

  /// Begins a transaction. With shared access, where the database allows several writers, each
  /// statement and the commit may throw a `ConflictingWrite`.
  func begin(_ access: WriteAccess) throws
  func commit() throws
  func rollback()

  /// Whether the open transaction has shared or optimistic access. One inside another has the access of
  /// that one.
  var runsBesideWriters: Bool { get }

  /// Whether the open transaction has optimistic access. One inside another has its own, because it can be
  /// undone alone.
  var isOptimistic: Bool { get }

  /// Begins a transaction that contains all others of the session.
  /// - Parameters:
  ///   - access: Whether others may write at the same time. If they may, it need not begin before its first
  ///     statement.
  ///   - limit: How long to wait for another writer; `nil` for the session's own limit.
  func beginEnclosingTransaction(_ access: WriteAccess, within limit: Duration?) throws

  /// The next transaction inside the enclosing one is the last. It may be sent with the commit, which then
  /// throws its errors.
  func endAfterNextTransaction()

  /// Transactions inside the enclosing one need not be undone alone: if one of them has written and fails, the
  /// database may refuse all further ones and the commit. May be called before the first one.
  func makeEnclosingIndivisible()

  /// The error after which the database refuses all further statements of the transaction.
  var failure: (any Error)? { get }

  func commitEnclosingTransaction() throws
  func rollbackEnclosingTransaction()

  /// Commits the changes of `body`, or rolls all of them back if `body` or the commit throws. Excludes
  /// other writers.
  func transaction<R>(_ body: () throws -> R) throws -> R

  /// Runs reads that see one state of the database.
  func snapshot<R>(_ body: () throws -> R) throws -> R

  /// Keeps the changes of `body` in the running transaction, or undoes them if `body` throws.
  func savepoint<R>(_ name: String, _ body: () throws -> R) throws -> R

  /// Changes when the database may have been written since an earlier call on this connection. Only
  /// for databases that report changes.
  func changeStamp() throws -> ChangeStamp

  /// The state that the last statement which read has seen; `nil` if the database does not tell. Runs no
  /// statement.
  var state: StoreState? { get }

  /// Whether the open transaction may have read, so that it does not see later commits.
  var hasBegunReading: Bool { get }
}

/// A state of the database as one session sees it.
package struct ChangeStamp: Hashable, Sendable {
  /// Counts writes of other connections.
  package var others: Int64
  /// Counts writes of the session.
  package var own: Int64

  package init(others: Int64, own: Int64) {
    self.others = others
    self.own = own
  }
}

/// A statement, with its values and what is copied of its rows.
package struct SQLRead {
  package let sql: String
  package let parameters: SQLParameters
  package let reading: RowReading
}

/// A statement of a batch, with its values.
package struct BatchStatement {
  package let sql: String
  package let parameters: SQLParameters
  /// Whether it returns rows, of integers. Otherwise it is asked for the number of rows that it changes.
  package let returnsRows: Bool
}

/// What a statement of a batch has returned, or changed.
package struct StatementResult {
  /// All columns of all rows, row by row; 0 for null.
  package var integers: [Int64]
  package var changedRows: Int

  package init(integers: [Int64] = [], changedRows: Int = 0) {
    self.integers = integers
    self.changedRows = changedRows
  }
}

/// What a statement has returned for the first of some rows.
package struct ListedResult {
  package let count: Int
  package let integers: [Int64]

  package init(count: Int, integers: [Int64]) {
    self.count = count
    self.integers = integers
  }
}

/// A statement of a session. Each function binds new parameters and resets the statement
/// afterwards.
package protocol PreparedSQL: AnyObject {
  /// Runs to the end.
  /// - Returns: The number of changed rows.
  @discardableResult
  func run(_ parameters: SQLParameters) throws -> Int

  /// Runs before the next statement of the transaction, or now. Databases that are asked over a network
  /// send both together; an error is thrown then.
  func runLater(_ parameters: SQLParameters) throws

  /// Runs before the end of the transaction, or now. Databases that are asked over a network send it with
  /// the commit; its error is that of the commit then.
  /// - Parameter receive: Called with all columns of all rows, row by row; 0 for null.
  func integersLater(
    _ parameters: SQLParameters, _ receive: @escaping ([Int64]) -> Void) throws

  /// Runs once for each row of a batch.
  func run(_ rows: RowWrites) throws

  /// Runs once for each number below `count`.
  /// - Parameters:
  ///   - lists: A statement that does the same for many rows (`ListUpdate`), if there is one. The keys are
  ///     distinct then.
  ///   - values: The values of the run with this number. Their last parameter is a key.
  ///   - result: Called for each run, in order, with the number of changed rows. Later runs may already
  ///     have been sent.
  func run(
    _ count: Int, lists: String?, values: (Int) -> RowValues,
    result: (_ index: Int, _ changedRows: Int) -> Void
  ) throws

  /// Runs a statement that reads the values of many rows as lists (`ListLookUp`).
  /// - Parameters:
  ///   - lists: The statement. Its parameters are lists of those of this one.
  ///   - values: The values of the row with this number.
  /// - Returns: The number of rows, from the first one on, that were few and small enough for lists, and all
  ///   columns of all returned rows, row by row; 0 for null. `nil` if the database or its table does not allow
  ///   the statement.
  func integers(
    _ rows: Range<Int>, lists: String, values: (Int) -> RowValues
  ) throws -> ListedResult?

  /// Runs once for each group of rows, until a unique index rejects a row.
  /// - Returns: The number of written rows: those before the rejected one.
  func runUntilRejected(_ rows: RowWrites) throws -> Int

  /// Runs once for each row of a batch, until a run changes nothing.
  /// - Returns: The number of rows before that one.
  func runWhileChanging(_ rows: RowWrites) throws -> Int

  /// Runs once for each row of a batch, until `goesOn` returns false.
  /// - Parameter goesOn: Called after each run, with the number that the statement returned.
  func run(_ rows: RowWrites, goesOn: (Int64?) -> Bool) throws

  /// Runs once for each pair.
  /// - Parameter changed: Called for each pair that changed a row.
  func run(_ pairs: [KeyPair], changed: (KeyPair) -> Void) throws

  /// The first column of the first row; `nil` if there is no row or it is null.
  func integer(_ parameters: SQLParameters) throws -> Int64?

  /// All columns of all rows, row by row; 0 for null.
  func integers(_ parameters: SQLParameters) throws -> [Int64]

  /// All columns of all rows.
  func values(_ parameters: SQLParameters) throws -> [[_StoredValue]]

  /// Adds the keys in the result; a second column, if there is one, is the entity number.
  func keys(_ parameters: SQLParameters, into keys: inout RowKeys) throws

  /// Copies the rows into pages.
  func rows(_ parameters: SQLParameters, _ reading: RowReading) throws -> ReadRows

  /// Copies the first row; `nil` if there is none.
  /// - Parameter key: The only parameter.
  func row(_ key: Int64, _ reading: RowReading) throws -> DefaultSnapshot?
}

extension PreparedSQL {
  package func runLater(_ parameters: SQLParameters) throws { try run(parameters) }

  package func integersLater(
    _ parameters: SQLParameters, _ receive: @escaping ([Int64]) -> Void
  ) throws { receive(try integers(parameters)) }

  package func run(
    _ count: Int, lists: String?, values: (Int) -> RowValues,
    result: (_ index: Int, _ changedRows: Int) -> Void
  ) throws {
    for index in 0..<count { result(index, try run(.row(values(index)))) }
  }

  package func integers(
    _ rows: Range<Int>, lists: String, values: (Int) -> RowValues
  ) throws -> ListedResult? { nil }

  package func row(_ key: Int64, _ reading: RowReading) throws -> DefaultSnapshot? {
    try rows(.integer(key), reading).rows.snapshots.first
  }
}

/// A statement of an optimistic transaction found no row.
private struct MissingRow: ConflictingWrite {
  var obstacle: WriteObstacle? { .missingRow }
}

/// A database error that the engine interprets.
package protocol DatabaseFailure: Error {
  /// Whether a unique index or a primary key rejected a row.
  var isUniquenessViolation: Bool { get }
  /// How long a value of an index may be, as a sentence, if a longer one is the reason; otherwise `nil`.
  var exceededIndexLimit: String? { get }
}

extension DatabaseFailure {
  package var exceededIndexLimit: String? { nil }
}
