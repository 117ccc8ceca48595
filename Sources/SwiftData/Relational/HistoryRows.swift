import Foundation
import OpenSwiftDataSQLSyntax

/// A stored transaction, without its changes.
struct TransactionRow: Sendable {
  /// The number of the transaction, which tokens contain.
  let number: Int64
  /// Seconds since 2001-01-01.
  let timestamp: Double
  let author: String?
  let bundleIdentifier: String?
  let processName: String?
  let contextName: String?
}

/// The stored change of one row in a transaction.
struct ChangeRow: Sendable {
  let number: Int64
  let type: HistoryTables.ChangeType
  /// The number of the row's entity.
  let entity: Int
  let key: Int64
  let transaction: Int64
  /// The bits of the changed properties; `nil` if they are not known.
  let columns: Data?
  /// The preserved values of a deleted row.
  let preserved: [_StoredValue]
}

/// A stored row of the history's changes, which may stand for the same change of several rows.
struct ChangeRange: Sendable {
  let last: ChangeRow
  /// The number of rows, at least 1. Their keys are in sequence and end with that of the last one.
  let count: Int64

  /// The changes in the order of their keys.
  var changes: some Sequence<ChangeRow> {
    (0..<count).lazy.map { index in
      let distance = count - 1 - index
      return ChangeRow(
        number: last.number &- distance, type: last.type, entity: last.entity,
        key: last.key - distance, transaction: last.transaction, columns: last.columns,
        preserved: last.preserved)
    }
  }
}

/// The statements that read the history.
struct HistoryRowStatements: Sendable {
  /// Reads the transactions in the list, which is parameter 0.
  let transactions: String
  /// Reads the changes of the transactions in a list.
  let changes: String
  /// Reads the number of the oldest transaction.
  let oldest: String
  /// Reads the name of the entity with a number.
  let entityName: String
  /// Reads the number of the last transaction whose context name is parameter 0.
  let lastOfContext: String

  init(_ tables: HistoryTables?, in dialect: SQLDialect) {
    typealias Transaction = HistoryTables.Transaction
    typealias Change = HistoryTables.Change
    func column(_ name: String, of table: String? = nil) -> SQLExpression {
      .column(table: table, name: name)
    }
    let transactionTable = HistoryTables.Entity.transaction.table
    let transaction = "transactions"
    func text(_ name: String) -> SQLExpression {
      let text = "texts"
      let named = Select(
        [column(HistoryTables.Text.value, of: text)],
        from: TableReference(HistoryTables.Entity.text.table, as: text),
        where: .binary(RowColumns.key(of: text), .equal, column(name, of: transaction)))
      return .function(
        "coalesce",
        [.subquery(named), column(HistoryTables.Transaction.twin(of: name), of: transaction)])
    }
    let list = ListParameter(.parameter(0), of: .integer)
    transactions =
      Select(
        [
          RowColumns.key(of: transaction), column(Transaction.timestamp, of: transaction),
          text(Transaction.author), text(Transaction.bundleIdentifier),
          text(Transaction.processName), text(Transaction.contextName),
        ], from: TableReference(transactionTable, as: transaction),
        where: .isMember(RowColumns.key(of: transaction), of: list)
      ).rendered(in: dialect).sql
    let changeColumns =
      [
        RowColumns.key(), column(Change.type), column(Change.entity), column(Change.key),
        column(Change.transaction), column(Change.columns),
      ] + (tables?.hasRanges == true ? [column(Change.firstKey)] : [])
      + (0..<(tables?.tombstoneCount ?? 0)).map { column(Change.tombstone($0)) }
    let changeTable = TableReference(HistoryTables.Entity.change.table)
    changes =
      Select(
        changeColumns, from: changeTable, where: .isMember(column(Change.transaction), of: list)
      ).rendered(in: dialect).sql
    oldest =
      Select([.function("min", [RowColumns.key()])], from: TableReference(transactionTable))
      .rendered(in: dialect).sql
    let named = Select(
      [RowColumns.key()], from: TableReference(HistoryTables.Entity.text.table),
      where: .binary(column(HistoryTables.Text.value), .equal, .parameter(0)))
    lastOfContext =
      Select(
        [.function("max", [RowColumns.key()])], from: TableReference(transactionTable),
        where: .binary(column(Transaction.contextName), .equal, .subquery(named))
      ).rendered(in: dialect).sql
    entityName =
      Select(
        [column(EntityTable.entityName)], from: TableReference(EntityTable.name),
        where: .binary(column(EntityTable.number), .equal, .parameter(0))
      ).rendered(in: dialect).sql
  }
}

