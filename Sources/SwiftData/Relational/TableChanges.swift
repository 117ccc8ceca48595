import OpenSwiftDataSQLSyntax

/// The statements for the versions and the history of one table's rows.
///
/// A statement that adds to the history numbers its changes after a given key.
struct TableChanges: Sendable {
  /// Adds parameter 1 to the versions of the rows in the list, which is parameter 0.
  let addToVersions: String
  /// Reads keys and entity numbers of the rows in a list; `nil` if the table contains only one
  /// entity.
  let entityNumbers: String?
  /// Finds a row by its key.
  let existing: String
  /// Counts the existing rows of a list.
  let existingCount: String
  let existingKeys: String
  /// Adds the rows whose keys are at least parameter 2. Parameter 0 is added to their keys;
  /// parameter 1 is the transaction.
  let addInserted: String
  /// Adds the rows in a list. The other parameters are the key before the first change, the
  /// transaction and the changed columns.
  let addUpdated: String
  /// Adds the rows in a list. The other parameters are the key before the first change and the
  /// transaction.
  let addDeleted: String
  /// Adds the rows in a range of keys without gaps, whose ends are parameters 0 and 1. The other
  /// parameters are the key before the first change and the transaction.
  let addDeletedRange: String
  /// Counts the rows in a range of keys, whose ends are parameters 0 and 1.
  let countOfRange: String
  /// Without parameters: the number of rows, the smallest and the largest key.
  let (count, smallestKey, largestKey): (String, String, String)

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
    existing =
      select(
        [RowColumns.key()], where: .binary(RowColumns.key(), .equal, .parameter(0))
      ).rendered(in: dialect).sql
    existingCount = select([.function("count", [.star])], where: isListed).rendered(in: dialect).sql
    existingKeys = select([RowColumns.key()], where: isListed).rendered(in: dialect).sql
    addInserted =
      TableChanges.insert(
        .inserted, key: .binary(RowColumns.key(), .add, .parameter(0)), transaction: .parameter(1),
        from: table, where: .binary(RowColumns.key(), .greaterOrEqual, .parameter(2))
      ).rendered(in: dialect).sql
    addUpdated =
      TableChanges.insert(
        .updated, key: .binary(.parameter(1), .add, .rowNumber), transaction: .parameter(2),
        and: [(HistoryTables.Change.columns, .parameter(3))], from: table, where: isListed
      ).rendered(in: dialect).sql
    addDeleted =
      TableChanges.addDeleted(root, history, in: mapping, where: isListed, parameterCount: 1)
      .rendered(in: dialect).sql
    addDeletedRange =
      TableChanges.addDeleted(
        root, history, in: mapping, where: KeyList.isInRange, parameterCount: 2,
        number: .binary(
          .binary(RowColumns.key(), .subtract, .parameter(0)), .add, .integer(1))
      ).rendered(in: dialect).sql
    countOfRange =
      select([.function("count", [.star])], where: KeyList.isInRange).rendered(in: dialect).sql
    func value(_ function: String, _ argument: SQLExpression) -> String {
      Select([.function(function, [argument])], from: TableReference(table)).rendered(in: dialect)
        .sql
    }
    (count, smallestKey, largestKey) = (
      value("count", .star), value("min", RowColumns.key()), value("max", RowColumns.key())
    )
  }

  private static var isListed: SQLExpression {
    .isMember(RowColumns.key(), of: ListParameter(.parameter(0), of: .integer))
  }

  /// Adds the rows that satisfy a condition, before they are deleted.
  /// - Parameter parameterCount: The number of parameters of the condition; the key before the
  ///   first change and the transaction follow.
  /// - Parameter number: The number of a row among the deleted ones, beginning with 1.
  static func addDeleted(
    _ root: EntityMapping, _ history: HistoryTables?, in mapping: SchemaMapping,
    where condition: SQLExpression?, parameterCount: Int, number: SQLExpression = .rowNumber
  ) -> InsertSelection {
    insert(
      .deleted, key: .binary(.parameter(parameterCount), .add, number),
      transaction: .parameter(parameterCount + 1),
      and: tombstones(root, history, in: mapping), from: root.table, where: condition)
  }

  /// The preserved values of a row, depending on its entity.
  private static func tombstones(
    _ root: EntityMapping, _ history: HistoryTables?, in mapping: SchemaMapping
  ) -> [(column: String, value: SQLExpression)] {
    let entities = root.subtreeNumbers.compactMap(mapping.entity(number:))
    let preserved = entities.map { (number: $0.number, columns: $0.preservedColumns) }
    return (0..<(history?.tombstoneCount ?? 0)).compactMap { index in
      let kept = preserved.filter { $0.columns.count > index }
      func value(_ columns: [String]) -> SQLExpression { .column(table: nil, name: columns[index]) }
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

  private static func insert(
    _ type: HistoryTables.ChangeType, key: SQLExpression, transaction: SQLExpression,
    and more: [(column: String, value: SQLExpression)] = [], from table: String,
    where condition: SQLExpression?
  ) -> InsertSelection {
    let columns: [(name: String, value: SQLExpression)] =
      [
        (RowColumns.key, key),
        (RowColumns.entity, .integer(Int64(HistoryTables.Entity.change.rawValue))),
        (HistoryTables.Change.type, .integer(type.rawValue)),
        (HistoryTables.Change.entity, RowColumns.entity()),
        (HistoryTables.Change.key, RowColumns.key()),
        (HistoryTables.Change.transaction, transaction),
      ] + more.map { ($0.column, $0.value) }
    return InsertSelection(
      into: HistoryTables.Entity.change.table, columns: columns.map(\.name),
      Select(columns.map(\.value), from: TableReference(table), where: condition))
  }
}
