import OpenSwiftDataSQLSyntax

/// The statements for transactions of the history, their shared texts, and the last keys of both.
struct HistoryStatements: Sendable {
  /// Parameters: key, author, bundle identifier, names of context and process, timestamp.
  let addTransaction: String
  /// Finds the key of a text.
  let findText: String
  /// Parameters: key and text.
  let addText: String
  /// Deletes the last transaction if its context name is parameter 0 and it has no changes.
  let removeLastGap: String
  /// Add missing rows to `Z_PRIMARYKEY`, with the largest keys of the history's tables. Apple's
  /// framework creates the tables first, and adds these rows with the first transaction.
  let addMissingKeys: [String]
  let removal: HistoryRemovalStatements
  let pruning: PruningStatements
  let changeKeys: Keys
  let transactionKeys: Keys
  let textKeys: Keys

  /// The statements for the keys of one table of the history.
  struct Keys: Sendable {
    /// Finds the largest key in the table.
    let largest: String
    /// Finds the last key that was assigned to a row.
    let last: String
    /// Stores parameter 0 as the last key.
    let storeLast: String

    init(_ entity: HistoryTables.Entity, in dialect: SQLDialect) {
      let isEntity = SQLExpression.binary(
        .column(table: nil, name: EntityTable.number), .equal, .integer(Int64(entity.rawValue)))
      largest =
        Select([.function("max", [RowColumns.key()])], from: TableReference(entity.table))
        .rendered(in: dialect).sql
      last =
        Select(
          [.column(table: nil, name: EntityTable.lastKey)],
          from: TableReference(EntityTable.name), where: isEntity
        ).rendered(in: dialect).sql
      storeLast =
        Update(
          EntityTable.name, set: [Assignment(EntityTable.lastKey, .parameter(0))],
          where: isEntity
        ).rendered(in: dialect).sql
    }
  }

  init(_ tables: HistoryTables?, in dialect: SQLDialect) {
    func insert(_ entity: HistoryTables.Entity, _ columns: [String]) -> String {
      var insert = Insert(
        into: entity.table, columns: [RowColumns.key, RowColumns.entity] + columns)
      insert.rows[0][1] = .integer(Int64(entity.rawValue))
      for index in columns.indices { insert.rows[0][index + 2] = .parameter(index + 1) }
      return insert.rendered(in: dialect).sql
    }
    typealias Column = HistoryTables.Transaction
    addTransaction = insert(
      .transaction,
      [
        Column.author, Column.bundleIdentifier, Column.contextName, Column.processName,
        Column.timestamp,
      ])
    addText = insert(.text, [HistoryTables.Text.value])
    findText =
      Select(
        [RowColumns.key()], from: TableReference(HistoryTables.Entity.text.table),
        where: .binary(
          .column(table: nil, name: HistoryTables.Text.value), .equal, .parameter(0))
      ).rendered(in: dialect).sql
    removeLastGap = HistoryStatements.removeLastGap(in: dialect)
    addMissingKeys = HistoryTables.Entity.allCases.map { entity in
      let largest = Select(
        [.function("max", [RowColumns.key()])], from: TableReference(entity.table))
      return Insert(
        into: EntityTable.name, columns: HistoryTables.entityColumns,
        rows: [
          entity.listing(lastKey: .function("coalesce", [.subquery(largest), .integer(0)]))
        ], onConflict: .ignore
      ).rendered(in: dialect).sql
    }
    removal = HistoryRemovalStatements(in: dialect)
    pruning = PruningStatements(tables, in: dialect)
    changeKeys = Keys(.change, in: dialect)
    transactionKeys = Keys(.transaction, in: dialect)
    textKeys = Keys(.text, in: dialect)
  }

  private static func removeLastGap(in dialect: SQLDialect) -> String {
    let transactions = HistoryTables.Entity.transaction.table
    let largest = Select(
      [.function("max", [RowColumns.key()])], from: TableReference(transactions))
    let named = Select(
      [RowColumns.key()], from: TableReference(HistoryTables.Entity.text.table),
      where: .binary(
        .column(table: nil, name: HistoryTables.Text.value), .equal, .parameter(0)))
    let changes = Select(
      [RowColumns.key()], from: TableReference(HistoryTables.Entity.change.table),
      where: .binary(
        .column(table: nil, name: HistoryTables.Change.transaction), .equal,
        RowColumns.key(of: transactions)))
    return Delete(
      from: transactions,
      where: .conjunction([
        .binary(RowColumns.key(), .equal, .subquery(largest)),
        .binary(
          .column(table: nil, name: HistoryTables.Transaction.contextName), .equal,
          .subquery(named)),
        .unary(.not, .exists(changes)),
      ])
    ).rendered(in: dialect).sql
  }
}
