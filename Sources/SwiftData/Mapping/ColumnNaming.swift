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

extension ScalarColumn {
  /// The type of such columns.
  var sqlType: SQLType {
    switch self {
    case .integer: .integer
    case .boolean: .boolean
    case .real: .real
    case .date: .timestamp
    case .decimal: .decimal
    case .text, .uri: .text
    case .uuid, .binary: .blob
    }
  }
}

/// The groups in which the columns of a table follow one another.
enum ColumnGroup: Int, CaseIterable {
  case integer, real, decimal, text, uri, uuid, transformable, binary

  init(_ content: ColumnContent, isLeaf: Bool) {
    switch content {
    case .scalar(let type), .rawValue(let type): self = ColumnGroup(type.traits.column)
    case .enumCase: self = .text
    case .encoded: self = isLeaf ? .binary : .transformable
    case .transformed: self = .transformable
    case .key, .entityNumber: self = .integer
    }
  }

  private init(_ column: ScalarColumn) {
    switch column {
    case .integer, .boolean: self = .integer
    case .real, .date: self = .real
    case .decimal: self = .decimal
    case .text: self = .text
    case .uri: self = .uri
    case .uuid: self = .uuid
    case .binary: self = .binary
    }
  }
}
