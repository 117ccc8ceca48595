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
}

extension EntityMapping: RowSource {
  var keyColumn: String { RowColumns.key }

  func term(alias: String) -> SQLTerm {
    .object(ObjectTerm(entity: self, source: .row(alias: alias), scope: 0))
  }

  func isIndexed(_ column: String, in mapping: SchemaMapping) -> Bool {
    mapping.isIndexed(column, of: table)
  }
}

/// A table whose rows are values of a plain type, such as the transactions of a history.
///
/// `@unchecked`: key paths are immutable objects, which lack the conformance only.
package struct RecordMapping: @unchecked Sendable {
  /// The column of a stored property.
  package struct Column {
    let keyPath: AnyKeyPath
    let column: ColumnMapping
    let valueType: any Any.Type
    let isIndexed: Bool

    /// - Parameters:
    ///   - keyPath: The property.
    ///   - name: The column.
    ///   - isIndexed: Whether an index of the table begins with it.
    /// - Returns: `nil` for a type that fills no column by itself.
    package init?<Root, Value>(
      _ keyPath: KeyPath<Root, Value>, _ name: String, isIndexed: Bool = false
    ) {
      let wrapped = unwrappedType(of: Value.self)
      let type = wrapped ?? Value.self
      guard let scalar = type as? any ScalarCoding.Type else { return nil }
      self.keyPath = keyPath
      column = ColumnMapping(
        name: name, sqlType: scalar.scalarType.traits.column.sqlType,
        content: .scalar(scalar.scalarType),
        isOptional: wrapped != nil)
      valueType = type
      self.isIndexed = isIndexed
    }
  }

  let name: String
  let table: String
  let keyColumn: String
  private let columns: [Column]

  package init(_ name: String, table: String, keyColumn: String, columns: [Column]) {
    self.name = name
    self.table = table
    self.keyColumn = keyColumn
    self.columns = columns
  }

  func column(for keyPath: AnyKeyPath) -> Column? { columns.first { $0.keyPath == keyPath } }
}

extension RecordMapping: RowSource {
  var sharesTable: Bool { false }
  var spatialIndexes: [SpatialIndex] { [] }

  func term(alias: String) -> SQLTerm { .record(RecordTerm(mapping: self, alias: alias)) }
  func restriction(alias: String?) -> SQLExpression? { nil }

  func isIndexed(_ column: String, in mapping: SchemaMapping) -> Bool {
    columns.contains { $0.column.name == column && $0.isIndexed }
  }
}

/// A row of a table that holds values of a plain type.
struct RecordTerm {
  let mapping: RecordMapping
  let alias: String
}

extension PredicateCompiler {
  /// A property of a row.
  func property(_ keyPath: AnyKeyPath, of record: RecordTerm) throws -> SQLTerm {
    guard let found = record.mapping.column(for: keyPath) else {
      throw NotInSQL("a property without column")
    }
    return .scalar(
      scalar(
        .column(table: record.alias, name: found.column.name), found.column,
        valueType: found.valueType, presence: found.column.isOptional ? .whenNotNull : .always))
  }
}
