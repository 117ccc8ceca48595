import OpenSwiftDataSQLSyntax

/// The related rows that count as changed when rows of an entity change. A to-many relationship has
/// changed when a member was added, deleted, or moved to another owner.
final class EntityChanges: Sendable {
  /// A to-one relationship whose change counts as a change of the related row.
  struct Link: Sendable {
    let slot: Int
    /// Finds the stored key.
    let stored: String
    /// Finds the keys of a list of rows, and those that they lead to.
    let storedInRows: String
    let partner: Partner
  }

  /// The rows at the other end of a relationship.
  struct Partner: Hashable, Sendable {
    /// The number of the root entity of their table.
    let root: Int
    /// The slot of the relationship that changes; `nil` if they have no inverse, so only their
    /// version changes.
    let slot: Int?
  }

  /// A query for the rows related to deleted rows; the parameter is the list of deleted keys.
  struct RelatedToDeleted: Sendable {
    let sql: String
    /// The same for a range of deleted keys, whose ends are parameters 0 and 1; `nil` for rows of a
    /// join table.
    let sqlForRange: String?
    let partner: Partner
    /// The column of the deleted rows that has the related keys; `nil` for another table.
    let ownColumn: String?
  }

  let root: Int
  let columns: ChangedColumns
  /// Find rows of exactly this entity.
  let existing: ExistingRows
  let links: [Link]
  let relatedToDeleted: [RelatedToDeleted]

  init(of entity: EntityMapping, in mapping: SchemaMapping, dialect: SQLDialect) {
    root = mapping.rootNumber(of: entity)
    columns = ChangedColumns(of: entity)
    existing = ExistingRows(in: entity.table, where: entity.isOwnRow(), dialect)
    var links: [Link] = []
    var related: [RelatedToDeleted] = []
    func add(_ select: Select, range: Select? = nil, _ partner: Partner, ownColumn: String? = nil) {
      related.append(
        RelatedToDeleted(
          sql: select.rendered(in: dialect).sql, sqlForRange: range?.rendered(in: dialect).sql,
          partner: partner, ownColumn: ownColumn))
    }
    func addOwnColumn(_ name: String, _ partner: Partner) {
      add(
        EntityChanges.column(name, of: entity.table, by: RowColumns.key),
        range: EntityChanges.column(name, of: entity.table, where: KeyList.isInRange), partner,
        ownColumn: name)
    }
    for property in entity.properties {
      switch property.kind {
      case .toOne(let toOne):
        guard let partner = mapping.partner(of: toOne) else { continue }
        let stored = Select(
          [.column(table: nil, name: toOne.key.name)], from: TableReference(entity.table),
          where: .binary(RowColumns.key(), .equal, .parameter(0)))
        let storedInRows = Select(
          [RowColumns.key(), .column(table: nil, name: toOne.key.name)],
          from: TableReference(entity.table),
          where: .isMember(RowColumns.key(), of: ListParameter(.parameter(0), of: .integer)))
        links.append(
          Link(
            slot: property.slot, stored: stored.rendered(in: dialect).sql,
            storedInRows: storedInRows.rendered(in: dialect).sql, partner: partner))
        // A related row without an inverse does not change when a row is deleted.
        if partner.slot != nil { addOwnColumn(toOne.key.name, partner) }
      case .toMany(let toMany):
        guard let destination = mapping.entity(named: toMany.destination) else { continue }
        let inverse = toMany.inverse.flatMap(destination.property(named:))
        let partner = Partner(root: mapping.rootNumber(of: destination), slot: inverse?.slot)
        switch toMany.storage {
        case .joinTable(let table, let owner, let member):
          add(EntityChanges.column(member, of: table, by: owner), partner)
        case .foreignKey(let table, let owner, _):
          guard inverse == nil else { continue }
          add(EntityChanges.column(RowColumns.key, of: table, by: owner), partner)
        }
      case .attribute, .composite, .ephemeral: continue
      }
    }
    for (column, owner) in mapping.ownerColumns(in: entity) {
      addOwnColumn(column, owner)
    }
    self.links = links
    relatedToDeleted = related
  }

  /// The distinct values of a column, in the rows that a list selects by another column.
  private static func column(_ name: String, of table: String, by key: String) -> Select {
    column(
      name, of: table,
      where: .isMember(
        .column(table: nil, name: key), of: ListParameter(.parameter(0), of: .integer)))
  }

  private static func column(
    _ name: String, of table: String, where condition: SQLExpression
  ) -> Select {
    let value = SQLExpression.column(table: nil, name: name)
    var select = Select(
      [value], from: TableReference(table), where: .conjunction([condition, value.isNotNull]))
    select.isDistinct = true
    return select
  }
}

extension SchemaMapping {
  /// The number of the root entity of an entity's hierarchy.
  func rootNumber(of entity: EntityMapping) -> Int {
    self.entity(named: entity.rootName)?.number ?? entity.number
  }

  /// The related row that changes without being written; `nil` for a one-to-one relationship, where
  /// each side has a column.
  fileprivate func partner(of toOne: ToOneMapping) -> EntityChanges.Partner? {
    guard let destination = entity(named: toOne.destination) else { return nil }
    let root = rootNumber(of: destination)
    guard let inverse = toOne.inverse.flatMap(destination.property(named:)) else {
      return EntityChanges.Partner(root: root, slot: nil)
    }
    guard case .toMany = inverse.kind else { return nil }
    return EntityChanges.Partner(root: root, slot: inverse.slot)
  }

  /// The columns, in rows of the entity, with the owner's key of to-many relationships without an
  /// inverse.
  fileprivate func ownerColumns(
    in entity: EntityMapping
  ) -> [(column: String, owner: EntityChanges.Partner)] {
    let names = Set(entity.descriptor.lineage.map(\.entityName))
    var found: [(column: String, owner: EntityChanges.Partner)] = []
    for owner in entities {
      for property in owner.properties where owner.ownSlots.contains(property.slot) {
        guard case .toMany(let toMany) = property.kind, toMany.inverse == nil,
          names.contains(toMany.destination),
          case .foreignKey(_, let column, _) = toMany.storage
        else { continue }
        let partner = EntityChanges.Partner(root: rootNumber(of: owner), slot: property.slot)
        found.append((column, partner))
      }
    }
    return found
  }
}
