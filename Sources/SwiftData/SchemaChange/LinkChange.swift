import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Links that are collected from other tables before these change, and filled into a column later.
struct LinkTable {
  let name: String
  /// The queries for the pairs: the key of the row, and the key for its column.
  let selections: [String]
  let table: String
  let column: String

  var statements: [String] {
    ["CREATE TEMP TABLE \(name) (A BIGINT, B BIGINT)"]
      + selections.map { "INSERT INTO \(name) \($0)" }
      + ["CREATE INDEX \(name)_INDEX ON \(name) (A)"]
  }

  var filling: String {
    """
    UPDATE \(table.quotedName) SET \(column.quotedName) = \
    (SELECT B FROM \(name) WHERE A = \(RowTerms.key) LIMIT 1) \
    WHERE \(RowTerms.key) IN (SELECT A FROM \(name))
    """
  }

  var removal: String { "DROP TABLE \(name)" }
}

/// How a join table of the changed file is made.
struct JoinChange {
  enum Kind {
    /// A join table of the file, with a new name and new column names.
    case renamed(from: StoreLayout.JoinTable)
    /// A new table, filled by the selections.
    case filled([String])
  }

  let table: StoreLayout.JoinTable
  let kind: Kind

  /// Whether there is nothing to do.
  var isEmpty: Bool {
    if case .renamed(let earlier) = kind { return earlier == table }
    return false
  }
}

/// Finds the links of relationships in a file, and their keys in the changed file.
struct LinkPlanner {
  let stored: StoreLayout
  let current: StoreLayout
  let counterparts: ModelCounterparts
  let sources: TableSources
  /// Whether crossed links are dropped, because code decides which of them count.
  let dropsCrossedLinks: Bool

  /// All earlier links that a relationship or its inverse continues, seen from its owner.
  func earlierLinks(
    of relationship: RelationshipDescription, in entity: String
  ) -> [EarlierLinks] {
    if dropsCrossedLinks, crossedLinks(of: relationship, in: entity) != nil { return [] }
    let own = continuedLinks(of: relationship.name, in: entity)
    return own + linksOfInverse(of: relationship).filter { !own.contains($0) }
  }

  /// The links of a relationship and those of its inverse, if these are different ones which both had
  /// another inverse; otherwise `nil`.
  func crossedLinks(
    of relationship: RelationshipDescription, in entity: String
  ) -> CrossedLinks? {
    guard let paired = pairedLinks(of: relationship, in: entity),
      paired.all.allSatisfy({ $0.near != nil && $0.far != nil })
    else { return nil }
    return paired
  }

  /// The links of a relationship and those of its inverse, if these are different ones; otherwise `nil`.
  func pairedLinks(
    of relationship: RelationshipDescription, in entity: String
  ) -> CrossedLinks? {
    let own = continuedLinks(of: relationship.name, in: entity)
    let inverse = linksOfInverse(of: relationship)
    let paired = CrossedLinks(
      own: own.filter { !inverse.contains($0) && !inverse.contains($0.reversed) },
      inverse: inverse.filter { !own.contains($0) && !own.contains($0.reversed) })
    return paired.own.isEmpty || paired.inverse.isEmpty ? nil : paired
  }

  private func linksOfInverse(of relationship: RelationshipDescription) -> [EarlierLinks] {
    guard let inverse = relationship.inverse,
      let (owner, _) = current.model.property(inverse, of: relationship.destination)
    else { return [] }
    return continuedLinks(of: inverse, in: owner.name).map(\.reversed)
  }

  /// The earlier links that a relationship continues itself, each once.
  func continuedLinks(of name: String, in entity: String) -> [EarlierLinks] {
    var found: [EarlierLinks] = []
    for declared in counterparts(of: name, in: entity) {
      guard let earlier = declared.property.relationship else { continue }
      let links = EarlierLinks(earlier, of: declared.entity.name, in: stored.model)
      if !found.contains(links) { found.append(links) }
    }
    return found
  }

  /// The counterparts of a property in the file, for an entity and its subentities.
  private func counterparts(
    of property: String, in entity: String
  ) -> [ModelCounterparts.DeclaredProperty] {
    var found: [ModelCounterparts.DeclaredProperty] = []
    for entity in current.model.subtree(of: entity) {
      guard let declared = counterparts.property(property, of: entity.name),
        !found.contains(declared)
      else { continue }
      found.append(declared)
    }
    return found
  }

