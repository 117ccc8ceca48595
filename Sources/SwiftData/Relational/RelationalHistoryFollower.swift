import OpenSwiftDataSQLSyntax
import Synchronization

extension RelationalStore {
  package func historyFollower(
    after token: (any HistoryToken)?, _ interest: HistoryFilter
  ) throws -> (any HistoryFollower)? {
    guard history != nil else { return nil }
    let known = (token as? DefaultHistoryToken)?.transaction(ofStore: identifier)
    let number =
      try known
      ?? readingHistory { session in
        try HistoryRows(session: session, plans: plans).lastAssignedNumber()
      }
    return RelationalHistoryFollower(self, after: number, interest)
  }
}

/// Follows the history of a relational store by transaction numbers. Transactions that it has not
/// read are not pruned.
private final class RelationalHistoryFollower: HistoryFollower {
  private let store: RelationalStore
  private let index: Mutex<Int64>
  private let hold: HistoryReaders.Hold
  /// Finds a matching transaction after parameter 0.
  private let sql: String
  private let authors: [_StoredValue]

  init(_ store: RelationalStore, after number: Int64, _ interest: HistoryFilter) {
    self.store = store
    index = Mutex(number)
    hold = store.holds.begin(at: number)
    authors = interest.authors.sorted().map { .text($0) }
    sql = RelationalHistoryFollower.statement(interest, store)
  }

  deinit { store.holds.end(hold) }

  func hasNewTransactions() throws -> Bool {
    let known = index.withLock { $0 }
    let (end, isNew) = try store.readingHistory { session in
      let rows = HistoryRows(session: session, plans: store.plans)
      let end = try rows.lastAssignedNumber()
      if end == known { return (end, false) }
      if end < known { return (end, true) }
      let isMissing = try rows.oldest().map { $0 > known + 1 } ?? true
      if try isMissing || rows.lastGap(end: end) ?? 0 > known { return (end, true) }
      let found =
        try session.statement(sql)
        .integer(.values([.integer(known)] + authors)) != nil
      return (end, found)
    }
    index.withLock { $0 = end }
    store.driver.includeInReads(end)
    store.holds.move(hold, to: end)
    return isNew
  }

  private static func statement(_ interest: HistoryFilter, _ store: RelationalStore) -> String {
    func column(_ name: String, of table: String? = nil) -> SQLExpression {
      .column(table: table, name: name)
    }
    let transaction = "transactions"
    var conditions: [SQLExpression] = [
      .binary(RowColumns.key(of: transaction), .greater, .parameter(0))
    ]
    if !interest.authors.isEmpty {
      let named = Select(
        [RowColumns.key()], from: TableReference(HistoryTables.Entity.text.table),
        where: .inList(
          column(HistoryTables.Text.value),
          (1...interest.authors.count).map { .parameter($0) }))
      conditions.append(
        .inSelect(column(HistoryTables.Transaction.author, of: transaction), named))
    }
    if let entities = interest.entities {
      let changes = "changes"
      let numbers = entities.sorted().compactMap { store.mapping.entity(named: $0)?.number }
      let change = Select(
        [.integer(1)], from: TableReference(HistoryTables.Entity.change.table, as: changes),
        where: .conjunction([
          .binary(
            column(HistoryTables.Change.transaction, of: changes), .equal,
            RowColumns.key(of: transaction)),
          .inList(
            column(HistoryTables.Change.entity, of: changes), numbers.map { .integer(Int64($0)) }),
        ]))
      conditions.append(.exists(change))
    }
    return Select(
      [RowColumns.key(of: transaction)],
      from: TableReference(HistoryTables.Entity.transaction.table, as: transaction),
      where: .conjunction(conditions), limit: .integer(1)
    ).rendered(in: store.plans.dialect).sql
  }
}
