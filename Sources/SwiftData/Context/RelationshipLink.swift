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
  /// The entities that have relationships, or whose subentities have some.
  private var owners: Set<String> = []
  /// The relationships without an inverse, with the classes that declare them.
  private(set) var withoutInverse: [(owner: _ModelDescriptor, slot: Int, link: RelationshipLink)] =
    []

  init(schema: Schema, types: [String: any PersistentModel.Type]) {
    for (name, type) in types.sorted(by: { $0.key < $1.key }) {
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
      if descriptor.relationshipSlots.isEmpty { continue }
      // The slots of a superclass come first.
      let inherited = descriptor.superclass?._$descriptor.slotCount ?? 0
      for slot in descriptor.relationshipSlots where slot >= inherited {
        guard let link = links[name]?[slot], link.inverseSlot == nil else { continue }
        withoutInverse.append((descriptor, slot, link))
      }
      var owner: _ModelDescriptor? = descriptor
      while let current = owner {
        owners.insert(current.entityName)
        owner = current.superclass?._$descriptor
      }
    }
  }

  /// Whether models of an entity, or of its subentities, have relationships.
  func lead(from entity: String) -> Bool { owners.contains(entity) }

  subscript(entity: String, slot: Int) -> RelationshipLink? { links[entity]?[slot] }
}

extension _ModelDescriptor {
  func link(_ slot: Int, in coordinator: any StoreCoordinator) -> RelationshipLink? {
    coordinator.links[entityName, slot]
  }
}