  /// A related row's key in the changed file, or null if the row is removed.
  /// - Parameter destination: The entity of the changed models to which all keys belong, otherwise
  ///   null; `nil` for keys of any entity.
  func key(
    _ term: String, of links: EarlierLinks, in table: String, only destination: String?
  ) -> String {
    guard let far = links.tables(in: stored)?.far else { return "CAST(NULL AS BIGINT)" }
    let key = key(term, in: far, to: table)
    guard let destination, let disallowed = disallowedRows(links, of: destination) else {
      return key
    }
    return "CASE WHEN \(term) IN (\(disallowed)) THEN NULL ELSE \(key) END"
  }

  private func key(_ term: String, in earlier: String, to table: String) -> String {
    var term = term
    if let removed = sources.removed[earlier] {
      let numbers = removed.sorted().map(String.init).joined(separator: ", ")
      term = """
        CASE WHEN \(term) IN (SELECT \(RowTerms.key) FROM \(earlier.quotedName) \
        WHERE \(RowTerms.entity) IN (\(numbers))) THEN NULL ELSE \(term) END
        """
    }
    let offset = sources.offset(from: earlier, to: table)
    return offset == 0 ? term : "(\(term) + \(offset))"
  }

  /// A query for the pairs of links, with the keys of the changed file.
  /// - Parameter entities: The entities of the changed models whose rows the pairs may have; `nil`
  ///   for all.
  func selection(
    _ links: EarlierLinks, near: String, far: String,
    between entities: (near: String, far: String)? = nil
  ) -> String? {
    guard let pairs = links.pairs(in: stored), let tables = links.tables(in: stored) else {
      return nil
    }
    var condition = ""
    if let entities {
      guard let isNear = isRow(pairs.near, in: tables.near, of: entities.near),
        let isFar = isRow(pairs.far, in: tables.far, of: entities.far)
      else { return nil }
      condition = " WHERE \(isNear) AND \(isFar)"
    }
    return """
      SELECT * FROM (SELECT \(key(pairs.near, in: tables.near, to: near)) AS A, \
      \(key(pairs.far, in: tables.far, to: far)) AS B FROM \(pairs.table.quotedName)\(condition)) AS P \
      WHERE A IS NOT NULL AND B IS NOT NULL
      """
  }

  /// The condition for keys of rows that belong to an entity of the changed models, or to one of its
  /// subentities; `nil` if the file has no such entity.
  private func isRow(_ term: String, in table: String, of entity: String) -> String? {
    let names = Set(current.model.subtree(of: entity).map(\.name))
    let numbers = stored.model.entities.filter { stored in
      counterparts.successor(of: stored.name).map { names.contains($0.name) } ?? false
    }.compactMap { stored.numbers[$0.name] }.sorted().map(String.init)
    if numbers.isEmpty { return nil }
    return """
      \(term) IN (SELECT \(RowTerms.key) FROM \(table.quotedName) \
      WHERE \(RowTerms.entity) IN (\(numbers.joined(separator: ", "))))
      """
  }

  /// The keys of rows whose links refer to rows that the relationship does not allow any more.
  func keysOfDisallowedLinks(_ links: EarlierLinks, of destination: String) -> String? {
    guard let pairs = links.pairs(in: stored),
      let disallowed = disallowedRows(links, of: destination)
    else { return nil }
    return """
      SELECT \(pairs.near) FROM \(pairs.table.quotedName) WHERE \(pairs.far) IN (\(disallowed))
      """
  }

  /// The keys of the rows to which links may refer, and that continue outside of a destination;
  /// `nil` if there are none.
  func disallowedRows(_ links: EarlierLinks, of destination: String) -> String? {
    guard let earlier = links.destination, let tables = links.tables(in: stored) else { return nil }
    let allowed = Set(current.model.subtree(of: destination).map(\.name))
    let outside = stored.model.subtree(of: earlier).filter { entity in
      counterparts.successor(of: entity.name).map { !allowed.contains($0.name) } ?? false
    }
    if outside.isEmpty { return nil }
    let numbers = outside.compactMap { stored.numbers[$0.name] }.map(String.init)
      .joined(separator: ", ")
    return """
      SELECT \(RowTerms.key) FROM \(tables.far.quotedName) WHERE \(RowTerms.entity) IN (\(numbers))
      """
  }
}
