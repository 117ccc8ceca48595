import OpenSwiftDataRowStorage

/// What the schema declares for one relationship slot, resolved to slots.
struct RelationshipLink {
  let name: String
  let destination: _ModelDescriptor
  let inverseSlot: Int?
  let isToMany: Bool
  let isRequired: Bool
  let deleteRule: Schema.Relationship.DeleteRule
  let minimumCount: Int
  let maximumCount: Int
  /// Whether the property is declared with another class than the one that the schema has for the
  /// destination's name: a class of an older version, in use beside newer ones. Models of the
  /// schema can't be values of the property then.
  let hasOtherClassVersion: Bool
}

/// The links of all entities of a schema, by entity and slot; built once per container.
struct RelationshipLinks {
  private var links: [String: [RelationshipLink?]] = [:]

  init(schema: Schema, types: [String: any PersistentModel.Type]) {
    for (name, type) in types {
      let descriptor = type._$descriptor
      links[name] = descriptor.properties.map { property in
        guard let declared = property.destination?._$descriptor,
          let destination = types[declared.entityName]?._$descriptor,
          let relationship = schema.relationship(property.name, of: name)
        else { return nil }
        return RelationshipLink(
          name: property.name, destination: destination,
          inverseSlot: relationship.inverseName.flatMap(destination.slot(named:)),
          isToMany: property.isToMany, isRequired: property.isToOne && !property.isOptional,
          deleteRule: relationship.deleteRule,
          minimumCount: relationship.minimumModelCount ?? 0,
          maximumCount: relationship.maximumModelCount ?? 0,
          hasOtherClassVersion: !destination.isKind(of: declared))
      }
    }
  }

  subscript(entity: String, slot: Int) -> RelationshipLink? { links[entity]?[slot] }
}

extension _ModelDescriptor {
  func link(_ slot: Int, in coordinator: any StoreCoordinator) -> RelationshipLink? {
    coordinator.links[entityName, slot]
  }
}

extension _ModelStorage {
  /// The related model of a to-one; a fault if it is not in memory.
  func partner(_ slot: Int) -> (any PersistentModel)? {
    switch overlaid(slot) {
    case .model(let model): return model
    case .identifier(let identifier):
      return source?._relatedModel(identifier, of: self) as? any PersistentModel
    case .unset:
      guard let row = readableRow(for: slot), !row.isNull(slot), let source else { return nil }
      return source._toOne(self, slot: slot) as? any PersistentModel
    case .null, .toMany, .weakReferences: return nil
    case .integer, .real, .text, .blob, .uuid, .boxed: return nil
    }
  }

  /// The related models of either kind of relationship.
  func partners(_ slot: Int) -> [any PersistentModel] {
    if descriptor.properties[slot].isToMany {
      return loadedToMany(slot).members.map { Array($0) } ?? []
    }
    return partner(slot).map { [$0] } ?? []
  }

  /// A to-many with all its members.
  func loadedToMany(_ slot: Int) -> _ToManyValue {
    let value = toManyForChange(slot)
    if value.members != nil { return value }
    let stored = source?._toMany(self, slot: slot) ?? []
    // The source may have loaded the value itself, or created another one.
    if value.members == nil { _ = value.load(stored) }
    overlay(.toMany(value), at: slot)
    return value
  }

  /// A to-many to record changes in, loaded or not.
  func toManyForChange(_ slot: Int) -> _ToManyValue {
    if case .toMany(let value) = overlaid(slot) {
      return value
    }
    let isNew = flags.contains(.isInserted) || source == nil
    let value = isNew ? _ToManyValue(members: []) : _ToManyValue()
    overlay(.toMany(value), at: slot)
    return value
  }
}
