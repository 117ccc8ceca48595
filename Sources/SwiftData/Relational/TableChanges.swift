import OpenSwiftDataSQLSyntax

/// The statements that find out which rows exist.
struct ExistingRows: Sendable {
  /// Finds a row by its key.
  let one: String
  /// Counts the existing rows of a list.
  let count: String
  /// The keys of the existing rows of a list.
  let keys: String

  /// - Parameter condition: What must hold for a row; `nil` for all rows of the table.
  init(in table: String, where condition: SQLExpression? = nil, _ dialect: SQLDialect) {
    func select(_ column: SQLExpression, where isRow: SQLExpression) -> String {
      Select(
        [column], from: TableReference(table), where: .all([isRow, condition].compactMap(\.self))
      ).rendered(in: dialect).sql
    }
    let isListed = SQLExpression.isMember(
      RowColumns.key(), of: ListParameter(.parameter(0), of: .integer))
    one = select(RowColumns.key(), where: .binary(RowColumns.key(), .equal, .parameter(0)))
    count = select(.function("count", [.star]), where: isListed)
    keys = select(RowColumns.key(), where: isListed)
  }
}

/// The statements for the versions and the history of one table's rows.
///
/// A statement that adds to the history has two more parameters at the end: the key before the first
/// change, unless the dialect continues the keys of a table itself (`SQLDialect.nextKey`), and the
/// transaction.
struct TableChanges: Sendable {
  /// Adds parameter 1 to the versions of the rows in the list, which is parameter 0.
  let addToVersions: String
  /// Reads keys and entity numbers of the rows in a list; `nil` if the table contains only one
  /// entity.
  let entityNumbers: String?
  /// Find rows of the table.
  let existing: ExistingRows
  /// Adds the rows whose keys are at least parameter 0.
  let addInserted: String
  /// Adds the rows in a list, which is parameter 0; parameter 1 are the changed columns.
  let addUpdated: String
  /// Adds the rows in a list, which is parameter 0, before they are deleted.
  let addDeleted: String
  /// Adds the rows in a range of keys, whose ends are parameters 0 and 1, before they are deleted.
  let addDeletedRange: String
  /// Reads keys, entity numbers and preserved values of the rows in a list; `nil` if the table has no
  /// preserved attributes.
  let preserved: String?

  /// - Parameter root: The root entity of the table.
  init(
    of root: EntityMapping, _ history: HistoryTables?, in mapping: SchemaMapping,
    _ dialect: SQLDialect
  ) {
    let table = root.table
    let isListed = TableChanges.isListed
    func select(_ columns: [SQLExpression], where condition: SQLExpression) -> Select {
      Select(columns, from: TableReference(table), where: condition)
    }
    addToVersions =
      Update(
        table,
        set: [
          Assignment(
            RowColumns.version,
            .binary(.column(table: nil, name: RowColumns.version), .add, .parameter(1)))
        ], where: isListed
      ).rendered(in: dialect).sql
    entityNumbers =
      root.sharesTable
      ? select([RowColumns.key(), RowColumns.entity()], where: isListed).rendered(in: dialect).sql
      : nil
    existing = ExistingRows(in: table, dialect)
    addInserted =
      TableChanges.insert(
        .inserted, from: table, where: .binary(RowColumns.key(), .greaterOrEqual, .parameter(0)),
        parameterCount: 1, dialect
      ).rendered(in: dialect).sql
    addUpdated =
      TableChanges.insert(
        .updated, from: table, where: isListed, columns: .parameter(1), parameterCount: 2, dialect
      ).rendered(in: dialect).sql
    func addDeleted(where condition: SQLExpression, parameterCount: Int) -> String {
      TableChanges.addDeleted(
        root, history, in: mapping, where: condition, parameterCount: parameterCount, dialect
      ).rendered(in: dialect).sql
    }
    self.addDeleted = addDeleted(where: isListed, parameterCount: 1)
    addDeletedRange = addDeleted(where: KeyList.isInRange, parameterCount: 2)
    preserved =
      TableChanges.preserved(root, history, in: mapping, where: isListed, dialect)?
      .rendered(in: dialect).sql
  }

