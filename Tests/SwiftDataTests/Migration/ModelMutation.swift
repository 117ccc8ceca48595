import OpenSwiftDataStoreFormat

/// Changes a model at random, step by step.
struct ModelMutation {
  private var entities: [EntityDescription]
  private let original: ModelDescription
  private var generator: SeededRandom
  private(set) var steps: [String] = []
  private var renamedEntities: [String: String] = [:]
  /// Whether former names are forgotten, and whole sets of properties replaced.
  private let isCareless: Bool

  init(_ model: ModelDescription, seed: UInt64, isCareless: Bool = false) {
    self.isCareless = isCareless
    original = model
    entities = model.entities
    generator = SeededRandom(seed &+ 1234)
  }

  /// The model at first, with the names of the changed one as former names.
  var reversed: ModelDescription {
    let counterparts = ModelCounterparts(
      from: original, to: ModelDescription(entities: entities))
    return ModelDescription(
      entities: original.entities.map { entity in
        let now = counterparts.successor(of: entity.name)
        return entity.replacing(
          entity.properties.map { property in
            property.renamed(
              from: counterparts.successor(of: property.name, of: entity.name) ?? property.name)
          }, formerName: now?.name)
      }, versionIdentifiers: ["1.0.0"])
  }

  mutating func run() -> ModelDescription {
    for _ in 0..<Int.random(in: 1...4, using: &generator) { step() }
    return ModelDescription(entities: entities, versionIdentifiers: ["2.0.0"])
  }

  private mutating func step() {
    guard let place = entities.indices.randomElement(using: &generator) else { return }
    let entity = entities[place]
    switch Int.random(in: 0..<(isCareless ? 12 : 10), using: &generator) {
    case 0:
      let name = "Aaa\(entities.count)"
      var identity = AttributeDescription(name: "identity", type: .integer64)
      identity.renamingIdentifier = "identity"
      entities.append(
        EntityDescription(
          name: name, properties: [.attribute(identity)], renamingIdentifier: name))
      steps.append("new \(name)")
    case 1: rename(place)
    case 2:
      var added = AttributeDescription(name: "added\(steps.count)", type: .string, isOptional: true)
      added.renamingIdentifier = added.name
      entities[place] = entity.replacing(
        entity.properties + [.attribute(added)], formerName: entity.renamingIdentifier)
      steps.append("new \(entity.name).\(added.name)")
    case 3:
      guard
        let gone = entity.properties.compactMap(\.attribute).filter({ $0.name != "identity" })
          .randomElement(using: &generator)
      else { return }
      entities[place] = entity.replacing(
        entity.properties.filter { $0.name != gone.name }, formerName: entity.renamingIdentifier)
      steps.append("without \(entity.name).\(gone.name)")
    case 4:
      guard
        let property = entity.properties.filter({ $0.attribute != nil && $0.name != "identity" })
          .randomElement(using: &generator), case .attribute(let attribute) = property
      else { return }
      let name = "zz\(attribute.name)\(steps.count)"
      let changed = attribute.called(name)
      entities[place] = entity.replacing(
        entity.properties.map { $0.name == attribute.name ? .attribute(changed) : $0 },
        formerName: entity.renamingIdentifier)
      steps.append("\(entity.name).\(attribute.name) is \(name)")
    case 5: convert(place)
    case 6: relink(place)
    case 7: moveUp(place)
    case 8: remove(place)
    case 9: addSuperclass(place)
    case 10: forget(place)
    default: replaceAll(place)
    }
  }

  private mutating func rename(_ place: Int, forgetting: Bool = false) {
    let entity = entities[place]
    // Once is enough: what it was called in between is in no model.
    guard renamedEntities[entity.name] == nil else { return }
    let name = "Aa\(entity.name)\(steps.count)"
    renamedEntities[name] = entity.name
    entities = entities.map { other in
      other.replacing(
        other.properties.map { $0.leading(from: entity.name, to: name) },
        name: other.name == entity.name ? name : nil,
        superName: .some(other.superName == entity.name ? name : other.superName),
        formerName: other.name != entity.name
          ? other.renamingIdentifier
          : forgetting ? name : entity.renamingIdentifier ?? entity.name)
    }
    steps.append("\(entity.name) is \(name)\(forgetting ? ", forgotten" : "")")
  }

  /// A property or an entity gets another name, and its former one is not declared.
  private mutating func forget(_ place: Int) {
    let entity = entities[place]
    guard
      let property = entity.properties.filter({ $0.attribute != nil && $0.name != "identity" })
        .randomElement(using: &generator), case .attribute(let attribute) = property,
      Bool.random(using: &generator)
    else { return rename(place, forgetting: true) }
    var changed = attribute.called("other\(attribute.name)\(steps.count)")
    changed.renamingIdentifier = changed.name
    changed.isOptional = true
    let renamed = changed
    entities[place] = entity.replacing(
      entity.properties.map { $0.name == attribute.name ? .attribute(renamed) : $0 },
      formerName: entity.renamingIdentifier)
    steps.append("\(entity.name).\(attribute.name) is \(changed.name), forgotten")
  }

  /// An entity keeps its name and none of its attributes.
  private mutating func replaceAll(_ place: Int) {
    let entity = entities[place]
    var other = AttributeDescription(
      name: "unrelated\(steps.count)", type: .string, isOptional: true)
    other.renamingIdentifier = other.name
    let kept = entity.properties.filter { $0.attribute == nil || $0.name == "identity" }
    entities[place] = entity.replacing(
      kept + [.attribute(other)], formerName: entity.renamingIdentifier)
    steps.append("\(entity.name) is another")
  }