/// Reads rows of the history, on a session.
struct HistoryRows {
  let session: any SQLSession
  let plans: StorePlans

  /// - Parameter numbers: The transactions; deleted ones are left out.
  func transactions(_ numbers: [Int64]) throws -> [Int64: TransactionRow] {
    let values = try session.statement(plans.historyRows.transactions)
      .values(.list(plans.dialect.list(numbers)))
    var found: [Int64: TransactionRow] = [:]
    for row in values {
      let number = row[0].integer ?? 0
      found[number] = TransactionRow(
        number: number, timestamp: row[1].real ?? 0, author: row[2].text,
        bundleIdentifier: row[3].text, processName: row[4].text, contextName: row[5].text)
    }
    return found
  }

  /// The changes of some transactions, by transaction, in their order.
  func changes(of transactions: [Int64]) throws -> [Int64: [ChangeRow]] {
    let values = try session.statement(plans.historyRows.changes)
      .values(.list(plans.dialect.list(transactions)))
    var found: [Int64: [ChangeRow]] = [:]
    for row in values {
      guard let range = ChangeRange(row, plans) else { continue }
      found[range.last.transaction, default: []].append(contentsOf: range.changes)
    }
    for (number, changes) in found
    where zip(changes, changes.dropFirst()).contains(where: { $0.number > $1.number }) {
      found[number]?.sort { $0.number < $1.number }
    }
    return found
  }

  /// The number from which on no beginning was deleted: that of the oldest transaction, or a lower
  /// one; `nil` if there is no transaction and deletions are not recorded.
  func oldest() throws -> Int64? {
    if let deleted = try DeletedHistory(session: session, plans: plans).record() {
      return deleted.start + 1
    }
    return try oldestRemaining()
  }

  /// The number of the oldest transaction; `nil` if there is none.
  func oldestRemaining() throws -> Int64? {
    try session.statement(plans.historyRows.oldest).integer(.none)
  }

  /// The number of the last transaction that stands for changes without history. At the end of the
  /// history it is the last assigned number, which may be larger than that of its row.
  /// - Parameter end: The last assigned number.
  func lastGap(end: Int64) throws -> Int64? {
    let gap = try session.statement(plans.historyRows.lastOfContext)
      .integer(.values([.text(HistoryTables.Text.gap)]))
    guard let gap else { return nil }
    return try extendedGap(end: end) == nil ? gap : end
  }

  /// The row of a gap at the end of the history, if later saves have extended the gap (`HistoryGap`).
  /// - Parameter end: The last assigned number.
  func extendedGap(end: Int64) throws -> Int64? {
    let row = try session.statement(plans.history.lastGap)
      .integer(.values([.text(HistoryTables.Text.gap)]))
    return row.flatMap { $0 < end ? $0 : nil }
  }

  /// The last number that was assigned to a transaction, even if it was deleted.
  func lastAssignedNumber() throws -> Int64 {
    if let deleted = plans.history.deleted {
      return try session.statement(deleted.lastNumber).integer(.none) ?? 0
    }
    let keys = plans.history.transactionKeys
    let stored = try session.statement(keys.last).integer(.none) ?? 0
    return max(stored, try session.statement(keys.largest).integer(.none) ?? 0)
  }
}

extension ChangeRange {
  /// - Returns: `nil` for an unknown kind of change.
  fileprivate init?(_ row: [_StoredValue], _ plans: StorePlans) {
    guard let type = row[1].integer.flatMap(HistoryTables.ChangeType.init) else { return nil }
    let key = row[3].integer ?? 0
    let first = plans.historyHasRanges ? row[6] : nil
    count = HistoryTables.Change.count(from: first?.integer, to: key)
    last = ChangeRow(
      number: row[0].integer ?? 0, type: type, entity: Int(row[2].integer ?? 0),
      key: key, transaction: row[4].integer ?? 0, columns: row[5].blob,
      preserved: row[(first == nil ? 6 : 7)...].map { value in
        guard plans.dialect == .postgreSQL, case .blob(let bytes) = value else { return value }
        return PreservedBytes.value(of: bytes) ?? .null
      })
  }
}
