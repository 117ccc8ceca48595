import OpenSwiftDataSQLSyntax

/// The statements for transactions of the history, their shared texts, and the last keys of both.
struct HistoryStatements: Sendable {
  /// Reads the largest and the last key of transactions and of changes, then the keys of the texts
  /// that are the parameters. A missing last key is negative, a missing text is null.
  let begin: String
  /// Parameters: key, author, bundle identifier, names of context and process, timestamp.
  let addTransaction: String
  /// Adds the change of an updated row. Parameters: key, entity number and key of the row,
  /// transaction, changed columns.
  let addUpdatedRow: String
  /// Whether statements that add changes leave their keys to the database (`SQLDialect.nextKey`).
  let continuesKeys: Bool
  /// Adds and removes a change without values, whose key is parameter 0.
  let (addPlaceholder, removePlaceholder): (String, String)
  /// Finds the key of a text.
  let findText: String
  /// Parameters: key and text.
  let addText: String
  /// Stores parameter 0 as the last key of transactions, and parameter 1 as that of changes.
  let storeLastKeys: String
  /// Finds the last transaction if its context name is parameter 0, it has no changes, and its gap has not ended.
  let lastGap: String
  /// Deletes that transaction.
  let removeLastGap: String
  /// Gives that transaction the number that is parameter 1.
  let moveLastGap: String
  /// Ends the gap of that transaction at its own number, if parameter 1 is larger.
  let endLastGap: String
  /// Assigns the number that is parameter 2, if it is the next one, and the last transaction has the
  /// number that is parameter 0 and the time that is parameter 1.
  let extendGap: String
  /// Add missing rows to `Z_PRIMARYKEY`, with the largest keys of the history's tables. Apple's
  /// framework creates the tables first, and adds these rows with the first transaction.
  let addMissingKeys: [String]
  /// The record of deletions; `nil` if missing numbers show them.
  let deleted: DeletedHistoryStatements?
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
      let isEntity = entity.isListed
      largest = entity.largestKey.rendered(in: dialect).sql
      last = entity.lastKey.rendered(in: dialect).sql
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
    addUpdatedRow = HistoryStatements.addUpdatedRow.rendered(in: dialect).sql
    continuesKeys = dialect.nextKey != nil
    let changes = HistoryTables.Entity.change.table
    addPlaceholder = Insert(into: changes, columns: [RowColumns.key]).rendered(in: dialect).sql
    removePlaceholder =
      Delete(from: changes, where: .binary(RowColumns.key(), .equal, .parameter(0)))
      .rendered(in: dialect).sql
    addText = insert(.text, [HistoryTables.Text.value])
    findText =
      Select(
        [RowColumns.key()], from: TableReference(HistoryTables.Entity.text.table),
        where: .binary(
          .column(table: nil, name: HistoryTables.Text.value), .equal, .parameter(0))
      ).rendered(in: dialect).sql
    begin = HistoryStatements.begin.rendered(in: dialect).sql
    storeLastKeys = HistoryStatements.storeLastKeys(in: dialect).rendered(in: dialect).sql
    let transactions = HistoryTables.Entity.transaction.table
    let isLastGap = HistoryStatements.isLastGap
    lastGap =
      Select([RowColumns.key()], from: TableReference(transactions), where: isLastGap)
      .rendered(in: dialect).sql
    removeLastGap = Delete(from: transactions, where: isLastGap).rendered(in: dialect).sql
    moveLastGap =
      Update(transactions, set: [Assignment(RowColumns.key, .parameter(1))], where: isLastGap)
      .rendered(in: dialect).sql
    endLastGap =
      Update(
        transactions, set: [Assignment(RowColumns.version, .integer(1))],
        where: .conjunction([isLastGap, .binary(RowColumns.key(), .less, .parameter(1))])
      ).rendered(in: dialect).sql
    extendGap = HistoryStatements.extendGap.rendered(in: dialect).sql
    addMissingKeys = HistoryTables.Entity.allCases.map { entity in
      Insert(
        into: EntityTable.name, columns: HistoryTables.entityColumns,
        rows: [
          entity.listing(
            lastKey: .function("coalesce", [.subquery(entity.largestKey), .integer(0)]))
        ], onConflict: .ignore
      ).rendered(in: dialect).sql
    }
    deleted = DeletedHistoryStatements(in: dialect)
    removal = HistoryRemovalStatements(in: dialect)
    pruning = PruningStatements(tables, in: dialect)
    changeKeys = Keys(.change, in: dialect)
    transactionKeys = Keys(.transaction, in: dialect)
    textKeys = Keys(.text, in: dialect)
  }

  /// One row in any file: an aggregate of at most one row.
  private static var begin: Select {
    let (transaction, change) = (HistoryTables.Entity.transaction, HistoryTables.Entity.change)
    let lastKey = SQLExpression.column(table: nil, name: EntityTable.lastKey)
    let lastChange = Select(
      [lastKey], from: TableReference(EntityTable.name), where: change.isListed)
    func known(_ key: SQLExpression, or missing: Int64) -> SQLExpression {
      .function("coalesce", [key, .integer(missing)])
    }
    let texts = HistoryTables.Transaction.texts.indices.map { index in
      SQLExpression.subquery(
        Select(
          [RowColumns.key()], from: TableReference(HistoryTables.Entity.text.table),
          where: .binary(
            .column(table: nil, name: HistoryTables.Text.value), .equal, .parameter(index))))
    }
    return Select(
      [
        known(.subquery(transaction.largestKey), or: 0), known(.function("max", [lastKey]), or: -1),
        known(.subquery(change.largestKey), or: 0), known(.subquery(lastChange), or: -1),
      ] + texts, from: TableReference(EntityTable.name), where: transaction.isListed)
  }

  /// An insertion of values costs SQLite half of what an insertion from a query costs.
  private static var addUpdatedRow: Insert {
    typealias Change = HistoryTables.Change
    var insert = Insert(
      into: HistoryTables.Entity.change.table,
      columns: [
        RowColumns.key, Change.entity, Change.key, Change.transaction, Change.columns,
        RowColumns.entity, Change.type,
      ])
    insert.rows[0][5] = .integer(Int64(HistoryTables.Entity.change.rawValue))
    insert.rows[0][6] = .integer(HistoryTables.ChangeType.updated.rawValue)
    return insert
  }

  private static func storeLastKeys(in dialect: SQLDialect) -> Update {
    let (transaction, change) = (HistoryTables.Entity.transaction, HistoryTables.Entity.change)
    // Nothing else in the expression tells the server the type of these parameters.
    func last(_ index: Int) -> SQLExpression {
      switch dialect {
      case .sqlite: .parameter(index)
      case .postgreSQL: .cast(.parameter(index), to: .integer)
      }
    }
    let key = SQLExpression.conditional(
      [SQLBranch(when: transaction.isListed, then: last(0))], otherwise: last(1))
    // SQLite updates a range in one pass. For a list it makes a temporary table.
    let number = SQLExpression.column(table: nil, name: EntityTable.number)
    return Update(
      EntityTable.name, set: [Assignment(EntityTable.lastKey, key)],
      where: .conjunction([
        .binary(number, .greaterOrEqual, .integer(Int64(change.rawValue))),
        .binary(number, .lessOrEqual, .integer(Int64(transaction.rawValue))),
      ]))
  }

  private static var isLastGap: SQLExpression {
    let transaction = HistoryTables.Entity.transaction
    let named = Select(
      [RowColumns.key()], from: TableReference(HistoryTables.Entity.text.table),
      where: .binary(
        .column(table: nil, name: HistoryTables.Text.value), .equal, .parameter(0)))
    let changes = Select(
      [RowColumns.key()], from: TableReference(HistoryTables.Entity.change.table),
      where: .binary(
        .column(table: nil, name: HistoryTables.Change.transaction), .equal,
        RowColumns.key(of: transaction.table)))
    return .conjunction([
      .binary(RowColumns.key(), .equal, .subquery(transaction.largestKey)),
      .binary(
        .column(table: nil, name: HistoryTables.Transaction.contextName), .equal,
        .subquery(named)),
      // Later transactions, which were deleted, have ended the others.
      .unary(.isNull, .column(table: nil, name: RowColumns.version)),
      .unary(.not, .exists(changes)),
    ])
  }

  /// `RETURNING` would make a temporary table.
  private static var extendGap: Update {
    let transaction = HistoryTables.Entity.transaction
    let lastKey = SQLExpression.column(table: nil, name: EntityTable.lastKey)
    let time = Select(
      [.column(table: nil, name: HistoryTables.Transaction.timestamp)],
      from: TableReference(transaction.table),
      where: .binary(RowColumns.key(), .equal, .parameter(0)))
    return Update(
      EntityTable.name,
      set: [Assignment(EntityTable.lastKey, .parameter(2))],
      where: .conjunction([
        transaction.isListed,
        .binary(lastKey, .equal, .binary(.parameter(2), .subtract, .integer(1))),
        .binary(.subquery(transaction.largestKey), .equal, .parameter(0)),
        .binary(.subquery(time), .equal, .parameter(1)),
      ]))
  }
}

extension HistoryTables.Entity {
  /// The key that was assigned last, as `Z_PRIMARYKEY` has it.
  var lastKey: Select {
    Select(
      [.column(table: nil, name: EntityTable.lastKey)], from: TableReference(EntityTable.name),
      where: isListed)
  }

  /// Whether a row of `Z_PRIMARYKEY` is that of the entity.
  var isListed: SQLExpression {
    .binary(.column(table: nil, name: EntityTable.number), .equal, .integer(Int64(rawValue)))
  }

  var largestKey: Select {
    Select([.function("max", [RowColumns.key()])], from: TableReference(table))
  }
}
