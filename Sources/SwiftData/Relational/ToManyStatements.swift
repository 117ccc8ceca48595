package import OpenSwiftDataSQLSyntax

/// The statements of a to-many relationship that is not stored in a to-one column of a property.
package struct ToManyStatements: Sendable {
  package let slot: Int
  /// The table and columns of the pairs; the same for both sides of a relationship.
  package let pairTable: PairTable
  /// Whether the owner is the first key of a pair, in the order of `pairTable`.
  package let ownerIsFirst: Bool
  /// Adds a pair. The keys are in the order of `pairTable`.
  package let link: String
  package let unlink: String
  /// Finds the stored owner of a member, and its entity number, if it can have only one.
  let storedOwner: String?
  /// The names of the entity that declares the property, the property and the members' entity, for warnings.
  let names: (owner: String, list: String, member: String)
  /// The rows that change with a pair, in the order of `pairTable`.
  let first: EntityChanges.Partner
  let second: EntityChanges.Partner

  /// Where pairs are stored: two columns of a table.
  package struct PairTable: Hashable, Sendable {
    let table: String
    let first: String
    let second: String
  }

  /// - Returns: nil if the destination's own to-one relationship stores it.
  package init?(
    _ property: PropertyMapping, of entity: EntityMapping, in mapping: SchemaMapping,
    _ dialect: SQLDialect
  ) {
    guard case .toMany(let toMany) = property.kind,
      let destination = mapping.entity(named: toMany.destination)
    else { return nil }
    slot = property.slot
    names = (mapping.declaring(property.name, of: entity).name, property.name, destination.name)
    let ownerSide = EntityChanges.Partner(
      root: mapping.rootNumber(of: entity), slot: property.slot)
    let memberSide = EntityChanges.Partner(
      root: mapping.rootNumber(of: destination),
      slot: toMany.inverse.flatMap(destination.property(named:))?.slot)
    func column(_ name: String, _ parameter: Int) -> SQLExpression {
      .binary(.column(table: nil, name: name), .equal, .parameter(parameter))
    }
    switch toMany.storage {
    case .joinTable(let name, let owner, let member):
      ownerIsFirst = owner < member
      storedOwner = nil
      let (first, second) = ownerIsFirst ? (owner, member) : (member, owner)
      pairTable = PairTable(table: name, first: first, second: second)
      link =
        Insert(into: name, columns: [first, second], onConflict: .ignore).rendered(in: dialect).sql
      unlink =
        Delete(from: name, where: .conjunction([column(first, 0), column(second, 1)]))
        .rendered(in: dialect).sql
    case .foreignKey(let table, let owner, _):
      guard toMany.inverse == nil else { return nil }
      ownerIsFirst = true
      let stored = Select(
        [.column(table: nil, name: owner)], from: TableReference(table),
        where: column(RowColumns.key, 0))
      storedOwner =
        Select(
          [RowColumns.key(), RowColumns.entity()], from: TableReference(entity.table),
          where: .binary(RowColumns.key(), .equal, .subquery(stored))
        ).rendered(in: dialect).sql
      pairTable = PairTable(table: table, first: owner, second: RowColumns.key)
      link =
        Update(table, set: [Assignment(owner, .parameter(0))], where: column(RowColumns.key, 1))
        .rendered(in: dialect).sql
      unlink =
        Update(
          table, set: [Assignment(owner, .null)],
          where: .conjunction([column(owner, 0), column(RowColumns.key, 1)])
        ).rendered(in: dialect).sql
    }
    (first, second) = ownerIsFirst ? (ownerSide, memberSide) : (memberSide, ownerSide)
  }
}

extension SchemaMapping {
  /// The entity from which `entity` inherits a property, or the entity itself.
  fileprivate func declaring(_ property: String, of entity: EntityMapping) -> EntityMapping {
    var declaring = entity
    while let parent = declaring.superName.flatMap(self.entity(named:)),
      parent.property(named: property) != nil
    {
      declaring = parent
    }
    return declaring
  }
}
