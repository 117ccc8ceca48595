import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Maps the properties of the model classes to the columns of the layout.
extension SchemaBlueprint {
  func mapping(of entity: Entity) -> EntityMapping {
    let properties = entity.descriptor.properties.indices.map { mapping(of: $0, in: entity) }
    let spatialIndexes = entity.descriptor.lineage.compactMap { self[$0.entityName] }
      .flatMap { self.spatialIndexes(of: $0) }
    return EntityMapping(
      name: entity.name, number: entity.number,
      subtreeNumbers: entity.subtree.compactMap { self[$0]?.number },
      rootName: entity.rootName, superName: entity.superName,
      table: layout.table(of: entity.name),
      sharesTable: entity.hasOtherEntities
        || (self[entity.rootName]?.subtree.count ?? 1) > 1,
      isPartOfTable: entity.superName != nil || entity.hasOtherEntities,
      descriptor: entity.descriptor, properties: properties, ownSlots: entity.ownSlots,
      spatialIndexes: spatialIndexes)
  }

  func mapping(of slot: Int, in entity: Entity) -> PropertyMapping {
    let property = entity.descriptor.properties[slot]
    return PropertyMapping(
      slot: slot, name: property.name, valueType: property.valueType,
      isOptional: property.isOptional, kind: kind(of: property, slot: slot, in: entity))
  }

  private func kind(
    of property: ModelProperty, slot: Int, in entity: Entity
  ) -> PropertyMapping.Kind {
    if property.isEphemeral { return .ephemeral }
    let owner = declaring(slot: slot, in: entity)
    func column(
      _ part: StoreLayout.ColumnID.Part, _ content: ColumnContent, isOptional: Bool
    ) -> ColumnMapping? {
      layout.column(property.name, of: owner.name, part).map {
        ColumnMapping(
          name: $0.name, sqlType: content.sqlType, content: content, isOptional: isOptional)
      }
    }
    switch property.form {
    case .attribute(.composite(let leaves)):
      return .composite(
        leaves.compactMap { leaf in
          let content = leaf.form.columnContent
          return column(
            .leaf(leaf.path), content,
            isOptional: leaf.isOptional || property.isOptional || content == .enumCase
          ).map { LeafMapping(leaf: leaf, column: $0) }
        })
    case .attribute(.rawValue(let type)):
      return column(.leaf([property.name]), .rawValue(type), isOptional: property.isOptional)
        .map { .attribute($0) } ?? .ephemeral
    case .attribute(.scalar(let type)):
      return column(.value, .scalar(type), isOptional: property.isOptional)
        .map { .attribute($0) } ?? .ephemeral
    case .attribute(.encoded):
      return column(.value, .encoded, isOptional: property.isOptional)
        .map { .attribute($0) } ?? .ephemeral
    case .transformable:
      return column(.value, .transformed, isOptional: property.isOptional)
        .map { .attribute($0) } ?? .ephemeral
    case .toOne(let type):
      guard let key = column(.value, .key, isOptional: property.isOptional) else {
        return .ephemeral
      }
      return .toOne(
        ToOneMapping(
          destination: type._$descriptor.entityName, inverse: owner.inverses[property.name],
          key: key,
          entityNumber: column(.entityNumber, .entityNumber, isOptional: property.isOptional),
          mayDangle: owner.danglingLinks.contains(property.name)))
    case .toMany(let type):
      return toMany(property.name, of: owner, destination: type._$descriptor.entityName)
    }
  }

  private func toMany(
    _ property: String, of owner: Entity, destination name: String
  ) -> PropertyMapping.Kind {
    guard let destination = self[name] else { return .ephemeral }
    let inverse = owner.inverses[property]
    func toMany(_ storage: ToManyMapping.Storage) -> PropertyMapping.Kind {
      .toMany(ToManyMapping(destination: name, inverse: inverse, storage: storage))
    }
    if let side = layout.joinSide(property, of: owner.name) {
      return toMany(
        .joinTable(
          name: side.table.name, ownerColumn: side.ownerColumn, memberColumn: side.memberColumn))
    }
    let table = layout.table(of: name)
    if let inverse, let inverseSlot = destination.descriptor.slot(named: inverse) {
      let declaring = declaring(slot: inverseSlot, in: destination).name
      guard let column = layout.column(inverse, of: declaring) else { return .ephemeral }
      return toMany(
        .foreignKey(
          table: table, column: column.name,
          entityNumberColumn: layout.column(inverse, of: declaring, .entityNumber)?.name))
    }
    guard let column = layout.column(property, of: owner.name, .owner) else { return .ephemeral }
    return toMany(.foreignKey(table: table, column: column.name, entityNumberColumn: nil))
  }
}

extension ColumnContent {
  var sqlType: SQLType {
    switch self {
    case .scalar(let type), .rawValue(let type): type.traits.column.sqlType
    case .enumCase: .text
    case .encoded, .transformed: .blob
    case .key, .entityNumber: .integer
    }
  }
}

extension LeafStorageForm {
  var columnContent: ColumnContent {
    switch self {
    case .scalar(let type): .scalar(type)
    case .rawValue(let type): .rawValue(type)
    case .encoded: .encoded
    case .enumCase: .enumCase
    }
  }
}

extension ScalarColumn {
  /// The column type for such values.
  var sqlType: SQLType {
    switch self {
    case .integer: .integer
    case .boolean: .boolean
    case .real: .real
    case .date: .timestamp
    case .decimal: .decimal
    case .text, .uri: .text
    case .uuid, .binary: .blob
    }
  }
}
