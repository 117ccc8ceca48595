/// The shape of a schema that the mapping needs: entities with numbers, their places in
/// hierarchies, and what each relationship's other side is.
struct SchemaBlueprint {
  struct Entity {
    let name: String
    let number: Int
    let superName: String?
    let rootName: String
    /// The entity itself and all below it, depth first.
    let subtree: [String]
    let descriptor: _ModelDescriptor
    let ownSlots: Range<Int>
    let inverses: [String: String]
    let uniquenessConstraints: [[String]]
    let indices: [[String]]
  }

  /// In the order of their numbers.
  private(set) var entities: [Entity] = []
  private(set) var byName: [String: Int] = [:]

  subscript(name: String) -> Entity? { byName[name].map { entities[$0] } }

  init(schema: Schema, descriptors: [String: _ModelDescriptor]) {
    let names = schema.entities.map(\.name)
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
    for root in roots.sorted() {
      for name in subtree(of: root) {
        guard let entity = schema.entitiesByName[name], let descriptor = descriptors[name]
        else { continue }
        let parent = entity.superentityName.flatMap { byName[$0] != nil ? $0 : nil }
        let firstOwn = parent.flatMap { descriptors[$0]?.properties.count } ?? 0
        byName[name] = entities.count
        entities.append(
          Entity(
            name: name, number: entities.count + 1, superName: parent, rootName: root,
            subtree: subtree(of: name), descriptor: descriptor,
            ownSlots: firstOwn..<max(firstOwn, descriptor.properties.count),
            inverses: entity.relationshipsByName.compactMapValues(\.inverseName),
            uniquenessConstraints: entity.uniquenessConstraints, indices: entity.indices))
      }
    }
  }
}
