import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Links of two relationships in a file that become each other's inverses, seen from the same side.
struct CrossedLinks {
  /// Those that the relationship itself continues, and those that its inverse does.
  let own: [EarlierLinks]
  let inverse: [EarlierLinks]

  var all: [EarlierLinks] { own + inverse }
}

/// Links that a relationship gets from another one, whose inverse it becomes.
struct UnitedLinks: Hashable {
  /// The relationship of the file that has the links: `Club.people`.
  let source: String
  /// The relationship of the models that gets them.
  let target: String
  /// A statement that counts the links that only the source has.
  let count: String

  /// - Returns: A clause such as `3 links of Club.people are added to Person.clubs`; `nil` if both
  ///   have the same links.
  func text(_ session: any SQLSession) throws -> String? {
    let count = try session.integer(count) ?? 0
    if count == 0 { return nil }
    let (noun, verb) = count == 1 ? ("link", "is") : ("links", "are")
    return "\(count) \(noun) of \(source) \(verb) added to \(target)"
  }
}

/// The links of a relationship in a file and of its inverse, seen from one of the two sides.
struct EarlierLinks: Hashable {
  /// A relationship, and the entity that declares it.
  struct Side: Hashable {
    let entity: String
    let relationship: RelationshipDescription
  }

  /// The relationship from the rows in question, and its inverse; at least one of them exists.
  let near: Side?
  let far: Side?

  /// The same links, seen from the other side.
  var reversed: EarlierLinks { EarlierLinks(near: far, far: near) }

  /// - Parameter relationship: A relationship of the entity, seen from its own rows.
  init(_ relationship: RelationshipDescription, of entity: String, in model: ModelDescription) {
    near = Side(entity: entity, relationship: relationship)
    far = relationship.inverse.flatMap { name in
      model.property(name, of: relationship.destination).flatMap { owner, property in
        property.relationship.map { Side(entity: owner.name, relationship: $0) }
      }
    }
  }

  private init(near: Side?, far: Side?) {
    self.near = near
    self.far = far
  }

  /// The entity of the rows in question.
  var origin: String? { near?.entity ?? far?.relationship.destination }

  /// The entity of the related rows.
  var destination: String? { near?.relationship.destination ?? far?.entity }

  /// Whether rows may have no link.
  var isOptional: Bool {
    near.map { $0.relationship.isToMany || $0.relationship.isOptional } ?? true
  }

  /// The column in rows of the near side with the far side's keys.
  func column(in layout: StoreLayout) -> (table: String, name: String)? {
    if let near {
      guard !near.relationship.isToMany,
        let column = layout.column(near.relationship.name, of: near.entity)
      else { return nil }
      return (layout.table(of: near.entity), column.name)
    }
    guard let far, far.relationship.isToMany,
      let column = layout.column(far.relationship.name, of: far.entity, .owner)
    else { return nil }
    return (layout.table(of: far.relationship.destination), column.name)
  }

  /// The join table, and its columns with the keys of the near and the far side.
  func joinTable(in layout: StoreLayout) -> (
    table: StoreLayout.JoinTable, near: String, far: String
  )? {
    guard let near, let side = layout.joinSide(near.relationship.name, of: near.entity) else {
      return nil
    }
    return (side.table, side.ownerColumn, side.memberColumn)
  }

  /// The keys of both sides, as expressions over one table.
  func pairs(in layout: StoreLayout) -> (table: String, near: String, far: String)? {
    if let join = joinTable(in: layout) {
      return (join.table.name, join.near.quotedName, join.far.quotedName)
    }
    if let column = column(in: layout) {
      return (column.table, RowTerms.key, column.name.quotedName)
    }
    return reversed.column(in: layout).map { ($0.table, $0.name.quotedName, RowTerms.key) }
  }

  /// The tables of the rows on both sides.
  func tables(in layout: StoreLayout) -> (near: String, far: String)? {
    guard let origin, let destination else { return nil }
    return (layout.table(of: origin), layout.table(of: destination))
  }
}
