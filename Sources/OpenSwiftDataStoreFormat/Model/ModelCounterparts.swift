/// Matches the entities and properties of a model with those of an earlier model.
///
/// 1. A declaration with a former name continues what had that name, unless the earlier model
///    contains the same renaming already.
/// 2. Otherwise, declarations with the same name match.
///
/// So two names may be exchanged, a new property may reuse an old name, and a former name may stay
/// in the declaration permanently.
package struct ModelCounterparts: Sendable {
  /// A property of the earlier model, and the entity that declares it.
  package struct DeclaredProperty: Equatable, Sendable {
    package let entity: EntityDescription
    package let property: PropertyDescription

    package init(entity: EntityDescription, property: PropertyDescription) {
      self.entity = entity
      self.property = property
    }
  }

  package let stored: ModelDescription
  package let current: ModelDescription
  /// Name of the entity → its name in the earlier model.
  private let entities: [String: String]
  /// Name of the earlier entity → its current name.
  private let successors: [String: String]
  /// Name of the entity → name of the property → its name in the earlier model; includes inherited
  /// properties.
  private let properties: [String: [String: String]]

  package init(from stored: ModelDescription, to current: ModelDescription) {
    self.stored = stored
    self.current = current
    let entities = ModelCounterparts.match(
      current.entities.map { Named($0.name, $0.renamingIdentifier) },
      with: stored.entities.map { Named($0.name, $0.renamingIdentifier) })
    var properties: [String: [String: String]] = [:]
    for (name, earlier) in entities {
      properties[name] = ModelCounterparts.match(
        current.properties(of: name).filter(\.isStored).map(Named.init),
        with: stored.properties(of: earlier).filter(\.isStored).map(Named.init))
    }
    self.entities = entities
    successors = Dictionary(
      entities.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    self.properties = properties
  }

  /// The counterpart of an entity in the earlier model; `nil` for a new entity.
  package func entity(_ name: String) -> EntityDescription? {
    entities[name].flatMap { stored[$0] }
  }

  /// The counterpart of an earlier entity; `nil` for a removed entity.
  package func successor(of name: String) -> EntityDescription? {
    successors[name].flatMap { current[$0] }
  }

  /// The counterpart of a property, own or inherited, in the earlier model; `nil` for a new one.
  package func property(_ name: String, of entity: String) -> DeclaredProperty? {
    guard let earlier = entities[entity], let property = properties[entity]?[name],
      let (owner, found) = stored.property(property, of: earlier)
    else { return nil }
    return DeclaredProperty(entity: owner, property: found)
  }

  /// The current name of a property of an earlier entity; `nil` for a removed one.
  package func successor(of property: String, of entity: String) -> String? {
    successors[entity].flatMap { name in
      properties[name]?.first { $0.value == property }?.key
    }
  }

  // MARK: Rivals

  /// Another property of the same declaration that has the same former name and continues what had it, so
  /// that the property itself is new; `nil` if there is none.
  /// - Parameters:
  ///   - owner: The entity that declares the property.
  ///   - entity: The entity of the rows: `owner`, or one that inherits from it.
  package func rival(
    of property: PropertyDescription, declaredBy owner: EntityDescription, in entity: String
  ) -> PropertyDescription? {
    guard let former = property.renamingIdentifier, former != property.name,
      let continued = properties[entity], continued[property.name] == nil
    else { return nil }
    return owner.properties.first {
      $0.renamingIdentifier == former && continued[$0.name] == former && $0.name != property.name
    }
  }

  /// Another entity that has the same former name and continues what had it, so that the entity itself is
  /// new; `nil` if there is none. A class may be divided among the classes of a hierarchy.
  package func rival(of entity: EntityDescription) -> EntityDescription? {
    guard let former = entity.renamingIdentifier, former != entity.name,
      entities[entity.name] == nil
    else { return nil }
    let root = current.lineage(of: entity.name).last?.name
    return current.entities.first {
      $0.renamingIdentifier == former && entities[$0.name] == former
        && current.lineage(of: $0.name).last?.name != root
    }
  }

  // MARK: Matching

  private struct Named {
    let name: String
    let formerName: String

    init(_ name: String, _ formerName: String?) {
      self.name = name
      self.formerName = formerName ?? name
    }

    init(_ property: PropertyDescription) {
      self.init(property.name, property.renamingIdentifier)
    }
  }

  private static func match(_ current: [Named], with stored: [Named]) -> [String: String] {
    let known = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var found: [String: String] = [:]
    var taken: Set<String> = []
    func take(_ name: String, for current: Named) {
      guard found[current.name] == nil, known[name] != nil, taken.insert(name).inserted else {
        return
      }
      found[current.name] = name
    }
    for named in current where named.formerName != named.name {
      let isDone = known[named.name]?.formerName == named.formerName
      take(isDone ? named.name : named.formerName, for: named)
    }
    for named in current { take(named.name, for: named) }
    return found
  }
}

extension PropertyDescription {
  package var renamingIdentifier: String? {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier
    case .relationship(let relationship): relationship.renamingIdentifier
    case .fetched: nil
    }
  }
}
