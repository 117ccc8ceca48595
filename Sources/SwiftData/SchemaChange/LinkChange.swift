import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Links that are collected from other tables before these are changed, to be filled into a column.
struct LinkTable {
  let name: String
  /// The statements that give the pairs: the key of the row, and the key that its column gets.
  let selections: [String]
  let table: String
  let column: String

  var statements: [String] {
    ["CREATE TEMP TABLE \(name) (A INTEGER, B INTEGER)"]
      + selections.map { "INSERT INTO temp.\(name) \($0)" }
      + ["CREATE INDEX temp.\(name)_INDEX ON \(name) (A)"]
  }

  var filling: String {
    """
    UPDATE \(table.quotedName) SET \(column.quotedName) = \
    (SELECT B FROM temp.\(name) WHERE A = \(RowColumns.key)) \
    WHERE \(RowColumns.key) IN (SELECT A FROM temp.\(name))
    """
  }

  var removal: String { "DROP TABLE temp.\(name)" }
}

/// How a table of pairs of the changed file is filled.
struct JoinChange {
  enum Kind {
    /// The table of the file, under another name and with other names of columns.
    case renamed(from: StoreLayout.JoinTable)
    /// A new table, filled by the selections.
    case filled([String])
  }

  let table: StoreLayout.JoinTable
  let kind: Kind

  /// Whether nothing has to be done.
  var isEmpty: Bool {
    if case .renamed(let earlier) = kind { return earlier == table }
    return false
  }
}

/// Finds where the links of relationships are in a file, and where they go.
struct LinkPlanner {
  let stored: StoreLayout
  let current: StoreLayout
  let counterparts: ModelCounterparts
  let sources: TableSources

  /// All earlier links that a relationship, or its inverse, goes on with, seen from its owner.
  func earlierLinks(
    of relationship: RelationshipDescription, in entity: String
  ) -> [EarlierLinks] {
    var found: [EarlierLinks] = []
    func add(_ links: EarlierLinks) { if !found.contains(links) { found.append(links) } }
    for place in places(of: relationship.name, in: entity) {
      guard let earlier = place.property.relationship else { continue }
      add(EarlierLinks(earlier, of: place.entity.name, in: stored.model))
    }
    if let inverse = relationship.inverse,
      let (owner, _) = current.model.property(inverse, of: relationship.destination)
    {
      for place in places(of: inverse, in: owner.name) {
        guard let earlier = place.property.relationship else { continue }
        add(EarlierLinks(earlier, of: place.entity.name, in: stored.model).reversed)
      }
    }
    return found
  }

  /// Where the file has a property of an entity and of those below it.
  private func places(of property: String, in entity: String) -> Set<ModelCounterparts.Place> {
    Set(
      current.model.subtree(of: entity).compactMap {
        counterparts.property(property, of: $0.name)
      })
  }

  /// A far key as it is in the changed file, or null where its row is gone.
  func key(_ term: String, of links: EarlierLinks, in table: String) -> String {
    guard let far = links.tables(in: stored)?.far else { return "NULL" }
    return key(term, in: far, to: table)
  }

  private func key(_ term: String, in earlier: String, to table: String) -> String {
    var term = term
    if let removed = sources.removed[earlier] {
      let numbers = removed.sorted().map(String.init).joined(separator: ", ")
      term = """
        CASE WHEN \(term) IN (SELECT \(RowColumns.key) FROM \(earlier.quotedName) \
        WHERE \(RowColumns.entity) IN (\(numbers))) THEN NULL ELSE \(term) END
        """
    }
    let offset = sources.offset(from: earlier, to: table)
    return offset == 0 ? term : "(\(term) + \(offset))"
  }

  /// A statement that gives the pairs of links as keys of the changed file.
  func selection(_ links: EarlierLinks, near: String, far: String) -> String? {
    guard let pairs = links.pairs(in: stored), let tables = links.tables(in: stored) else {
      return nil
    }
    return """
      SELECT * FROM (SELECT \(key(pairs.near, in: tables.near, to: near)) AS A, \
      \(key(pairs.far, in: tables.far, to: far)) AS B FROM \(pairs.table.quotedName)) \
      WHERE A IS NOT NULL AND B IS NOT NULL
      """
  }

  /// The keys of the rows whose links lead to rows that a relationship must not lead to any more.
  func keysOutside(_ links: EarlierLinks, of destination: String) -> String? {
    guard let earlier = links.destination, let pairs = links.pairs(in: stored),
      let tables = links.tables(in: stored)
    else { return nil }
    let allowed = Set(current.model.subtree(of: destination).map(\.name))
    let outside = stored.model.subtree(of: earlier).filter { entity in
      counterparts.successor(of: entity.name).map { !allowed.contains($0.name) } ?? false
    }
    if outside.isEmpty { return nil }
    let numbers = outside.compactMap { stored.numbers[$0.name] }.map(String.init)
      .joined(separator: ", ")
    return """
      SELECT \(pairs.near) FROM \(pairs.table.quotedName) WHERE \(pairs.far) IN (SELECT \
      \(RowColumns.key) FROM \(tables.far.quotedName) WHERE \(RowColumns.entity) IN (\(numbers)))
      """
  }
}
