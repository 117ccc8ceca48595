import OpenSwiftDataSQLSyntax

/// Gives the columns of one table their names in Apple's way: `Z` and the name in capitals, and a
/// number behind it from the second use of a name on.
struct ColumnNaming {
  private var uses: [String: Int] = [:]

  mutating func column(named name: String) -> String {
    let base = "Z" + name.uppercased()
    let count = uses[base, default: 0]
    uses[base] = count + 1
    guard count > 0 else { return base }
    // A property may itself be called `id1`: go on until the name is free.
    var suffix = count
    while uses["\(base)\(suffix)"] != nil { suffix += 1 }
    uses["\(base)\(suffix)"] = 1
    return "\(base)\(suffix)"
  }

  /// The column of a key whose property names no column itself: `Z1SPEC`, `Z1_BOOK`.
  mutating func column(verbatim name: String) -> String {
    uses[name, default: 0] += 1
    return name
  }

  static func table(forRoot entityName: String) -> String {
    "Z" + entityName.uppercased()
  }
}

extension ScalarType {
  /// The type of a column of such values.
  var sqlType: SQLType {
    switch self {
    case .int, .int8, .int16, .int32, .int64, .uint, .uint8, .uint16, .uint32, .uint64:
      .integer
    case .bool: .boolean
    case .double, .float: .real
    case .date: .timestamp
    case .decimal: .decimal
    case .string, .url: .text
    case .uuid, .data: .blob
    }
  }
}

/// The groups in which the columns of a table follow one another.
enum ColumnGroup: Int, CaseIterable {
  case integer, real, decimal, text, uri, uuid, transformable, binary

  init(_ content: ColumnContent, isLeaf: Bool) {
    switch content {
    case .scalar(let type), .rawValue(let type): self = ColumnGroup(type)
    case .enumCase: self = .text
    case .encoded: self = isLeaf ? .binary : .transformable
    case .transformed: self = .transformable
    case .key, .entityNumber: self = .integer
    }
  }

  private init(_ type: ScalarType) {
    switch type {
    case .int, .int8, .int16, .int32, .int64, .uint, .uint8, .uint16, .uint32, .uint64, .bool:
      self = .integer
    case .double, .float, .date: self = .real
    case .decimal: self = .decimal
    case .string: self = .text
    case .url: self = .uri
    case .uuid: self = .uuid
    case .data: self = .binary
    }
  }
}
