package import OpenSwiftDataSQLSyntax

/// What the deletion of an entity's rows does to other rows, by its delete rules.
///
/// The keys of the deleted rows are the JSON array that is parameter 0 of each statement.
package struct DeletionSteps {
  /// A query for partners: the key of the deleted row, then key and entity number of the partner.
  package struct Partners {
    package let property: String
    package let sql: String
  }

  /// A column of others that names deleted rows and loses them.
  package struct Emptying {
    package let owner: EntityMapping
    package let property: String
    /// Finds the rows that can't do without, where the property is required: key and entity number.
    package let findingRequired: String?
    /// Gives back the keys of the rows that have lost a partner.
    package let sql: String
    /// Whose rows these are.
    let partner: EntityChanges.Partner
  }

  package private(set) var cascades: [Partners] = []
  package private(set) var denials: [Partners] = []
  package private(set) var emptyings: [Emptying] = []
  /// Removes the rows from tables of pairs.
  package private(set) var unlinking: [String] = []
  /// The entities at the other ends.
  package private(set) var concerned: Set<String> = []
  /// Whether the members that a partner keeps have to be counted, which needs the models.
  package private(set) var countsMembers = false
  package let delete: String
  private let dialect: SQLDialect

  package init(
    of entity: EntityMapping, in mapping: SchemaMapping, _ schema: Schema, dialect: SQLDialect
  ) {
    self.dialect = dialect
    delete =
      Delete(from: entity.table, where: DeletionSteps.isDeleted(RowColumns.key)).rendered(
        in: dialect
      ).sql
    for property in entity.properties {
      guard let relationship = schema.relationship(property.name, of: entity.name),
        let partner = mapping.entity(named: relationship.destination)
      else { continue }
      concerned.formUnion(partner.subtreeNumbers.compactMap { mapping.entity(number: $0)?.name })
      let inverse = relationship.inverseName.flatMap(partner.property(named:))
      add(property, of: entity, to: partner, relationship.deleteRule)
      guard relationship.deleteRule == .nullify else { continue }
      if case .toOne(let toOne)? = inverse?.kind, let inverse {
        add(toOne, inverse, of: partner, in: mapping)
      } else if let inverse {
        let minimum = schema.relationship(inverse.name, of: partner.name)?.minimumModelCount
        countsMembers = countsMembers || (minimum ?? 0) > 0
      }
    }
    addReferring(to: entity, in: mapping)
  }

  private mutating func add(
    _ property: PropertyMapping, of entity: EntityMapping, to partner: EntityMapping,
    _ rule: Schema.Relationship.DeleteRule
  ) {
    if case .toMany(let toMany) = property.kind {
      switch toMany.storage {
      case .joinTable(let table, let owner, _):
        unlinking.append(
          Delete(from: table, where: DeletionSteps.isDeleted(owner)).rendered(in: dialect).sql)
      case .foreignKey(let table, let owner, _):
        if toMany.inverse == nil {
          unlinking.append(
            Update(table, set: [Assignment(owner, .null)], where: DeletionSteps.isDeleted(owner))
              .rendered(in: dialect).sql)
        }
      }
    }
    guard rule == .cascade || rule == .deny,
      let query = DeletionSteps.partners(of: property, entity, partner)
    else { return }
    let partners = Partners(property: property.name, sql: query.rendered(in: dialect).sql)
    if rule == .cascade { cascades.append(partners) } else { denials.append(partners) }
  }

  private static func partners(
    of property: PropertyMapping, _ entity: EntityMapping, _ partner: EntityMapping
  ) -> Select? {
    let (owners, partners, pairs) = ("owners", "partners", "pairs")
    func column(_ table: String, _ name: String) -> SQLExpression {
      .column(table: table, name: name)
    }
    let row = [RowColumns.key(of: partners), RowColumns.entity(of: partners)]
    func join(_ table: String, _ name: String) -> [Join] {
      let isPartner = SQLExpression.binary(
        RowColumns.key(of: partners), .equal, column(table, name))
      return [Join(.inner, TableReference(partner.table, as: partners), on: isPartner)]
    }
    switch property.kind {
    case .toOne(let toOne):
      return Select(
        [RowColumns.key(of: owners)] + row, from: TableReference(entity.table, as: owners),
        joins: join(owners, toOne.key.name), where: isDeleted(RowColumns.key, of: owners))
    case .toMany(let toMany):
      switch toMany.storage {
      case .joinTable(let table, let owner, let member):
        return Select(
          [column(pairs, owner)] + row, from: TableReference(table, as: pairs),
          joins: join(pairs, member), where: isDeleted(owner, of: pairs))
      case .foreignKey(let table, let owner, _):
        return Select(
          [column(partners, owner)] + row, from: TableReference(table, as: partners),
          where: isDeleted(owner, of: partners))
      }
    case .attribute, .composite, .ephemeral: return nil
    }
  }

  private mutating func add(
    _ toOne: ToOneMapping, _ property: PropertyMapping, of owner: EntityMapping,
    in mapping: SchemaMapping
  ) {
    let names = [toOne.key.name] + (toOne.entityNumber.map { [$0.name] } ?? [])
    let naming = DeletionSteps.isDeleted(toOne.key.name)
    let finding = Select(
      [RowColumns.key(), RowColumns.entity()], from: TableReference(owner.table), where: naming)
    let update = Update(
      owner.table, set: names.map { Assignment($0, .null) }, where: naming,
      returning: [RowColumns.key])
    emptyings.append(
      Emptying(
        owner: owner, property: property.name,
        findingRequired: property.isOptional ? nil : finding.rendered(in: dialect).sql,
        sql: update.rendered(in: dialect).sql,
        partner: EntityChanges.Partner(root: mapping.rootNumber(of: owner), slot: property.slot)))
  }

  /// Columns without an inverse are not covered by a rule of the deleted entity.
  private mutating func addReferring(to entity: EntityMapping, in mapping: SchemaMapping) {
    let names = Set(entity.descriptor.lineage.map(\.entityName))
    for owner in mapping.entities {
      for property in owner.properties {
        switch property.kind {
        case .toOne(let toOne) where names.contains(toOne.destination):
          concerned.insert(owner.name)
          if toOne.inverse == nil, owner.ownSlots.contains(property.slot) {
            add(toOne, property, of: owner, in: mapping)
          }
        case .toMany(let toMany) where names.contains(toMany.destination):
          concerned.insert(owner.name)
        default: continue
        }
      }
    }
  }

  private static func isDeleted(_ column: String, of table: String? = nil) -> SQLExpression {
    .isMember(.column(table: table, name: column), of: ListParameter(.parameter(0), of: .integer))
  }
}
