package import OpenSwiftDataSQLSyntax

/// The rows that a predicate's variable refers to, and the columns for its key paths.
///
/// Entities are one kind of source; `RecordMapping` makes one from any table and a plain type.
protocol RowSource: Sendable {
  /// Distinguishes the source from others.
  var name: String { get }
  var table: String { get }
  /// The key column, which orders rows that are equal otherwise.
  var keyColumn: String { get }
  /// Whether the table contains other rows too, whose keys are not compared with these.
  var sharesTable: Bool { get }
  var spatialIndexes: [SpatialIndex] { get }

  /// The term of the variable.
  func term(alias: String) -> SQLTerm
  /// The condition that a row of the table belongs to the source.
  func restriction(alias: String?) -> SQLExpression?
  /// Whether an index of the table begins with the column.
  func isIndexed(_ column: String, in mapping: SchemaMapping) -> Bool
  /// Whether the value of the column distinguishes the rows of the source.
  func isDistinct(_ column: String, in mapping: SchemaMapping) -> Bool
  /// Whether owners of matching members are found with one query if nothing else narrows the rows.
  var findsOwnersInOneQuery: Bool { get }
}

extension RowSource {
  func isDistinct(_ column: String, in mapping: SchemaMapping) -> Bool { column == keyColumn }
}

extension EntityMapping: RowSource {
  var keyColumn: String { RowColumns.key }
  var findsOwnersInOneQuery: Bool { true }

  func term(alias: String) -> SQLTerm {
    .object(ObjectTerm(entity: self, source: .row(alias: alias), scope: 0))
  }

  /// The condition that a row of the table belongs to the entity or a subentity.
  package func restriction(alias: String?) -> SQLExpression? {
    guard isPartOfTable else { return nil }
    return isKind(alias: alias)
  }

  func isKind(alias: String?) -> SQLExpression {
    let column = RowColumns.entity(of: alias)
    let numbers = subtreeNumbers.map { SQLExpression.integer(Int64($0)) }
    return numbers.count == 1
      ? .binary(column, .equal, numbers[0]) : .inList(column, numbers)
  }

  func isIndexed(_ column: String, in mapping: SchemaMapping) -> Bool {
    mapping.isIndexed(column, of: table)
  }

  func isDistinct(_ column: String, in mapping: SchemaMapping) -> Bool {
    if column == keyColumn { return true }
    // NaN is stored as null.
    return mapping.isUnique(column, of: table)
      && properties.lazy.flatMap(columns).contains {
        $0.name == column && !$0.isOptional && [.integer, .text].contains($0.sqlType)
      }
  }
}
