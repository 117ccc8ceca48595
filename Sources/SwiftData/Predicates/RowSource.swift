import OpenSwiftDataSQLSyntax

/// The rows that the variable of a predicate stands for, and how key paths find their columns.
///
/// Models are one source; `RecordMapping` makes one of any table and plain type.
protocol RowSource: Sendable {
  /// Tells the source from others.
  var name: String { get }
  var table: String { get }
  /// The column that tells the rows apart, which orders those that are equal otherwise.
  var keyColumn: String { get }
  /// Whether the table has other rows too, whose keys are not compared with these.
  var sharesTable: Bool { get }
  var spatialIndexes: [SpatialIndex] { get }

  /// What the variable stands for.
  func term(alias: String) -> SQLTerm
  /// The condition that a row of the table is one of these.
  func restriction(alias: String?) -> SQLExpression?
  /// Whether an index of the table begins with the column.
  func isIndexed(_ column: String, in mapping: SchemaMapping) -> Bool
  /// Whether the owners of members are looked for at once where nothing else narrows the rows.
  var findsOwnersAtOnce: Bool { get }
}

extension EntityMapping: RowSource {
  var keyColumn: String { RowColumns.key }
  var findsOwnersAtOnce: Bool { true }

  func term(alias: String) -> SQLTerm {
    .object(ObjectTerm(entity: self, source: .row(alias: alias), scope: 0))
  }

  func isIndexed(_ column: String, in mapping: SchemaMapping) -> Bool {
    mapping.isIndexed(column, of: table)
  }
}
