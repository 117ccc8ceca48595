import OpenSwiftDataSQLSyntax

/// Reads and removes history for the pruner, in the session's transaction.
struct PruningStep {
  let session: any SQLSession
  let plans: StorePlans

  /// The measured size of a transaction in bytes, with its entries in seven indexes.
  static let transactionSize = 120.0
  /// The measured size of a change in bytes, with its entry in an index but without its values.
  private static let changeSize = 38.0
  /// The number of changes over which the size of values is averaged.
  private static let sampleSize: Int64 = 64

  private var statements: PruningStatements { plans.history.pruning }

  // MARK: Transactions

  /// The number of the oldest transaction; `nil` if there is none.
  func firstTransaction() throws -> Int64? { try integer(statements.firstTransaction) }

  /// The time of the oldest transaction in whole seconds; `nil` if there is none.
  func oldest() throws -> Double? {
    switch try session.statement(statements.oldest).values(.none).first?.first {
    case .real(let seconds)?: seconds.rounded(.down)
    case .integer(let seconds)?: Double(seconds)
    case .null?, .text?, .blob?, nil: nil
    }
  }

  /// The first transaction, by number, that is not older than a timestamp.
  func first(since timestamp: Double) throws -> Int64? {
    try integer(statements.firstSince, .values([.real(timestamp)]))
  }

  /// The first of the latest `count` transactions; `nil` if there are fewer.
  func newest(_ count: Int64) throws -> Int64? {
    try integer(statements.newest, .integer(count - 1))
  }

  // MARK: Changes

  /// The keys of the first and last change, and the size of one in bytes; `nil` if there are none.
  func changes() throws -> (first: Int64, last: Int64, size: Double)? {
    guard let first = try integer(statements.firstChange),
      let last = try integer(plans.history.changeKeys.largest)
    else { return nil }
    let values = try integer(statements.valueSize, .integer(last - PruningStep.sampleSize)) ?? 0
    let sampled = min(last - first + 1, PruningStep.sampleSize)
    return (first, last, PruningStep.changeSize + Double(values) / Double(sampled))
  }

  /// The transaction of a change, or of the next existing one.
  func transaction(ofChange key: Int64) throws -> Int64? {
    try integer(statements.transactionOfChange, .integer(key))
  }

  // MARK: Removing

  /// Removes transactions from the beginning: those with this number of changes, but at least one.
  /// - Returns: The number before which all transactions are removed; at most `end`.
  func remove(before end: Int64, changes: Int64) throws -> Int64 {
    var reached = end
    let next = try integer(statements.transactionAfter, .pair(end, changes))
    if let next, let first = try firstTransaction() { reached = max(next, first + 1) }
    try HistoryRemoval(session: session, plans: plans).removeTransactions(before: reached)
    return reached
  }

  func removeUnusedTexts() throws {
    try HistoryRemoval(session: session, plans: plans).removeUnusedTexts()
  }

  private func integer(_ sql: String, _ parameters: SQLParameters = .none) throws -> Int64? {
    try session.statement(sql).integer(parameters)
  }
}

/// The statements of the pruner.
struct PruningStatements: Sendable {
  let firstTransaction: String
  let oldest: String
  /// Finds the first transaction whose timestamp is at least parameter 0.
  let firstSince: String
  /// Finds the transaction after which there are exactly parameter 0 others.
  let newest: String
  let firstChange: String
  /// The total size in bytes of the values in the changes after parameter 0.
  let valueSize: String
  /// The transaction of the first change whose key is at least parameter 0.
  let transactionOfChange: String
  /// Among the changes of the transactions before parameter 0, finds the transaction of the one
  /// after the first parameter 1 changes.
  let transactionAfter: String

  init(_ tables: HistoryTables?, in dialect: SQLDialect) {
    typealias Change = HistoryTables.Change
    let key = RowColumns.key()
    let transactions = TableReference(HistoryTables.Entity.transaction.table)
    let changes = TableReference(HistoryTables.Entity.change.table)
    func column(_ name: String) -> SQLExpression { .column(table: nil, name: name) }
    func text(
      _ value: SQLExpression, _ table: TableReference, where condition: SQLExpression? = nil,
      by order: OrderingTerm? = nil, offset: SQLExpression? = nil
    ) -> String {
      Select(
        [value], from: table, where: condition, orderBy: order.map { [$0] } ?? [],
        limit: order == nil ? nil : .integer(1), offset: offset
      ).rendered(in: dialect).sql
    }
    let timestamp = column(HistoryTables.Transaction.timestamp)
    firstTransaction = text(.function("min", [key]), transactions)
    oldest = text(timestamp, transactions, by: .key(key))
    // An addition prevents the use of the timestamp index: old transactions come first.
    firstSince = text(
      key, transactions,
      where: .binary(.binary(timestamp, .add, .integer(0)), .greaterOrEqual, .parameter(0)),
      by: .key(key))
    newest = text(key, transactions, by: .key(key, .descending), offset: .parameter(0))
    firstChange = text(.function("min", [key]), changes)
    let values = [Change.columns] + (0..<(tables?.tombstoneCount ?? 0)).map(Change.tombstone)
    let lengths = values.map { name in
      SQLExpression.function(
        "coalesce", [.function("length", [column(name)]), .integer(0)])
    }
    let length = lengths.dropFirst().reduce(lengths[0]) { .binary($0, .add, $1) }
    valueSize = text(
      .function("sum", [length]), changes, where: .binary(key, .greater, .parameter(0)))
    let owner = column(Change.transaction)
    transactionOfChange = text(
      owner, changes, where: .binary(key, .greaterOrEqual, .parameter(0)), by: .key(key))
    transactionAfter = text(
      owner, changes, where: .binary(owner, .less, .parameter(0)), by: OrderingTerm(owner),
      offset: .parameter(1))
  }
}
