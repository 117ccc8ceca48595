import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The links of one relationship of a file, with its inverse, seen from one of its two sides.
struct EarlierLinks: Hashable {
  /// A relationship, and the entity that declares it.
  struct Side: Hashable {
    let entity: String
    let relationship: RelationshipDescription
  }

  /// The relationship that leads away from the rows in question, and the one that leads back to them; at
  /// least one of them is known.
  let near: Side?
  let far: Side?

  /// The same links seen from the other side.
  var reversed: EarlierLinks { EarlierLinks(near: far, far: near) }

  /// - Parameter property: A relationship of the entity that leads away from the rows.
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

  /// The entity that the links lead to.
  var destination: String? { near?.relationship.destination ?? far?.entity }

  /// Whether rows may have no link.
  var isOptional: Bool {
    near.map { $0.relationship.isToMany || $0.relationship.isOptional } ?? true
  }

  /// The column that rows of the near side have for the key of the far one.
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

  /// The table of pairs, and the columns of the near and of the far key.
  func joinTable(in layout: StoreLayout) -> (
    table: StoreLayout.JoinTable, near: String, far: String
  )? {
    guard let near, let side = layout.joinSide(near.relationship.name, of: near.entity) else {
      return nil
    }
    return (side.table, side.ownerColumn, side.memberColumn)
  }

  /// The keys of both sides, as terms over one table.
  func pairs(in layout: StoreLayout) -> (table: String, near: String, far: String)? {
    if let join = joinTable(in: layout) {
      return (join.table.name, join.near.quotedName, join.far.quotedName)
    }
    if let column = column(in: layout) {
      return (column.table, RowColumns.key, column.name.quotedName)
    }
    return reversed.column(in: layout).map { ($0.table, $0.name.quotedName, RowColumns.key) }
  }

  /// The tables of the rows on both sides.
  func tables(in layout: StoreLayout) -> (near: String, far: String)? {
    guard let origin = near?.entity ?? far?.relationship.destination, let destination else {
      return nil
    }
    return (layout.table(of: origin), layout.table(of: destination))
  }
}
