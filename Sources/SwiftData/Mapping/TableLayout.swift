import OpenSwiftDataSQLSyntax

/// Decides the columns of every table of a schema, then hands them out as mappings.
struct TableLayout {
  /// Names one column: the property that it belongs to and, for composites, the leaf.
  struct ColumnID: Hashable {
    let entity: String
    let slot: Int
    let part: Part

    enum Part: Hashable {
      case value
      case leaf(Int)
      case entityNumber
      /// The key of the owner of a to-many without inverse, in the destination's table.
      case owner
    }
  }

  struct JoinTable: Hashable {
    let name: String
    let ownerColumn: String
    let memberColumn: String
    /// The columns in the order of the table.
    let columns: [String]
  }

  let blueprint: SchemaBlueprint
  private(set) var columns: [ColumnID: ColumnMapping] = [:]
  /// The columns of each root's table in order.
  private(set) var tableColumns: [String: [ColumnMapping]] = [:]
  private(set) var joinTables: [ColumnID: JoinTable] = [:]
  private(set) var joinTableOrder: [JoinTable] = []
  private var joinTableNames: Set<String> = []
  /// The to-many relationships without inverse by the entity that they lead to, in the order of
  /// their owners.
  private let ownerKeys: [String: [OwnerKey]]

  private struct OwnerKey {
    let owner: SchemaBlueprint.Entity
    let slot: Int
    let name: String
  }

  init(_ blueprint: SchemaBlueprint) {
    self.blueprint = blueprint
    var ownerKeys: [String: [OwnerKey]] = [:]
    for owner in blueprint.entities {
      for (slot, property) in TableLayout.sortedOwnProperties(of: owner) {
        guard case .toMany(let type) = property.form, owner.inverses[property.name] == nil else {
          continue
        }
        ownerKeys[type._$descriptor.entityName, default: []]
          .append(OwnerKey(owner: owner, slot: slot, name: property.name))
      }
    }
    self.ownerKeys = ownerKeys
  }

  /// Lays out the table of a hierarchy, in the order of the entities' numbers: so the suffixes of
  /// clashing names stay with the entities that were there first.
  mutating func place(_ root: SchemaBlueprint.Entity) {
    var naming = ColumnNaming()
    let hierarchy = root.subtree.compactMap { blueprint[$0] }
    for entity in hierarchy {
      placeAttributes(of: entity, group: .integer, &naming)
      placeKeys(of: entity, &naming)
      placeOwnerKeys(in: entity, &naming)
    }
    for group in ColumnGroup.allCases where group != .integer {
      for entity in hierarchy { placeAttributes(of: entity, group: group, &naming) }
    }
  }

  private static func sortedOwnProperties(
    of entity: SchemaBlueprint.Entity
  ) -> [(slot: Int, property: ModelProperty)] {
    entity.ownSlots.map { ($0, entity.descriptor.properties[$0]) }
      .sorted { $0.1.name < $1.1.name }
  }

  private mutating func placeAttributes(
    of entity: SchemaBlueprint.Entity, group: ColumnGroup, _ naming: inout ColumnNaming
  ) {
    for (slot, property) in TableLayout.sortedOwnProperties(of: entity) where !property.isEphemeral
    {
      func id(_ part: ColumnID.Part) -> ColumnID {
        ColumnID(entity: entity.name, slot: slot, part: part)
      }
      switch property.form {
      case .attribute(.composite(let leaves)):
        for (index, leaf) in leaves.enumerated() {
          let content = leaf.form.columnContent
          guard ColumnGroup(content, isLeaf: true) == group else { continue }
          add(
            id(.leaf(index)), naming.column(named: leaf.name), content,
            isOptional: leaf.isOptional || property.isOptional || content == .enumCase,
            in: entity)
        }
      case .attribute(let form):
        let content: ColumnContent =
          switch form {
          case .scalar(let type): .scalar(type)
          case .rawValue(let type): .rawValue(type)
          case .encoded, .composite: .encoded
          }
        guard ColumnGroup(content, isLeaf: false) == group else { continue }
        add(
          id(.value), naming.column(named: property.name), content,
          isOptional: property.isOptional, in: entity)
      case .transformable:
        guard group == .transformable else { continue }
        add(
          id(.value), naming.column(named: property.name), .transformed,
          isOptional: property.isOptional, in: entity)
      case .toOne, .toMany: continue
      }
    }
  }

