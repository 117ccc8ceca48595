import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

/// The driver of the relational engine for one SQLite file.
///
/// Connections and statements of `OpenSwiftDataSQLiteEngine` are the sessions and prepared
/// statements, so nothing is wrapped. Errors are reported with the names of entities and
/// properties.
struct SQLiteDriver: SQLDriver {
  let pool: ConnectionPool
  let file: StoreFile
  let mapping: SchemaMapping
  let url: URL
  var seal: StoreInvalidation?

  var capabilities: SQLCapabilities { .sqlite }

  var readerCount: Int { pool.readerCount }

  func read<R>(for reader: EditingState.ID?, _ body: (any SQLSession) throws -> R) throws -> R {
    // Nothing is lost if it has to be repeated, which is rare.
    try reading(for: reader, comparesBefore: false, canRepeat: { true }, body)
  }

  private func reading<R>(
    for reader: EditingState.ID?, comparesBefore: Bool, canRepeat: () -> Bool,
    _ body: (any SQLSession) throws -> R
  ) throws -> R {
    try ReadInterruption.check()
    do {
      try seal?.check(pool.path)
      return try pool.read(
        for: reader, comparesBefore: comparesBefore, canRepeat: canRepeat
      ) { try body($0) }
    } catch is UncommittedChanges {
      throw SwiftDataError.storeReadFailure.with(
        "Another context of this thread has written to the store and not ended its transaction. The store has "
          + "one connection, whose rows would show what may be undone. Read with that context, or after "
          + "the end of the transaction.", because: .invalidRequest)
    } catch let error as StoreSchemaMonitor.Migrated {
      throw error.whileReading(url)
    } catch let error as SQLiteError {
      seal?.note(error)
      // Columns are missing because another process or container has migrated the store.
      if error.code == .error, isMigrated { throw StoreSchemaMonitor.Migrated().whileReading(url) }
      throw StoreFailure.reading(error, mapping: mapping, at: url)
    }
  }

  /// A store in memory, or one that is being migrated, has one connection, so its reader is alone.
  /// With a transaction, user code that runs meanwhile, such as an observer, could not save.
  func snapshot<R>(
    for reader: EditingState.ID?, canRepeat: () -> Bool, _ body: () throws -> R
  ) throws -> R {
    let number = file.external?.beginSnapshot()
    defer { if let number { file.external?.endSnapshot(number) } }
    return try reading(for: reader, comparesBefore: true, canRepeat: canRepeat) { connection in
      try ReadInterruption.allowed(in: connection) {
        try pool.hasOneConnection ? body() : connection.snapshot(body)
      }
    }
  }

  private var isMigrated: Bool {
    do {
      try pool.read { try $0.checkSchema() }
      return false
    } catch {
      return error is StoreSchemaMonitor.Migrated
    }
  }

  func write<R>(
    for writer: EditingState.ID?, else consequence: String,
    _ body: (any SQLSession) throws -> R
  ) throws -> R {
    try translating(else: consequence) {
      try pool.write(for: writer) {
        // The store may have been closed while this thread waited.
        try seal?.check(pool.path)
        return try body($0)
      }
    }
  }

  func leaseWriter(
    for writer: EditingState.ID?, within limit: Duration?
  ) throws -> any SQLWriterLease {
    try translating(else: SQLiteWriterLease.consequence) {
      let lease = try pool.leaseWriter(for: writer, within: limit)
      try seal?.check(pool.path)
      return SQLiteWriterLease(driver: self, lease: lease)
    }
  }

  fileprivate func translating<R>(
    else consequence: String, _ body: () throws -> R
  ) throws -> R {
    do {
      try seal?.check(pool.path)
      return try body()
    } catch let error as StoreSchemaMonitor.Migrated {
      throw error.whileWriting(url, else: consequence)
    } catch let error as SQLiteError {
      throw StoreFailure.writing(error, consequence: consequence, mapping: mapping, at: url)
    }
  }

  var externalValues: (any ExternalValueStore)? { file.external }

  /// The number of pages that are released at a time: takes some milliseconds, in which other
  /// writers wait.
  private static let pagesAtOnce = 1000

  func reclaimSpace(limit: Int?) {
    var left = limit ?? .max
    while left > 0 {
      let count = min(left, SQLiteDriver.pagesAtOnce)
      guard (try? write(else: "") { _ in try reclaimPages(count) }) == true else { return }
      left -= count
    }
  }

  /// - Returns: Whether more pages may be free.
  private func reclaimPages(_ count: Int) throws -> Bool {
    try pool.write { connection in
      if connection.isInTransaction { return false }
      let free = try connection.integer("PRAGMA freelist_count") ?? 0
      // Without a number in parentheses SQLite would release all pages.
      if free > 0 { try connection.execute("PRAGMA incremental_vacuum(\(count))") }
      return free > count
    }
  }
}

private final class SQLiteWriterLease: SQLWriterLease {
  static let consequence = "nothing was saved"

  private let driver: SQLiteDriver
  private let lease: ConnectionPool.Lease

