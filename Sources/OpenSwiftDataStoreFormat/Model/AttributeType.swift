/// The types of attributes, with Core Data's raw values.
package enum AttributeType: Int, Sendable, CaseIterable {
  case integer16 = 100
  case integer32 = 200
  case integer64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case boolean = 800
  case date = 900
  case binary = 1000
  case uuid = 1100
  case uri = 1200
  case transformable = 1800
  case composite = 2100

  /// The Objective-C class of the values; `nil` if it differs by attribute.
  package var valueClassName: String? {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .composite: "NSDictionary"
    case .transformable: nil
    }
  }
}

/// The types of columns, as spelled in the file's table definitions.
package enum ColumnType: String, Sendable {
  case integer = "INTEGER"
  case float = "FLOAT"
  case timestamp = "TIMESTAMP"
  case decimal = "DECIMAL"
  case varchar = "VARCHAR"
  case blob = "BLOB"
}

extension AttributeType {
  /// The type of the attribute's column; `nil` for a composite, whose leaves have the columns.
  package var columnType: ColumnType? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .double, .float: .float
    case .date: .timestamp
    case .decimal: .decimal
    case .string, .uri: .varchar
    case .uuid, .transformable, .binary: .blob
    case .composite: nil
    }
  }

  /// The sort position of the attribute's columns among the types. Relationship keys come between
  /// integers and all other types.
  package var columnGroup: Int {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: 0
    case .double, .float, .date: 2
    case .decimal: 3
    case .string: 4
    case .uri: 5
    case .uuid: 6
    case .transformable: 7
    case .binary: 8
    case .composite: 9
    }
  }
}
