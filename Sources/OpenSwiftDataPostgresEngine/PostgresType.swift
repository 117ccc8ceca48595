/// The number of a type in the catalogue of the server. Those of built-in types are the same in all
/// servers.
package struct PostgresType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let boolean = PostgresType(rawValue: 16)
  package static let bytea = PostgresType(rawValue: 17)
  package static let name = PostgresType(rawValue: 19)
  package static let bigint = PostgresType(rawValue: 20)
  package static let smallint = PostgresType(rawValue: 21)
  package static let integer = PostgresType(rawValue: 23)
  package static let text = PostgresType(rawValue: 25)
  package static let oid = PostgresType(rawValue: 26)
  package static let json = PostgresType(rawValue: 114)
  package static let real = PostgresType(rawValue: 700)
  package static let double = PostgresType(rawValue: 701)
  package static let unknown = PostgresType(rawValue: 705)
  package static let character = PostgresType(rawValue: 1042)
  package static let varchar = PostgresType(rawValue: 1043)
  package static let numeric = PostgresType(rawValue: 1700)
  package static let uuid = PostgresType(rawValue: 2950)

  package static let byteaArray = PostgresType(rawValue: 1001)
  package static let textArray = PostgresType(rawValue: 1009)
  package static let bigintArray = PostgresType(rawValue: 1016)
  package static let doubleArray = PostgresType(rawValue: 1022)
  package static let booleanArray = PostgresType(rawValue: 1000)
  package static let realArray = PostgresType(rawValue: 1021)
  package static let numericArray = PostgresType(rawValue: 1231)
  package static let uuidArray = PostgresType(rawValue: 2951)

  /// Whether the binary form is UTF-8 text.
  package var isText: Bool {
    switch self {
    case .text, .varchar, .character, .name, .json, .unknown: true
    default: false
    }
  }

  /// The type of the elements, if this is an array.
  package var element: PostgresType? {
    switch self {
    case .byteaArray: .bytea
    case .textArray: .text
    case .bigintArray: .bigint
    case .doubleArray: .double
    case .booleanArray: .boolean
    case .realArray: .real
    case .numericArray: .numeric
    case .uuidArray: .uuid
    default: nil
    }
  }
}

extension PostgresType: CustomStringConvertible {
  package var description: String {
    if let element { return "\(element)[]" }
    return switch self {
    case .boolean: "boolean"
    case .bytea: "bytea"
    case .name: "name"
    case .bigint: "bigint"
    case .smallint: "smallint"
    case .integer: "integer"
    case .text: "text"
    case .oid: "oid"
    case .json: "json"
    case .real: "real"
    case .double: "double precision"
    case .unknown: "unknown"
    case .character: "character"
    case .varchar: "character varying"
    case .numeric: "numeric"
    case .uuid: "uuid"
    default: "the type with the number \(rawValue)"
    }
  }
}