  private mutating func placeKeys(
    of entity: SchemaBlueprint.Entity, _ naming: inout ColumnNaming
  ) {
    for (slot, property) in TableLayout.sortedOwnProperties(of: entity) {
      guard case .toOne(let type) = property.form else { continue }
      add(
        ColumnID(entity: entity.name, slot: slot, part: .value),
        naming.column(named: property.name), .key, isOptional: property.isOptional, in: entity)
      guard let destination = blueprint[type._$descriptor.entityName],
        destination.subtree.count > 1
      else { continue }
      add(
        ColumnID(entity: entity.name, slot: slot, part: .entityNumber),
        naming.column(verbatim: "Z\(destination.number)_\(property.name.uppercased())"),
        .entityNumber, isOptional: property.isOptional, in: entity)
    }
  }

  /// Keys of the owners of to-many relationships that have no inverse and lead to `entity`.
  private mutating func placeOwnerKeys(
    in entity: SchemaBlueprint.Entity, _ naming: inout ColumnNaming
  ) {
    for key in ownerKeys[entity.name] ?? [] {
      add(
        ColumnID(entity: key.owner.name, slot: key.slot, part: .owner),
        naming.column(verbatim: "Z\(key.owner.number)\(key.name.uppercased())"), .key,
        isOptional: true, in: entity)
    }
  }

  private mutating func add(
    _ id: ColumnID, _ name: String, _ content: ColumnContent, isOptional: Bool,
    in entity: SchemaBlueprint.Entity
  ) {
    let sqlType: SQLType =
      switch content {
      case .scalar(let type), .rawValue(let type): type.traits.column.sqlType
      case .enumCase: .text
      case .encoded, .transformed: .blob
      case .key, .entityNumber: .integer
      }
    let column = ColumnMapping(
      name: name, sqlType: sqlType, content: content, isOptional: isOptional)
    columns[id] = column
    tableColumns[entity.rootName, default: []].append(column)
  }

  mutating func placeJoinTables() {
    for entity in blueprint.entities {
      for (slot, property) in TableLayout.sortedOwnProperties(of: entity) {
        guard case .toMany(let type) = property.form,
          let inverse = entity.inverses[property.name],
          let destination = blueprint[type._$descriptor.entityName],
          destination.descriptor.property(named: inverse)?.isToMany == true
        else { continue }
        let table = joinTable(
          entity: entity, property: property.name, destination: destination, inverse: inverse)
        joinTables[ColumnID(entity: entity.name, slot: slot, part: .value)] = table
        if joinTableNames.insert(table.name).inserted { joinTableOrder.append(table) }
      }
    }
  }

  /// Both sides of a many-to-many relationship come to the same table with swapped roles.
  ///
  /// The table is named by the side with the smaller entity number; of a relationship of an entity
  /// with itself by the name that comes first.
  private func joinTable(
    entity: SchemaBlueprint.Entity, property: String, destination: SchemaBlueprint.Entity,
    inverse: String
  ) -> JoinTable {
    // The inverse may be declared by an entity above the destination.
    let declaring = declaringEntity(of: inverse, from: destination)
    let ownerColumn = "Z_\(entity.number)\(inverse.uppercased())"
    let memberColumn = "Z_\(declaring.number)\(property.uppercased())"
    let isFirst =
      entity.number != declaring.number ? entity.number < declaring.number : property <= inverse
    let name =
      isFirst
      ? "Z_\(entity.number)\(property.uppercased())"
      : "Z_\(declaring.number)\(inverse.uppercased())"
    // A relationship that is its own inverse needs two names for its two columns.
    let member = memberColumn == ownerColumn ? memberColumn + "1" : memberColumn
    return JoinTable(
      name: name, ownerColumn: ownerColumn, memberColumn: member,
      columns: isFirst ? [ownerColumn, member] : [member, ownerColumn])
  }

  private func declaringEntity(
    of property: String, from entity: SchemaBlueprint.Entity
  ) -> SchemaBlueprint.Entity {
    var current = entity
    while let slot = current.descriptor.slot(named: property), slot < current.ownSlots.lowerBound,
      let name = current.superName, let parent = blueprint[name]
    {
      current = parent
    }
    return current
  }
}

extension LeafForm {
  var columnContent: ColumnContent {
    switch self {
    case .scalar(let type): .scalar(type)
    case .rawValue(let type): .rawValue(type)
    case .encoded: .encoded
    case .enumCase: .enumCase
    }
  }
}
