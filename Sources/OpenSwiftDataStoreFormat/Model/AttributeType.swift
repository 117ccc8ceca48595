/// The types of attributes, numbered as Core Data's model numbers them.
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

  /// The class of the values in an Objective-C program; `nil` where each attribute has its own.
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

/// The types of columns, as their declarations in the file spell them.
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

  /// The place of the attribute's columns among those of other types. The keys of relationships stand
  /// between the integers and the rest.
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