  private mutating func convert(_ place: Int) {
    let entity = entities[place]
    let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .double, .float]
    guard
      var attribute = entity.properties.compactMap(\.attribute)
        .filter({ numbers.contains($0.type) && $0.name != "identity" })
        .randomElement(using: &generator)
    else { return }
    attribute.type = numbers.randomElement(using: &generator) ?? .double
    attribute.isOptional = attribute.isOptional || Bool.random(using: &generator)
    attribute.defaultValue = nil
    let changed = attribute
    entities[place] = entity.replacing(
      entity.properties.map { $0.name == changed.name ? .attribute(changed) : $0 },
      formerName: entity.renamingIdentifier)
    steps.append("\(entity.name).\(attribute.name) is \(attribute.type)")
  }

  /// A relationship gets another number of members, or loses its inverse.
  private mutating func relink(_ place: Int) {
    let entity = entities[place]
    guard
      var relationship = entity.properties.compactMap(\.relationship)
        .randomElement(using: &generator)
    else { return }
    if let inverse = relationship.inverse, Bool.random(using: &generator) {
      relationship.inverse = nil
      let destination = relationship.destination
      entities = entities.map { other in
        let owns =
          ModelDescription(entities: entities).property(inverse, of: destination)?.entity.name
          == other.name
        return owns
          ? other.replacing(
            other.properties.filter { $0.name != inverse }, formerName: other.renamingIdentifier)
          : other
      }
    } else {
      relationship.maximumCount = relationship.isToMany ? 1 : 0
      relationship.isOptional = true
    }
    let changed = relationship
    guard let now = entities.firstIndex(where: { $0.name == entity.name }) else { return }
    entities[now] = entities[now].replacing(
      entities[now].properties.map { $0.name == changed.name ? .relationship(changed) : $0 },
      formerName: entity.renamingIdentifier)
    steps.append(
      "\(entity.name).\(relationship.name) is \(PropertyDescription.relationship(relationship).typeText)"
    )
  }

  /// A subclass goes with its rows, and with the relationships that led to it alone.
  private mutating func remove(_ place: Int) {
    let gone = entities[place].name
    guard entities[place].superName != nil, !entities.contains(where: { $0.superName == gone })
    else { return }
    entities.remove(at: place)
    entities = entities.map { other in
      other.replacing(
        other.properties.compactMap { property in
          guard case .relationship(var relationship) = property else { return property }
          if relationship.destination == gone { return nil }
          if let inverse = relationship.inverse,
            ModelDescription(entities: entities).property(inverse, of: relationship.destination)
              == nil
          {
            relationship.inverse = nil
          }
          return .relationship(relationship)
        }, formerName: other.renamingIdentifier)
    }
    steps.append("without \(gone)")
  }

  private mutating func moveUp(_ place: Int) {
    let entity = entities[place]
    guard let above = entities.firstIndex(where: { $0.name == entity.superName }),
      var attribute = entity.properties.compactMap(\.attribute).filter({ $0.type != .composite })
        .randomElement(using: &generator)
    else { return }
    attribute.isOptional = true
    attribute.defaultValue = nil
    entities[place] = entity.replacing(
      entity.properties.filter { $0.name != attribute.name }, formerName: entity.renamingIdentifier)
    entities[above] = entities[above].replacing(
      entities[above].properties + [.attribute(attribute)],
      formerName: entities[above].renamingIdentifier)
    steps.append("\(entity.name).\(attribute.name) moves up")
  }

  /// Two hierarchies get a common root.
  private mutating func addSuperclass(_ place: Int) {
    let roots = entities.filter { $0.superName == nil }
    guard roots.count > 1 else { return }
    let pair = Array(roots.shuffled(using: &generator).prefix(2))
    // A property is declared once in a hierarchy.
    let model = ModelDescription(entities: entities)
    func names(_ root: EntityDescription) -> Set<String> {
      Set(model.subtree(of: root.name).flatMap(\.properties).map(\.name)).subtracting(["identity"])
    }
    guard names(pair[0]).isDisjoint(with: names(pair[1])) else { return }
    let name = "Base\(steps.count)"
    entities = entities.map { entity in
      guard pair.contains(where: { $0.name == entity.name }) else { return entity }
      return entity.replacing(
        entity.properties.filter { $0.name != "identity" }, superName: .some(name),
        formerName: entity.renamingIdentifier)
    }
    var identity = AttributeDescription(name: "identity", type: .integer64)
    identity.renamingIdentifier = "identity"
    entities.append(
      EntityDescription(name: name, properties: [.attribute(identity)], renamingIdentifier: name))
    steps.append("\(pair[0].name) and \(pair[1].name) get \(name)")
  }
}

extension PropertyDescription {
  fileprivate func leading(from: String, to: String) -> PropertyDescription {
    guard case .relationship(var relationship) = self, relationship.destination == from else {
      return self
    }
    relationship.destination = to
    return .relationship(relationship)
  }

  fileprivate func renamed(from former: String) -> PropertyDescription {
    switch self {
    case .attribute(var attribute):
      attribute.renamingIdentifier = former
      return .attribute(attribute)
    case .relationship(var relationship):
      relationship.renamingIdentifier = former
      return .relationship(relationship)
    case .fetched: return self
    }
  }
}

extension AttributeDescription {
  fileprivate func called(_ name: String) -> AttributeDescription {
    var renamed = AttributeDescription(name: name, type: type, isOptional: isOptional)
    renamed.isTransient = isTransient
    renamed.preservesValueOnDeletion = preservesValueOnDeletion
    renamed.valueClassName = valueClassName
    renamed.transformerName = transformerName
    renamed.elements = elements
    renamed.isEnumeration = isEnumeration
    renamed.enumerationCases = enumerationCases
    renamed.renamingIdentifier = renamingIdentifier ?? self.name
    return renamed
  }
}
