import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// A query after the code of a transformation: finds rows without a value for a required property.
struct RequiredCheck {
  private let entity: String
  private let property: String
  private let type: String
  private let keys: String

  private init(
    _ property: PropertyDescription, table: String, _ rows: TableSource.Rows, condition: String
  ) {
    entity = rows.current.name
    self.property = property.name
    type = property.typeText
    keys = """
      SELECT \(RowTerms.key) FROM \(table.quotedName) WHERE \(RowTerms.entity) = \
      \(rows.currentNumber) AND (\(condition)) ORDER BY 1
      """
  }

  /// - Parameter column: The column of the key.
  init(
    _ relationship: RelationshipDescription, column: String, table: String,
    _ rows: TableSource.Rows
  ) {
    self.init(
      .relationship(relationship), table: table, rows, condition: "\(column.quotedName) IS NULL")
  }

  /// - Parameters:
  ///   - columns: The columns with their content, by the paths of it, and whether it must be unique.
  ///   - required: The paths of the parts that must have a value if an enclosing part has one.
  ///   - isCase: For an enum, the condition that a column contains the raw value of a case.
  /// - Returns: `nil` for an attribute that is valid for any content of its columns.
  init?(
    _ attribute: AttributeDescription,
    _ columns: [(path: [String], name: String, leaf: AttributeDescription, isUnique: Bool)],
    required: [(part: [String], owner: [String])], table: String, _ rows: TableSource.Rows,
    isCase: ((String) -> String)?
  ) {
    func isMissing(_ name: String, _ leaf: AttributeDescription, _ isUnique: Bool) -> String? {
      // A floating-point number that is null is read as NaN. A unique one has no zero until it is set.
      if leaf.type.isFloat, !isUnique { return nil }
      if let isCase { return "\(name) IS NULL OR NOT \(isCase(name))" }
      return leaf.type == .uri ? "\(name) IS NULL OR \(name) = ''" : "\(name) IS NULL"
    }
    var conditions: [String] = []
    if !attribute.isOptional {
      conditions =
        attribute.type == .composite && attribute.isEnumeration
        ? [columns.map { "\($0.name.quotedName) IS NULL" }.joined(separator: " AND ")]
        : columns.filter { !$0.leaf.isOptional }.compactMap {
          isMissing($0.name.quotedName, $0.leaf, $0.isUnique)
        }
    }
    func content(of path: [String]) -> [(name: String, leaf: AttributeDescription)] {
      columns.filter { $0.path.starts(with: path) }.map { ($0.name.quotedName, $0.leaf) }
    }
    for (part, owner) in required {
      let own = content(of: part)
      if own.allSatisfy({ !$0.leaf.isOptional || $0.leaf.type.isFloat }) { continue }
      let isNil = own.map { "\($0.name) IS NULL" }.joined(separator: " AND ")
      let hasOwner = content(of: owner).map { "\($0.name) IS NOT NULL" }
      conditions.append(
        owner.isEmpty && !attribute.isOptional
          ? isNil : "\(isNil) AND (\(hasOwner.joined(separator: " OR ")))")
    }
    if conditions.isEmpty { return nil }
    self.init(
      .attribute(attribute), table: table, rows,
      condition: conditions.map { "(\($0))" }.joined(separator: " OR "))
  }

  /// - Returns: A clause such as `Trip.kind (String) in 3 rows (p1, p2, p3)`; `nil` if nothing is
  ///   missing.
  func missing(_ session: any SQLSession) throws -> String? {
    guard let rows = try FoundRows(keys, in: session) else { return nil }
    return "\(entity).\(property) (\(type)) in \(rows.count == 1 ? "1 row" : "\(rows.count) rows") "
      + "(\(rows.examples.joined(separator: ", ")))"
  }
}
