extension TableLayout {
  func mapping(of entity: SchemaBlueprint.Entity) -> EntityMapping {
    let properties = entity.descriptor.properties.indices.map { mapping(of: $0, in: entity) }
    let spatialIndexes = entity.descriptor.lineage.compactMap { blueprint[$0.entityName] }
      .flatMap(self.spatialIndexes(of:))
    return EntityMapping(
      name: entity.name, number: entity.number,
      subtreeNumbers: entity.subtree.compactMap { blueprint[$0]?.number },
      rootName: entity.rootName, superName: entity.superName,
      table: ColumnNaming.table(forRoot: entity.rootName),
      sharesTable: entity.hasOtherEntities
        || (blueprint[entity.rootName]?.subtree.count ?? 1) > 1,
      isPartOfTable: entity.superName != nil || entity.hasOtherEntities,
      descriptor: entity.descriptor, properties: properties, ownSlots: entity.ownSlots,
      spatialIndexes: spatialIndexes)
  }

  func mapping(of slot: Int, in entity: SchemaBlueprint.Entity) -> PropertyMapping {
    let property = entity.descriptor.properties[slot]
    return PropertyMapping(
      slot: slot, name: property.name, valueType: property.valueType,
      isOptional: property.isOptional, kind: kind(of: property, slot: slot, in: entity))
  }

  /// The column of a slot, which an entity further up may have placed.
  private func column(
    _ part: ColumnID.Part, slot: Int, in entity: SchemaBlueprint.Entity
  ) -> ColumnMapping? {
    columns[ColumnID(entity: declaring(slot: slot, in: entity).name, slot: slot, part: part)]
  }

  private func declaring(
    slot: Int, in entity: SchemaBlueprint.Entity
  ) -> SchemaBlueprint.Entity {
    var current = entity
    while slot < current.ownSlots.lowerBound, let name = current.superName,
      let parent = blueprint[name]
    {
      current = parent
    }
    return current
  }

  private func kind(
    of property: ModelProperty, slot: Int, in entity: SchemaBlueprint.Entity
  ) -> PropertyMapping.Kind {
    if property.isEphemeral { return .ephemeral }
    switch property.form {
    case .attribute(.composite(let leaves)):
      return .composite(
        leaves.enumerated().compactMap { index, leaf in
          column(.leaf(index), slot: slot, in: entity).map { LeafMapping(leaf: leaf, column: $0) }
        })
    case .attribute, .transformable:
      return column(.value, slot: slot, in: entity).map { .attribute($0) } ?? .ephemeral
    case .toOne(let type):
      guard let key = column(.value, slot: slot, in: entity) else { return .ephemeral }
      let number = column(.entityNumber, slot: slot, in: entity)
      let declaring = declaring(slot: slot, in: entity)
      return .toOne(
        ToOneMapping(
          destination: type._$descriptor.entityName, inverse: declaring.inverses[property.name],
          key: key, entityNumber: number))
    case .toMany(let type):
      return toMany(property, slot: slot, destination: type._$descriptor.entityName, in: entity)
    }
  }

  private func toMany(
    _ property: ModelProperty, slot: Int, destination name: String,
    in entity: SchemaBlueprint.Entity
  ) -> PropertyMapping.Kind {
    let declaring = declaring(slot: slot, in: entity)
    let inverse = declaring.inverses[property.name]
    guard let destination = blueprint[name] else { return .ephemeral }
    func toMany(_ storage: ToManyMapping.Storage) -> PropertyMapping.Kind {
      .toMany(ToManyMapping(destination: name, inverse: inverse, storage: storage))
    }
    if let table = joinTables[ColumnID(entity: declaring.name, slot: slot, part: .value)] {
      return toMany(
        .joinTable(
          name: table.name, ownerColumn: table.ownerColumn, memberColumn: table.memberColumn))
    }
    let table = ColumnNaming.table(forRoot: destination.rootName)
    if let inverse, let inverseSlot = destination.descriptor.slot(named: inverse),
      let column = column(.value, slot: inverseSlot, in: destination)
    {
      let number = self.column(.entityNumber, slot: inverseSlot, in: destination)
      return toMany(
        .foreignKey(table: table, column: column.name, entityNumberColumn: number?.name))
    }
    if let column = columns[ColumnID(entity: declaring.name, slot: slot, part: .owner)] {
      return toMany(.foreignKey(table: table, column: column.name, entityNumberColumn: nil))
    }
    return .ephemeral
  }
}
