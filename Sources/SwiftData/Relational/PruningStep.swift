import OpenSwiftDataSQLSyntax

/// What the pruner reads of the history, and removes, in the transaction of a session.
struct PruningStep {
  let session: any SQLSession
  let plans: StorePlans

  /// What a transaction takes with its entries in seven indexes, in bytes; measured.
  static let transactionSize = 120.0
  /// What a change takes with its entry in an index, besides the values that it keeps; measured.
  private static let changeSize = 38.0
  /// Over how many changes the size of their values is averaged.
  private static let sampleSize: Int64 = 64

  private var statements: PruningStatements { plans.history.pruning }

  // MARK: Transactions

  /// The number of the oldest transaction; `nil` without one.
  func firstTransaction() throws -> Int64? { try integer(statements.firstTransaction) }

  /// When the oldest transaction was, without the fraction of the second; `infinity` without one.
  func oldest() throws -> Double { try integer(statements.oldest).map { Double($0) } ?? .infinity }

  /// The first transaction, by number, that is not older than a timestamp.
  func first(since timestamp: Double) throws -> Int64? {
    try integer(statements.firstSince, .values([.real(timestamp)]))
  }

  /// The first of the `count` transactions with the largest numbers; `nil` where there are fewer.
  func newest(_ count: Int64) throws -> Int64? {
    try integer(statements.newest, .integer(count - 1))
  }

  // MARK: Changes

  /// The first and the last change, and how many bytes one takes; `nil` without one.
  func changes() throws -> (first: Int64, last: Int64, size: Double)? {
    guard let first = try integer(statements.firstChange),
      let last = try integer(plans.history.changeKeys.largest)
    else { return nil }
    let values = try integer(statements.valueSize, .integer(last - PruningStep.sampleSize)) ?? 0
    let sampled = min(last - first + 1, PruningStep.sampleSize)
    return (first, last, PruningStep.changeSize + Double(values) / Double(sampled))
  }

  /// The transaction of a change, or of the next one that is there.
  func transaction(ofChange key: Int64) throws -> Int64? {
    try integer(statements.transactionOfChange, .integer(key))
  }

  // MARK: Removing

  /// Removes transactions from the beginning: those with so many changes, but at least one.
  /// - Returns: The number before which all are removed; at most `end`.
  func remove(before end: Int64, changes: Int64) throws -> Int64 {
    var reached = end
    let next = try integer(statements.transactionBehind, .pair(end, changes))
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
  /// Finds the transaction behind which parameter 0 others are.
  let newest: String
  let firstChange: String
  /// How many bytes the values of the changes behind parameter 0 have.
  let valueSize: String
  /// The transaction of the first change from parameter 0 on.
  let transactionOfChange: String
  /// Among the changes of the transactions before parameter 0, in their order, finds the transaction of the one
  /// behind parameter 1 others.
  let transactionBehind: String

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
    oldest = text(timestamp, transactions, by: OrderingTerm(key))
    // An addition keeps the index of timestamps from being used: old ones come first.
    firstSince = text(
      key, transactions,
      where: .binary(.binary(timestamp, .add, .integer(0)), .greaterOrEqual, .parameter(0)),
      by: OrderingTerm(key))
    newest = text(key, transactions, by: OrderingTerm(key, .descending), offset: .parameter(0))
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
      owner, changes, where: .binary(key, .greaterOrEqual, .parameter(0)), by: OrderingTerm(key))
    transactionBehind = text(
      owner, changes, where: .binary(owner, .less, .parameter(0)), by: OrderingTerm(owner),
      offset: .parameter(1))
  }
}