  init(driver: SQLiteDriver, lease: ConnectionPool.Lease) {
    self.driver = driver
    self.lease = lease
  }

  func use<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    try driver.translating(else: SQLiteWriterLease.consequence) { try body(lease.connection) }
  }

  func end() { lease.end() }
}

extension Connection: SQLSession {
  package func statement(_ sql: String) throws -> any PreparedSQL { try prepare(sql) }

  package func begin() throws { try begin(.immediate) }

  /// SQLite forgets an interruption when no statement runs.
  package func settleInterruption() {}

  /// Inside a migration, whose transaction encloses all others, it begins an inner transaction.
  package func beginEnclosingTransaction(_ access: WriteAccess, within limit: Duration?) throws {
    if isEnclosed { try begin(.immediate) } else { try beginEnclosing(waiting: limit) }
  }

  package func makeEnclosingIndivisible() { omitSavepointsInside() }

  package var failure: (any Error)? { enclosingFailure }

  package func commitEnclosingTransaction() throws {
    if hasTransactionInside { try commit() } else { try commitEnclosing() }
  }

  package func rollbackEnclosingTransaction() {
    if hasTransactionInside { rollback() } else { rollbackEnclosing() }
  }

  package func transaction<R>(_ body: () throws -> R) throws -> R {
    try transaction(.immediate, body)
  }

  package func changeStamp() throws -> ChangeStamp {
    ChangeStamp(
      others: try integer("PRAGMA data_version") ?? 0, own: totalChanges + rollbackCount)
  }

  package var state: StoreState? {
    StoreState(
      connection: number, commits: Int64(dataVersion), changes: totalChanges + rollbackCount)
  }
}

extension SQLiteError: DatabaseFailure {}

extension Statement: ParameterTarget {}

extension Statement: RowCursor {}

extension Statement: PreparedSQL {
  package func run(_ parameters: SQLParameters) throws -> Int {
    try parameters.bind(to: self)
    try run()
    return Int(changedRows)
  }

  package func run(_ rows: RowWrites) throws {
    _ = try rows.forEach(self) {
      try run()
      return true
    }
  }

  package func runUntilRejected(_ rows: RowWrites) throws -> Int {
    var keptCount = 0
    let count = try rows.forEach(self) {
      do {
        try run()
        return true
      } catch let error as SQLiteError where error.isUniquenessViolation {
        // After `INSERT OR FAIL` the rows before the rejected one stay, and are counted.
        keptCount = Int(changedRows)
        return false
      }
    }
    return count + keptCount
  }

  package func runWhileChanging(_ rows: RowWrites) throws -> Int {
    try rows.forEach(self) {
      try run()
      return changedRows > 0
    }
  }

  package func run(_ rows: RowWrites, goesOn: (Int64?) -> Bool) throws {
    _ = try rows.forEach(self) {
      // All changes happen in the first step.
      let number = try step() && !isNull(0) ? int64(0) : nil
      reset()
      return goesOn(number)
    }
  }

  package func run(_ pairs: [KeyPair], changed: (KeyPair) -> Void) throws {
    for pair in pairs {
      try bind(pair.first, at: 1)
      try bind(pair.second, at: 2)
      try run()
      if changedRows > 0 { changed(pair) }
    }
  }

  package func integer(_ parameters: SQLParameters) throws -> Int64? {
    try parameters.bind(to: self)
    defer { reset() }
    guard try step(), !isNull(0) else { return nil }
    return int64(0)
  }

  package func integers(_ parameters: SQLParameters) throws -> [Int64] {
    try parameters.bind(to: self)
    defer { reset() }
    var values: [Int64] = []
    let columns = columnCount
    while try step() {
      for column in 0..<columns { values.append(int64(column)) }
    }
    return values
  }

  package func values(_ parameters: SQLParameters) throws -> [[_StoredValue]] {
    try parameters.bind(to: self)
    defer { reset() }
    var rows: [[_StoredValue]] = []
    let columns = columnCount
    while try step() { rows.append((0..<columns).map(storedValue)) }
    return rows
  }

  private func storedValue(_ column: Int32) -> _StoredValue {
    switch storageClass(column) {
    case .null: .null
    case .integer: .integer(int64(column))
    case .real: .real(double(column))
    case .text: .text(string(column))
    case .blob: .blob(data(column))
    }
  }

  package func keys(_ parameters: SQLParameters, into keys: inout RowKeys) throws {
    try parameters.bind(to: self)
    defer { reset() }
    let hasNumber = columnCount > 1
    while try step() { keys.append(int64(0), entityNumber: hasNumber ? Int(int64(1)) : 0) }
  }

  package func row(_ key: Int64, _ reading: RowReading) throws -> DefaultSnapshot? {
    try bind(key, at: 1)
    defer { reset() }
    return try reading.readFirst(self)
  }

  package func rows(_ parameters: SQLParameters, _ reading: RowReading) throws -> ReadRows {
    try parameters.bind(to: self)
    defer { reset() }
    return try reading.read(self)
  }
}
