import OpenSwiftDataStoreFormat

/// The input of a mapping: entities with their numbers and hierarchies, and the file's layout.
struct SchemaBlueprint {
  struct Entity {
    let name: String
    let number: Int
    let superName: String?
    let rootName: String
    /// The entity and all its subentities, in the order of their numbers.
    let subtree: [String]
    let descriptor: _ModelDescriptor
    let ownSlots: Range<Int>
    let inverses: [String: String]
    /// The relationships whose inverse has the delete rule `.noAction`.
    let danglingLinks: Set<String>
    /// Whether the entity's table has rows of entities that are not in the schema.
    let hasOtherEntities: Bool
  }

  /// In the order of their numbers.
  private(set) var entities: [Entity] = []
  private var byName: [String: Int] = [:]
  let layout: StoreLayout

  subscript(name: String) -> Entity? { byName[name].map { entities[$0] } }

  init(_ models: DescribedSchema, file: FileEntities) {
    let (schema, descriptors, own) = (models.schema, models.descriptors, models.model)
    layout = file.layout(of: own)
    let (whole, numbers) = (layout.model, layout.numbers)
    for root in own.roots {
      // A root of the models may have a superentity that is not in the schema.
      let hierarchy = whole.lineage(of: root.name).last?.name ?? root.name
      let hasOtherEntities = whole.subtree(of: hierarchy).contains { own[$0.name] == nil }
      for name in own.subtree(of: root.name).map(\.name) {
        guard let entity = schema.entitiesByName[name], let descriptor = descriptors[name]
        else { continue }
        let parent = own[name]?.superName
        let firstOwn = parent.flatMap { descriptors[$0]?.properties.count } ?? 0
        let relationships = entity.properties.compactMap { $0 as? Schema.Relationship }
        let danglingLinks = relationships.filter { relationship in
          let inverse = relationship.inverseName
            .flatMap { schema.relationship($0, of: relationship.destination) }
          return inverse?.deleteRule == .noAction
        }
        entities.append(
          Entity(
            name: name, number: numbers[name] ?? 0, superName: parent, rootName: root.name,
            subtree: own.subtree(of: name).map(\.name)
              .sorted { numbers[$0] ?? 0 < numbers[$1] ?? 0 },
            descriptor: descriptor,
            ownSlots: firstOwn..<max(firstOwn, descriptor.properties.count),
            inverses: Dictionary(
              relationships.compactMap { relationship in
                relationship.inverseName.map { (relationship.name, $0) }
              }, uniquingKeysWith: { first, _ in first }),
            danglingLinks: Set(danglingLinks.map(\.name)),
            hasOtherEntities: hasOtherEntities))
      }
    }
    entities.sort { $0.number < $1.number }
    for (index, entity) in entities.enumerated() { byName[entity.name] = index }
  }

  /// The entity that declares the property with this slot.
  func declaring(slot: Int, in entity: Entity) -> Entity {
    var current = entity
    while slot < current.ownSlots.lowerBound, let name = current.superName, let parent = self[name]
    {
      current = parent
    }
    return current
  }
}
