package import OpenSwiftDataSQLSyntax

/// What the values of a column are.
package enum ColumnContent: Hashable, Sendable {
  case scalar(ScalarType)
  /// The raw value of a `RawRepresentable` type.
  case rawValue(ScalarType)
  /// JSON: text inside a composite, bytes for an attribute of its own.
  case encoded
  /// The name of an enum case while that case is the active one.
  case enumCase
  /// An archive made by a value transformer.
  case transformed
  /// The primary key of a destination.
  case key
  /// The entity number of a destination.
  case entityNumber

  /// The scalar type in the column, for scalars and raw values.
  package var scalarType: ScalarType? {
    switch self {
    case .scalar(let type), .rawValue(let type): type
    case .enumCase: .string
    case .encoded, .transformed, .key, .entityNumber: nil
    }
  }
}

/// One column that holds values of a property.
package struct ColumnMapping: Hashable, Sendable {
  package let name: String
  package let sqlType: SQLType
  package let content: ColumnContent
  /// Whether a row of the property's entity may have no value in it.
  package let isOptional: Bool
}
