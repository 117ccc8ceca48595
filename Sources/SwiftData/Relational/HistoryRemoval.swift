import OpenSwiftDataSQLSyntax

/// The statements that remove whole transactions from the history.
struct HistoryRemovalStatements: Sendable {
  /// Stores the largest number of a transaction as the last one, for databases that take the numbers
  /// from elsewhere (`NumberAllocator`): it stays the end of the history when the transaction is
  /// removed. `nil` if each save stores it.
  let keepLastNumber: String?
  let allChanges: String
  let allTransactions: String
  /// Deletes the changes of the transactions in the list, which is parameter 0.
  let changesOfList: String
  let transactionsOfList: String
  /// Deletes the changes of the transactions before parameter 0.
  let changesBefore: String
  let transactionsBefore: String
  /// Deletes texts that no transaction uses.
  let unusedTexts: String

  init(in dialect: SQLDialect) {
    typealias Entity = HistoryTables.Entity
    let owner = SQLExpression.column(table: nil, name: HistoryTables.Change.transaction)
    func delete(_ entity: Entity, where condition: SQLExpression? = nil) -> String {
      Delete(from: entity.table, where: condition).rendered(in: dialect).sql
    }
    keepLastNumber =
      switch dialect {
      case .sqlite: nil
      case .postgreSQL:
        Update(
          EntityTable.name,
          set: [
            Assignment(
              EntityTable.lastKey,
              .function(
                "greatest",
                [
                  .column(table: nil, name: EntityTable.lastKey),
                  .subquery(Entity.transaction.largestKey),
                ]))
          ], where: Entity.transaction.isListed
        ).rendered(in: dialect).sql
      }
    allChanges = delete(.change)
    allTransactions = delete(.transaction)
    let list = ListParameter(.parameter(0), of: .integer)
    changesOfList = delete(.change, where: .isMember(owner, of: list))
    transactionsOfList = delete(.transaction, where: .isMember(RowColumns.key(), of: list))
    changesBefore = delete(.change, where: .binary(owner, .less, .parameter(0)))
    transactionsBefore = delete(
      .transaction, where: .binary(RowColumns.key(), .less, .parameter(0)))
    let transactions = "transactions"
    let isUnused = HistoryTables.Transaction.texts.map { column -> SQLExpression in
      let users = Select(
        [RowColumns.key(of: transactions)],
        from: TableReference(Entity.transaction.table, as: transactions),
        where: .binary(
          .column(table: transactions, name: column), .equal,
          RowColumns.key(of: Entity.text.table)))
      return .unary(.not, .exists(users))
    }
    unusedTexts = delete(.text, where: .conjunction(isUnused))
  }
}

/// Removes transactions with their changes, in the session's transaction.
///
/// Changes are deleted first, so that none is without its transaction. The numbers of both are not
/// assigned again.
struct HistoryRemoval {
  let session: any SQLSession
  let plans: StorePlans

  /// The number of transactions that one statement removes.
  private static let chunk = 10_000

  private var statements: HistoryRemovalStatements { plans.history.removal }

  /// Gives the gap at the end of the history its last number, which readers know (`HistoryGap`).
  func moveLastGap() throws {
    let end = try HistoryRows(session: session, plans: plans).lastAssignedNumber()
    try run(
      plans.history.moveLastGap, .values([.text(HistoryTables.Text.gap), .integer(end)]))
  }

  func removeAll() throws {
    guard plans.dialect.skipsTransactionNumbers else {
      try run(statements.allChanges, .none)
      return try run(statements.allTransactions, .none)
    }
    // A transaction that is committed meanwhile stays.
    let end = try HistoryRows(session: session, plans: plans).lastAssignedNumber()
    try removeTransactions(before: end + 1)
  }

  func remove(_ numbers: [Int64]) throws {
    try keepLastNumber()
    for start in stride(from: 0, to: numbers.count, by: HistoryRemoval.chunk) {
      let end = min(start + HistoryRemoval.chunk, numbers.count)
      let list = plans.dialect.list(Array(numbers[start..<end]))
      try run(statements.changesOfList, .list(list))
      try run(statements.transactionsOfList, .list(list))
    }
    // A gap that is now the last transaction ends before those that were removed.
    if let last = numbers.max() {
      try run(plans.history.endLastGap, .values([.text(HistoryTables.Text.gap), .integer(last)]))
    }
    try record(numbers)
  }

  /// Records the deletion of some transactions. If they were the first ones, the history begins later.
  private func record(_ numbers: [Int64]) throws {
    guard plans.dialect.skipsTransactionNumbers, let last = numbers.max() else { return }
    let first = try session.statement(plans.history.pruning.firstTransaction).integer(.none)
    let start = first.map { first in numbers.filter { $0 < first }.max() ?? 0 } ?? last
    try DeletedHistory(session: session, plans: plans)
      .extend(to: DeletedHistory.Record(start: start, last: last))
  }

  func removeTransactions(before number: Int64) throws {
    try keepLastNumber()
    try run(statements.changesBefore, .integer(number))
    try run(statements.transactionsBefore, .integer(number))
    try DeletedHistory(session: session, plans: plans)
      .extend(to: DeletedHistory.Record(start: number - 1, last: number - 1))
  }

  private func keepLastNumber() throws {
    if let sql = statements.keepLastNumber { try run(sql, .none) }
  }

  /// Removes texts that no transaction uses any more.
  func removeUnusedTexts() throws { try run(statements.unusedTexts, .none) }

  private func run(_ sql: String, _ parameters: SQLParameters) throws {
    try session.statement(sql).run(parameters)
  }
}
