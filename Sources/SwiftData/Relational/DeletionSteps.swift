package import OpenSwiftDataSQLSyntax

/// The statements that apply delete rules when rows of an entity are deleted.
///
/// Parameter 0 of each statement is the JSON array of the deleted rows' keys, unless it says otherwise.
package struct DeletionSteps {
  /// Queries for the rows that a cascade deletes: key and entity number.
  package struct Cascade {
    package let property: String
    /// Two queries for a one-to-one relationship, which has a column on each side.
    package let queries: [String]
    /// The entity of all related rows. The queries do not read its number then: often they need an
    /// index only.
    let onlyEntity: Int?
    /// The column of the related rows with the key of the deleted row, unless others may have it.
    let ownerColumn: String?
  }

  /// Queries for related rows: the key of the deleted row, then key and entity number of the
  /// related one.
  package struct Partners {
    package let property: String
    /// Two queries for a one-to-one relationship, which has a column on each side.
    package let queries: [String]
  }

  /// A column of other rows that refers to deleted rows, and is set to null.
  package struct Nullification {
    package let owner: EntityMapping
    package let property: String
    let slot: Int
    /// Finds rows whose required relationship refers to a deleted row: key, entity number, and key
    /// of the deleted row. `nil` if the relationship is optional.
    package let findingRequired: String?
    /// Sets the column to null, and returns keys and entity numbers of the changed rows.
    package let sql: String
    /// The rows with the column.
    let partner: EntityChanges.Partner
  }

  package private(set) var cascades: [Cascade] = []
  package private(set) var denials: [Partners] = []
  package private(set) var nullifications: [Nullification] = []
  /// For new rows that are deleted in the same save: they deny nothing, so columns that refer to
  /// them are set to null.
  package private(set) var nullificationsOfDenied: [Nullification] = []
  /// Removes the rows from join tables.
  package private(set) var unlinking: [String] = []
  /// Relationships of entities that only the file has; no model here can change them.
  package private(set) var referrers: [FileReferrer] = []
  /// The related entities.
  package private(set) var concerned: Set<String> = []
  package let delete: String
  /// Deletes the rows in a range of keys, whose ends are parameters 0 and 1.
  let deleteRange: String
  /// Deletes all rows of the table, without a parameter.
  let deleteAll: String
  /// Find the smallest and the largest key of the table, without a parameter.
  let (smallestKey, largestKey): (String, String)
  private let dialect: SQLDialect

  package init(
    of entity: EntityMapping, in mapping: SchemaMapping, _ schema: Schema, dialect: SQLDialect
  ) {
    self.dialect = dialect
    delete =
      Delete(from: entity.table, where: DeletionSteps.isDeleted(RowColumns.key)).rendered(
        in: dialect
      ).sql
    deleteRange = Delete(from: entity.table, where: KeyList.isInRange).rendered(in: dialect).sql
    deleteAll = Delete(from: entity.table, where: nil).rendered(in: dialect).sql
    func key(_ function: String) -> String {
      Select([.function(function, [RowColumns.key()])], from: TableReference(entity.table))
        .rendered(in: dialect).sql
    }
    (smallestKey, largestKey) = (key("min"), key("max"))
    for property in entity.properties {
      guard let relationship = schema.relationship(property.name, of: entity.name),
        let partner = mapping.entity(named: relationship.destination)
      else { continue }
      concerned.formUnion(partner.subtreeNumbers.compactMap { mapping.entity(number: $0)?.name })
      let inverse = relationship.inverseName.flatMap(partner.property(named:))
      add(property, of: entity, to: partner, inverse, relationship.deleteRule)
      guard case .toOne(let toOne)? = inverse?.kind, let inverse else { continue }
      switch relationship.deleteRule {
      case .nullify: nullifications.append(emptying(toOne, inverse, of: partner, in: mapping))
      case .deny: nullificationsOfDenied.append(emptying(toOne, inverse, of: partner, in: mapping))
      case .cascade, .noAction: continue
      }
    }
    addReferring(to: entity, in: mapping)
    referrers = mapping.fileReferences(to: entity).map { FileReferrer($0, dialect: dialect) }
  }

  private mutating func add(
    _ property: PropertyMapping, of entity: EntityMapping, to partner: EntityMapping,
    _ inverse: PropertyMapping?, _ rule: Schema.Relationship.DeleteRule
  ) {
    if case .toMany(let toMany) = property.kind {
      switch toMany.storage {
      case .joinTable(let table, let owner, let member):
        // A list that is its own inverse has two pairs for two rows.
        let isOwnInverse =
          inverse?.slot == property.slot
          && entity.descriptor.lineage.contains { $0.entityName == partner.name }
        for column in isOwnInverse ? [owner, member] : [owner] {
          unlinking.append(
            Delete(from: table, where: DeletionSteps.isDeleted(column)).rendered(in: dialect).sql)
        }
      case .foreignKey(let table, let owner, _):
        if toMany.inverse == nil {
          unlinking.append(
            Update(table, set: [Assignment(owner, .null)], where: DeletionSteps.isDeleted(owner))
              .rendered(in: dialect).sql)
        }
      }
    }
    guard rule == .cascade || rule == .deny else { return }
    var selects = [
      DeletionSteps.partners(of: property, entity, partner),
      DeletionSteps.partners(naming: inverse, partner, in: property),
    ].compactMap(\.self)
    if selects.isEmpty { return }
    guard rule == .cascade else {
      let queries = selects.map { $0.rendered(in: dialect).sql }
      return denials.append(Partners(property: property.name, queries: queries))
    }
    for index in selects.indices {
      selects[index].columns.removeFirst()
      if !partner.sharesTable { selects[index].columns.removeLast() }
    }
    var ownerColumn: String?
    if case .toMany(let toMany) = property.kind, case .foreignKey(_, let owner, _) = toMany.storage
    {
      ownerColumn = owner
    }
    cascades.append(
      Cascade(
        property: property.name, queries: selects.map { $0.rendered(in: dialect).sql },
        onlyEntity: partner.sharesTable ? nil : partner.number, ownerColumn: ownerColumn))
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

  /// The rows that refer to deleted ones from the other side of a one-to-one relationship. If a new
  /// model refers to a deleted row, the deleted row's own column no longer refers to it.
  private static func partners(
    naming inverse: PropertyMapping?, _ partner: EntityMapping, in property: PropertyMapping
  ) -> Select? {
    guard case .toOne = property.kind, case .toOne(let back)? = inverse?.kind else { return nil }
    let partners = "partners"
    return Select(
      [
        .column(table: partners, name: back.key.name), RowColumns.key(of: partners),
        RowColumns.entity(of: partners),
      ], from: TableReference(partner.table, as: partners),
      where: isDeleted(back.key.name, of: partners))
  }

  private func emptying(
    _ toOne: ToOneMapping, _ property: PropertyMapping, of owner: EntityMapping,
    in mapping: SchemaMapping
  ) -> Nullification {
    let names = [toOne.key.name] + (toOne.entityNumber.map { [$0.name] } ?? [])
    let naming = DeletionSteps.isDeleted(toOne.key.name)
    let finding = Select(
      [RowColumns.key(), RowColumns.entity(), .column(table: nil, name: toOne.key.name)],
      from: TableReference(owner.table), where: naming)
    let update = Update(
      owner.table, set: names.map { Assignment($0, .null) }, where: naming,
      returning: [RowColumns.key, RowColumns.entity])
    return Nullification(
      owner: owner, property: property.name, slot: property.slot,
      findingRequired: property.isOptional ? nil : finding.rendered(in: dialect).sql,
      sql: update.rendered(in: dialect).sql,
      partner: EntityChanges.Partner(root: mapping.rootNumber(of: owner), slot: property.slot))
  }

  /// Relationships without an inverse are not covered by a rule of the deleted entity.
  private mutating func addReferring(to entity: EntityMapping, in mapping: SchemaMapping) {
    let names = Set(entity.descriptor.lineage.map(\.entityName))
    for owner in mapping.entities {
      for property in owner.properties {
        switch property.kind {
        case .toOne(let toOne) where names.contains(toOne.destination):
          concerned.insert(owner.name)
          if toOne.inverse == nil, owner.ownSlots.contains(property.slot) {
            nullifications.append(emptying(toOne, property, of: owner, in: mapping))
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
