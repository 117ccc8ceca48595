package import OpenSwiftDataSQLSyntax

/// The kind of values in a column.
package enum ColumnContent: Hashable, Sendable {
  case scalar(ScalarType)
  /// The raw value of a `RawRepresentable` type.
  case rawValue(ScalarType)
  /// JSON: text inside a composite, bytes for a separate attribute.
  case encoded
  /// The name of an enum case, if that case is the current one.
  case enumCase
  /// An archive that a value transformer made.
  case transformed
  /// The primary key of a destination row.
  case key
  /// The entity number of a destination row.
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
  /// Whether the column may be null in a row of the property's entity.
  package let isOptional: Bool
}
