import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The rows of one entity whose values the change itself modifies, by property: a new property gets
/// its declared default, a value is converted, a link is removed with the row that it refers to.
///
/// A value that only moves to another name, column, table or number does not count as changed.
struct ChangedValues {
  /// A property of the changed model, and the condition for the changed rows of the file.
  struct Property {
    let name: String
    let condition: String

    var isInAllRows: Bool { condition == ChangedValues.all }
  }

  /// A condition that is true for all rows.
  static let all = "TRUE"

  /// The table of the file.
  let table: String
  let rows: TableSource.Rows
  private(set) var properties: [Property] = []

  init(_ rows: TableSource.Rows, in table: String) {
    self.rows = rows
    self.table = table
  }

  /// - Parameter conditions: A row changes if one of them is true.
  mutating func note(_ property: String, where conditions: [String]) {
    if conditions.isEmpty { return }
    let condition =
      conditions.contains(ChangedValues.all)
      ? ChangedValues.all
      // A condition that is null counts as false.
      : "(\(conditions.map { "(\($0))" }.joined(separator: " OR "))) IS TRUE"
    properties.append(Property(name: property, condition: condition))
  }

  /// A condition that is true for the entity's changed rows.
  var condition: String {
    properties.contains(where: \.isInAllRows)
      ? ChangedValues.all : properties.map(\.condition).joined(separator: " OR ")
  }

  /// The expression for the versions of a table's rows in the changed file.
  static func version(_ changed: [ChangedValues]) -> String {
    let cases = changed.filter { !$0.properties.isEmpty }.map {
      "WHEN \($0.rows.storedNumber) THEN CASE WHEN \($0.condition) THEN 1 ELSE 0 END"
    }
    if cases.isEmpty { return RowTerms.version }
    return """
      \(RowTerms.version) + CASE \(RowTerms.entity) \(cases.joined(separator: " ")) ELSE 0 END
      """
  }
}

extension LinkPlanner {
  /// Conditions for the rows of the file whose links of a relationship change: they refer to
  /// removed rows or to rows that the relationship does not allow any more, or belonged to another
  /// relationship or only to the other side, or are dropped.
  func changes(
    of relationship: RelationshipDescription, declaredBy owner: String, _ rows: TableSource.Rows,
    _ table: String
  ) -> [String] {
    if dropsCrossedLinks, crossedLinks(of: relationship, in: owner) != nil {
      return continuedLinks(of: relationship.name, in: owner).compactMap { links in
        guard let pairs = links.pairs(in: stored), links.tables(in: stored)?.near == table
        else { return nil }
        return """
          \(RowTerms.key) IN (SELECT \(pairs.near) FROM \(pairs.table.quotedName) \
          WHERE \(pairs.far) IS NOT NULL)
          """
      }
    }
    let known = counterparts.property(relationship.name, of: rows.current.name)
    return earlierLinks(of: relationship, in: owner).compactMap { links in
      guard let pairs = links.pairs(in: stored), let tables = links.tables(in: stored),
        tables.near == table
      else { return nil }
      let removed = sources.removed[tables.far].map { numbers in
        """
        SELECT \(RowTerms.key) FROM \(tables.far.quotedName) WHERE \(RowTerms.entity) IN \
        (\(numbers.sorted().map(String.init).joined(separator: ", ")))
        """
      }
      let lost = [removed, disallowedRows(links, of: relationship.destination)].compactMap(\.self)
      let isOwn =
        links.near.map { near in
          near.entity == known?.entity.name && near.relationship.name == known?.property.name
        } ?? false
      if isOwn, lost.isEmpty { return nil }
      let condition =
        isOwn
        ? lost.map { "\(pairs.far) IN (\($0))" }.joined(separator: " OR ")
        : (["\(pairs.far) IS NOT NULL"] + lost.map { "\(pairs.far) NOT IN (\($0))" })
          .joined(separator: " AND ")
      return """
        \(RowTerms.key) IN (SELECT \(pairs.near) FROM \(pairs.table.quotedName) WHERE \(condition))
        """
    }
  }
}
