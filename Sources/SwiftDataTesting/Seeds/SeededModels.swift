import SwiftData

/// The stored models of seeds, by their local identifiers.
struct SeededModels: Sendable {
  /// Local identifiers are unique in a hierarchy of entities.
  struct Key: Hashable, Sendable {
    let root: String
    let id: String
  }

  private var identifiers: [Key: PersistentIdentifier] = [:]

  mutating func add(_ identifier: PersistentIdentifier, _ id: String, root: String) {
    identifiers[Key(root: root, id: id)] = identifier
  }

  func has(_ key: Key) -> Bool { identifiers[key] != nil }

  func identifier(of key: Key) -> PersistentIdentifier? { identifiers[key] }
}

extension Schema {
  /// The entity at the root of the hierarchy of an entity.
  func root(of entity: String) -> String { entitiesByName[entity]?.rootEntity.name ?? entity }

  /// The entity that declares a relationship of an entity: that itself, or one above it.
  func owner(of relationship: String, in entity: String) -> Schema.Entity? {
    var owner = entitiesByName[entity]
    while let above = owner?.superentity, above.relationshipsByName[relationship] != nil {
      owner = above
    }
    return owner
  }
}
