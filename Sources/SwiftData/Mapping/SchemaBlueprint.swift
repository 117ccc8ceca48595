/// The shape of a schema that the mapping needs: entities with numbers, their places in
/// hierarchies, and what each relationship's other side is.
struct SchemaBlueprint {
  struct Entity {
    let name: String
    let number: Int
    let superName: String?
    let rootName: String
    /// The entity itself and all below it, in the order of their numbers.
    let subtree: [String]
    let descriptor: _ModelDescriptor
    let ownSlots: Range<Int>
    let inverses: [String: String]
    let uniquenessConstraints: [[String]]
    let indices: [[String]]
    /// Whether the entity's table has rows of entities that the schema lacks.
    let hasOtherEntities: Bool
  }

  /// In the order of their numbers.
  private(set) var entities: [Entity] = []
  private(set) var byName: [String: Int] = [:]

  subscript(name: String) -> Entity? { byName[name].map { entities[$0] } }

  init(
    schema: Schema, descriptors: [String: _ModelDescriptor], numbering: EntityNumbering = .fresh
  ) {
    let names = Set(schema.entities.map(\.name))
    var children: [String: [String]] = [:]
    var roots: [String] = []
    for entity in schema.entities {
      if let parent = entity.superentityName, names.contains(parent) {
        children[parent, default: []].append(entity.name)
      } else {
        roots.append(entity.name)
      }
    }
    // Code-point order, which Swift's `<` on strings is for composed text.
    func subtree(of name: String) -> [String] {
      [name] + (children[name] ?? []).sorted().flatMap(subtree)
    }
    let ordered = roots.sorted().map { (root: $0, members: subtree(of: $0)) }
    let numbers = numbering.numbers(of: ordered.flatMap(\.members))
    func number(_ name: String) -> Int { numbers[name] ?? 0 }
    for (root, members) in ordered {
      for name in members {
        guard let entity = schema.entitiesByName[name], let descriptor = descriptors[name]
        else { continue }
        let parent = entity.superentityName.flatMap {
          names.contains($0) && descriptors[$0] != nil ? $0 : nil
        }
        let firstOwn = parent.flatMap { descriptors[$0]?.properties.count } ?? 0
        entities.append(
          Entity(
            name: name, number: number(name), superName: parent, rootName: root,
            subtree: subtree(of: name).sorted { number($0) < number($1) }, descriptor: descriptor,
            ownSlots: firstOwn..<max(firstOwn, descriptor.properties.count),
            inverses: entity.relationshipsByName.compactMapValues(\.inverseName),
            uniquenessConstraints: entity.uniquenessConstraints, indices: entity.indices,
            hasOtherEntities: numbering.hasOtherEntities(below: root)))
      }
    }
    entities.sort { $0.number < $1.number }
    for (place, entity) in entities.enumerated() { byName[entity.name] = place }
  }
}
