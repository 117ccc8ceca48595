/// Completes entities by means of each other: hierarchies, inverses, constraints.
///
/// A second call changes nothing.
package enum SchemaInference {
  package static func settle(_ entities: [Schema.Entity]) {
    let entitiesByName = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    linkHierarchies(entities, entitiesByName)
    for entity in entities { settleProperties(of: entity) }
    resolveExplicitInverses(entities, entitiesByName)
    inferInverses(entities, entitiesByName)
  }

  private static func linkHierarchies(
    _ entities: [Schema.Entity], _ entitiesByName: [String: Schema.Entity]
  ) {
    for entity in entities {
      guard let name = entity.superentityName, let superentity = entitiesByName[name],
        superentity !== entity, !superentity.isKind(of: entity)
      else { continue }
      entity.superentity = superentity
      superentity.subentities.insert(entity)
    }
    for entity in entities where entity.superentity != nil {
      entity.inheritedProperties = inheritedProperties(of: entity)
    }
  }

  private static func inheritedProperties(of entity: Schema.Entity) -> [any SchemaProperty] {
    guard let superentity = entity.superentity else { return [] }
    return inheritedProperties(of: superentity) + superentity.storedProperties
  }

  private static func settleProperties(of entity: Schema.Entity) {
    for property in entity.storedProperties {
      let constraint = [property.name]
      if property.isUnique, !entity.uniquenessConstraints.contains(constraint) {
        entity.uniquenessConstraints.append(constraint)
      }
      if let relationship = property as? Schema.Relationship, relationship.isToOneRelationship,
        relationship.maximumModelCount ?? 0 == 0
      {
        relationship.maximumModelCount = 1
      }
    }
  }
}

// MARK: - Inverses

extension SchemaInference {
  /// Sets the names of inverses that are given by a key path, and of the relationships at their
  /// other end.
  private static func resolveExplicitInverses(
    _ entities: [Schema.Entity], _ entitiesByName: [String: Schema.Entity]
  ) {
    for entity in entities {
      for relationship in ownRelationships(of: entity) {
        if relationship.inverseName == nil, let keyPath = relationship.inverseKeyPath {
          let candidates = entitiesByName[relationship.destination]?.relationships ?? []
          relationship.inverseName =
            candidates.first { $0.keypath == keyPath }?.name
            ?? candidates.first { $0.name == KeyPathName.spelled(keyPath) }?.name
        }
        guard let name = relationship.inverseName,
          let inverse = entitiesByName[relationship.destination]?.property(named: name)
            as? Schema.Relationship,
          inverse.inverseName == nil, inverse.inverseKeyPath == nil,
          let end = entitiesByName[inverse.destination], entity.isKind(of: end)
        else { continue }
        inverse.inverseName = relationship.name
      }
    }
  }

  /// Pairs relationships between two entities if the choice is unambiguous.
  ///
  /// - Only optional to-one relationships and arrays are paired; a required to-one relationship
  ///   without `inverse:` has no inverse.
  /// - Two arrays are not paired: a many-to-many relationship needs `inverse:`.
  /// - Within one entity only an array and an optional to-one relationship are paired, because
  ///   `mother` and `father`, for example, are not inverses.
  /// - If there are several candidates, none is chosen.
  private static func inferInverses(
    _ entities: [Schema.Entity], _ entitiesByName: [String: Schema.Entity]
  ) {
    func partners(of relationship: Schema.Relationship, in entity: Schema.Entity)
      -> [Schema.Relationship]
    {
      possibleInverses(of: relationship, in: entity, entitiesByName)
    }
    var pairs: [(Schema.Relationship, Schema.Relationship)] = []
    for entity in entities {
      for relationship in ownRelationships(of: entity) where isFree(relationship) {
        let found = partners(of: relationship, in: entity)
        guard found.count == 1, let partner = found.first,
          let destination = entitiesByName[relationship.destination],
          partners(of: partner, in: destination).count == 1
        else { continue }
        pairs.append((relationship, partner))
      }
    }
    for (relationship, partner) in pairs {
      relationship.inverseName = partner.name
      partner.inverseName = relationship.name
    }
  }

  private static func possibleInverses(
    of relationship: Schema.Relationship, in entity: Schema.Entity,
    _ entitiesByName: [String: Schema.Entity]
  ) -> [Schema.Relationship] {
    guard let destination = entitiesByName[relationship.destination] else { return [] }
    return ownRelationships(of: destination).filter { other in
      isFree(other) && other !== relationship && other.destination == entity.name
        && mayPair(relationship, other, isReflexive: destination === entity)
    }
  }

  /// A relationship with several possible inverses, of which none was chosen.
  package struct AmbiguousInverse {
    package let entity: String
    package let relationship: Schema.Relationship
    package let candidates: [Schema.Relationship]
  }

  /// The relationships of completed entities that have no inverse because several are possible.
  package static func ambiguousInverses(in entities: [Schema.Entity]) -> [AmbiguousInverse] {
    let entitiesByName = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return entities.flatMap { entity in
      ownRelationships(of: entity).filter(isFree).compactMap { relationship in
        let candidates = possibleInverses(of: relationship, in: entity, entitiesByName)
        return candidates.count < 2
          ? nil
          : AmbiguousInverse(
            entity: entity.name, relationship: relationship, candidates: candidates)
      }
    }
  }

  /// Two arrays that lead to each other's entity and have no inverse.
  package struct UnpairedArrays {
    package struct Side {
      package let entity: String
      package let name: String
    }

    package let first: Side
    package let second: Side
  }

  /// The arrays of completed entities that are not paired, because a many-to-many relationship needs
  /// `inverse:`, with the only array of the other entity that leads back.
  package static func unpairedArrays(in entities: [Schema.Entity]) -> [UnpairedArrays] {
    struct Ends: Hashable {
      let entity: String
      let destination: String
    }
    var names: [Ends: [String]] = [:]
    for entity in entities {
      for relationship in ownRelationships(of: entity)
      where isFree(relationship) && !relationship.isToOneRelationship {
        let ends = Ends(entity: entity.name, destination: relationship.destination)
        names[ends, default: []].append(relationship.name)
      }
    }
    return names.compactMap { ends, found in
      let back = names[Ends(entity: ends.destination, destination: ends.entity)] ?? []
      guard ends.entity < ends.destination, found.count == 1, back.count == 1 else { return nil }
      return UnpairedArrays(
        first: UnpairedArrays.Side(entity: ends.entity, name: found[0]),
        second: UnpairedArrays.Side(entity: ends.destination, name: back[0]))
    }
    .sorted { ($0.first.entity, $0.second.entity) < ($1.first.entity, $1.second.entity) }
  }

  private static func isFree(_ relationship: Schema.Relationship) -> Bool {
    relationship.inverseName == nil && relationship.inverseKeyPath == nil
      && (!relationship.isToOneRelationship || relationship.isOptional)
  }

  private static func mayPair(
    _ first: Schema.Relationship, _ second: Schema.Relationship, isReflexive: Bool
  ) -> Bool {
    switch (first.isToOneRelationship, second.isToOneRelationship) {
    case (true, true): !isReflexive
    case (false, false): false
    case (true, false), (false, true): true
    }
  }

  private static func ownRelationships(of entity: Schema.Entity) -> [Schema.Relationship] {
    entity.storedProperties.compactMap { $0 as? Schema.Relationship }
  }
}
