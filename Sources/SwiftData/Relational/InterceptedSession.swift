/// A session of an `InterceptedDriver`: asks before saves begin and commit, and hands out statements
/// that ask before they run.
final class InterceptedSession: SQLSession {
  /// The pool owns it, so that this object does not keep a closed connection open.
  private(set) weak var known: (any SQLSession)?
  private let interceptor: any StatementInterceptor

  init(_ base: any SQLSession, _ interceptor: any StatementInterceptor) {
    known = base
    self.interceptor = interceptor
  }

  /// Sessions are used only while they are lent, so the connection exists.
  private var base: any SQLSession {
    guard let known else { preconditionFailure("InterceptedSession: used after its connection") }
    return known
  }

  func statement(_ sql: String) throws -> any PreparedSQL {
    InterceptedStatement(try base.statement(sql), sql, interceptor)
  }

  func requireLater(_ sql: String, _ parameters: SQLParameters) throws {
    try interceptor.willRun(sql, times: 1)
    try base.requireLater(sql, parameters)
  }

  func execute(_ sql: String) throws { try base.execute(sql) }

  func begin() throws { try begin(.exclusive) }

  func begin(_ access: WriteAccess) throws {
    try interceptor.willBeginSave()
    try base.begin(access)
  }

  func commit() throws {
    try interceptor.willCommitSave()
    try base.commit()
  }

  func rollback() { base.rollback() }

  var runsBesideWriters: Bool { base.runsBesideWriters }

  var isOptimistic: Bool { base.isOptimistic }

  func beginEnclosingTransaction(_ access: WriteAccess, within limit: Duration?) throws {
    try base.beginEnclosingTransaction(access, within: limit)
  }

  func endAfterNextTransaction() { base.endAfterNextTransaction() }

  func makeEnclosingIndivisible() { base.makeEnclosingIndivisible() }

  var failure: (any Error)? { base.failure }

  func commitEnclosingTransaction() throws {
    try interceptor.willCommitTransaction()
    try base.commitEnclosingTransaction()
  }

  func rollbackEnclosingTransaction() { base.rollbackEnclosingTransaction() }

  func transaction<R>(_ body: () throws -> R) throws -> R {
    try base.transaction {
      let result = try body()
      try interceptor.willCommitTransaction()
      return result
    }
  }

  func snapshot<R>(_ body: () throws -> R) throws -> R { try base.snapshot(body) }

  func interrupt() { known?.interrupt() }

  func settleInterruption() { known?.settleInterruption() }

  func savepoint<R>(_ name: String, _ body: () throws -> R) throws -> R {
    try base.savepoint(name, body)
  }

  func changeStamp() throws -> ChangeStamp { try base.changeStamp() }

  var state: StoreState? { base.state }

  var hasBegunReading: Bool { base.hasBegunReading }
}

private final class InterceptedStatement: PreparedSQL {
  private let base: any PreparedSQL
  private let sql: String
  private let interceptor: any StatementInterceptor

  init(_ base: any PreparedSQL, _ sql: String, _ interceptor: any StatementInterceptor) {
    self.base = base
    self.sql = sql
    self.interceptor = interceptor
  }

  private func willRun(times count: Int = 1) throws {
    try interceptor.willRun(sql, times: count)
  }

  private func willRun(_ rows: RowWrites) throws {
    try willRun(times: rows.count / rows.rowsPerRun)
  }

  func run(_ parameters: SQLParameters) throws -> Int {
    try willRun()
    return try base.run(parameters)
  }

  func run(_ rows: RowWrites) throws {
    try willRun(rows)
    try base.run(rows)
  }

  func runLater(_ parameters: SQLParameters) throws {
    try willRun()
    try base.runLater(parameters)
  }

  func run(
    _ count: Int, lists: String?, values: (Int) -> RowValues,
    result: (_ index: Int, _ changedRows: Int) -> Void
  ) throws {
    try willRun(times: count)
    try base.run(count, lists: lists, values: values, result: result)
  }

  func integers(
    _ rows: Range<Int>, lists: String, values: (Int) -> RowValues
  ) throws -> ListedResult? {
    try willRun(times: rows.count)
    return try base.integers(rows, lists: lists, values: values)
  }

  func runUntilRejected(_ rows: RowWrites) throws -> Int {
    try willRun(rows)
    return try base.runUntilRejected(rows)
  }

  func runWhileChanging(_ rows: RowWrites) throws -> Int {
    try willRun(rows)
    return try base.runWhileChanging(rows)
  }

  func run(_ rows: RowWrites, goesOn: (Int64?) -> Bool) throws {
    try willRun(rows)
    try base.run(rows, goesOn: goesOn)
  }

  func run(_ pairs: [KeyPair], changed: (KeyPair) -> Void) throws {
    try willRun(times: pairs.count)
    try base.run(pairs, changed: changed)
  }

  func integer(_ parameters: SQLParameters) throws -> Int64? {
    try willRun()
    return try base.integer(parameters)
  }

  func integers(_ parameters: SQLParameters) throws -> [Int64] {
    try willRun()
    return try base.integers(parameters)
  }

  func values(_ parameters: SQLParameters) throws -> [[_StoredValue]] {
    try willRun()
    return try base.values(parameters)
  }

  func keys(_ parameters: SQLParameters, into keys: inout RowKeys) throws {
    try willRun()
    try base.keys(parameters, into: &keys)
  }

  func rows(_ parameters: SQLParameters, _ reading: RowReading) throws -> ReadRows {
    try willRun()
    return try base.rows(parameters, reading)
  }

  func row(_ key: Int64, _ reading: RowReading) throws -> DefaultSnapshot? {
    try willRun()
    return try base.row(key, reading)
  }
}
