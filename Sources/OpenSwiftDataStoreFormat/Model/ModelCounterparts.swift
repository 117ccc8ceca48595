/// Which entities and properties of a model continue those of an earlier one.
///
/// 1. What names a former name goes on from what had it, unless the earlier model has that change already.
/// 2. What has the same name goes on.
///
/// So names may be exchanged, a new property may have the name that an old one had, and a former name may
/// stay in the declaration for good.
package struct ModelCounterparts: Sendable {
  /// A property of the earlier model, and the entity that declares it.
  package struct Place: Hashable, Sendable {
    package let entity: EntityDescription
    package let property: PropertyDescription

    package init(entity: EntityDescription, property: PropertyDescription) {
      self.entity = entity
      self.property = property
    }
  }

  package let stored: ModelDescription
  package let current: ModelDescription
  /// The earlier name by entity.
  private let entities: [String: String]
  /// The earlier name by property, by entity; inherited ones included.
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
    self.properties = properties
  }

  /// What an entity was in the earlier model; `nil` for a new one.
  package func entity(_ name: String) -> EntityDescription? {
    entities[name].flatMap { stored[$0] }
  }

  /// What an earlier entity is now; `nil` for a removed one.
  package func successor(of name: String) -> EntityDescription? {
    successors[name].flatMap { current[$0] }
  }

  /// What a property of an entity, which may be inherited, was in the earlier model; `nil` for a new one.
  package func property(_ name: String, of entity: String) -> Place? {
    guard let earlier = entities[entity], let property = properties[entity]?[name],
      let (owner, found) = stored.property(property, of: earlier)
    else { return nil }
    return Place(entity: owner, property: found)
  }

  /// What a property of an earlier entity is called now; `nil` for a removed one.
  package func successor(of property: String, of entity: String) -> String? {
    successors[entity].flatMap { name in
      properties[name]?.first { $0.value == property }?.key
    }
  }

  private var successors: [String: String] {
    Dictionary(entities.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
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