  private static var isListed: SQLExpression {
    .isMember(RowColumns.key(), of: ListParameter(.parameter(0), of: .integer))
  }

  /// Adds the rows that satisfy a condition, before they are deleted.
  /// - Parameter parameterCount: The number of parameters of the condition.
  static func addDeleted(
    _ root: EntityMapping, _ history: HistoryTables?, in mapping: SchemaMapping,
    where condition: SQLExpression?, parameterCount: Int, _ dialect: SQLDialect
  ) -> InsertSelection {
    insert(
      .deleted, from: root.table, where: condition,
      and: tombstones(root, history, in: mapping, dialect), parameterCount: parameterCount, dialect)
  }

  /// Reads keys, entity numbers and preserved values of the rows that satisfy a condition.
  /// - Returns: `nil` if the table has no preserved attributes.
  static func preserved(
    _ root: EntityMapping, _ history: HistoryTables?, in mapping: SchemaMapping,
    where condition: SQLExpression?, _ dialect: SQLDialect
  ) -> Select? {
    let values = tombstones(root, history, in: mapping, dialect).map(\.value)
    if values.isEmpty { return nil }
    return Select(
      [RowColumns.key(), RowColumns.entity()] + values, from: TableReference(root.table),
      where: condition)
  }

  /// The preserved values of a row, depending on its entity.
  private static func tombstones(
    _ root: EntityMapping, _ history: HistoryTables?, in mapping: SchemaMapping,
    _ dialect: SQLDialect
  ) -> [(column: String, value: SQLExpression)] {
    let entities = root.subtreeNumbers.compactMap(mapping.entity(number:))
    let preserved = entities.map { (number: $0.number, columns: $0.preservedColumns) }
    return (0..<(history?.tombstoneCount ?? 0)).compactMap { index in
      let kept = preserved.filter { $0.columns.count > index }
      func value(_ columns: [PreservedColumn]) -> SQLExpression {
        PreservedBytes.expression(of: columns[index], in: dialect)
      }
      guard let first = kept.first else { return nil }
      let column = HistoryTables.Change.tombstone(index)
      if !root.sharesTable { return (column, value(first.columns)) }
      let branches = kept.map { entity in
        SQLBranch(
          when: .binary(RowColumns.entity(), .equal, .integer(Int64(entity.number))),
          then: value(entity.columns))
      }
      return (column, .conditional(branches, otherwise: nil))
    }
  }

  /// SQLite need not copy the values of a row if they are in the order of the table's columns.
  private static func insert(
    _ type: HistoryTables.ChangeType, from table: String, where condition: SQLExpression?,
    columns: SQLExpression = .null,
    and more: [(column: String, value: SQLExpression)] = [], parameterCount: Int,
    _ dialect: SQLDialect
  ) -> InsertSelection {
    typealias Change = HistoryTables.Change
    let key = dialect.nextKey ?? .binary(.parameter(parameterCount), .add, .rowNumber)
    let transaction = parameterCount + (dialect.nextKey == nil ? 1 : 0)
    let columns: [(name: String, value: SQLExpression)] =
      [
        (RowColumns.key, key),
        (RowColumns.entity, .integer(Int64(HistoryTables.Entity.change.rawValue))),
        (RowColumns.version, .null),
        (Change.type, .integer(type.rawValue)),
        (Change.entity, RowColumns.entity()),
        (Change.key, RowColumns.key()),
        (Change.transaction, .parameter(transaction)),
        (Change.columns, columns),
      ] + more.map { ($0.column, $0.value) }
    return InsertSelection(
      into: HistoryTables.Entity.change.table, columns: columns.map(\.name),
      Select(columns.map(\.value), from: TableReference(table), where: condition))
  }
}
