import OpenSwiftDataSQLSyntax

/// Maps a plain type, such as a history transaction, to the rows of a table.
///
/// `@unchecked`: key paths are immutable, and only lack the conformance.
package struct RecordMapping: @unchecked Sendable {
  /// The SQL for a property of the type.
  package struct Property {
    let keyPath: AnyKeyPath
    /// The term of the property, for the row with an alias.
    let term: (_ alias: String) -> SQLTerm
    /// The column of the property, if an index of the table begins with it.
    let indexedColumn: String?

    init(_ keyPath: AnyKeyPath, _ term: @escaping (_ alias: String) -> SQLTerm) {
      self.keyPath = keyPath
      self.term = term
      indexedColumn = nil
    }

    /// Maps a property to a column.
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - name: The column.
    ///   - isIndexed: Whether an index of the table begins with it.
    /// - Returns: `nil` for a type that is not stored in a single column.
    package init?<Root, Value>(
      _ keyPath: KeyPath<Root, Value>, _ name: String, isIndexed: Bool = false
    ) {
      let wrapped = unwrappedType(of: Value.self)
      let type = wrapped ?? Value.self
      guard let scalar = type as? any ScalarCoding.Type else { return nil }
      let column = ColumnMapping(
        name: name, sqlType: scalar.scalarType.traits.column.sqlType,
        content: .scalar(scalar.scalarType),
        isOptional: wrapped != nil)
      self.keyPath = keyPath
      term = { alias in
        .scalar(
          ScalarTerm(
            .column(table: alias, name: name), column, valueType: type,
            presence: column.isOptional ? .whenNotNull : .always))
      }
      indexedColumn = isIndexed ? name : nil
    }
  }

  let name: String
  let table: String
  let keyColumn: String
  private let properties: [Property]

  package init(_ name: String, table: String, keyColumn: String, properties: [Property]) {
    self.name = name
    self.table = table
    self.keyColumn = keyColumn
    self.properties = properties
  }

  func property(for keyPath: AnyKeyPath) -> Property? {
    properties.first { $0.keyPath == keyPath }
  }
}

extension RecordMapping: RowSource {
  var sharesTable: Bool { false }
  var spatialIndexes: [SpatialIndex] { [] }
  /// A history is read in pages, so rows are examined in order until the page is full.
  var findsOwnersInOneQuery: Bool { false }

  func term(alias: String) -> SQLTerm { .record(RecordTerm(mapping: self, alias: alias)) }
  func restriction(alias: String?) -> SQLExpression? { nil }

  func isIndexed(_ column: String, in mapping: SchemaMapping) -> Bool {
    properties.contains { $0.indexedColumn == column }
  }
}

/// A row that contains a value of a plain type.
struct RecordTerm {
  let mapping: RecordMapping
  let alias: String

  var key: SQLExpression { .column(table: alias, name: mapping.keyColumn) }

  /// A property of the row's value.
  func property(_ keyPath: AnyKeyPath) throws -> SQLTerm {
    guard let found = mapping.property(for: keyPath) else {
      throw NotInSQL("a property without a column")
    }
    return found.term(alias)
  }
}

/// The rows of one table that belong to a row of another table.
struct RecordLink {
  let members: RecordMapping
  /// The column of the members with the owner's key.
  let ownerColumn: String
  /// The columns of the range for which a row of the members' table stands; `nil` for single members.
  let range: TableReference.Range?
  /// The condition that a row of the table is a member.
  let restriction: @Sendable (_ alias: String) -> SQLExpression
}
