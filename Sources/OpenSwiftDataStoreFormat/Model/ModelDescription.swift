/// A model as a store file describes it: entities with properties, constraints and indexes, in the terms
/// of Core Data. A plain value, which is made from model classes or read from the model cache of a file.
package struct ModelDescription: Hashable, Sendable {
  /// In code-point order of their names.
  package let entities: [EntityDescription]
  /// The versions of the schema, as in `NSStoreModelVersionIdentifiers`: `1.0.0`.
  package let versionIdentifiers: [String]
  private let places: [String: Int]
  /// The places of the subentities of each entity, in the order of their names.
  private let childPlaces: [String: [Int]]

  /// Of several entities of one name the first counts.
  package init(entities: [EntityDescription], versionIdentifiers: [String] = []) {
    var places: [String: Int] = [:]
    let sorted = entities.sorted { $0.name.precedes($1.name) }
    for (place, entity) in sorted.enumerated() where places[entity.name] == nil {
      places[entity.name] = place
    }
    var childPlaces: [String: [Int]] = [:]
    for (place, entity) in sorted.enumerated() {
      guard let parent = entity.superName, parent != entity.name else { continue }
      childPlaces[parent, default: []].append(place)
    }
    self.entities = sorted
    self.places = places
    self.childPlaces = childPlaces
    self.versionIdentifiers = versionIdentifiers
  }

  package subscript(name: String) -> EntityDescription? { places[name].map { entities[$0] } }

  /// The entities without a superentity in the model.
  package var roots: [EntityDescription] {
    entities.filter { entity in entity.superName.flatMap { self[$0] } == nil }
  }

  /// The entities that name the given one as their superentity, in the order of their names.
  package func children(of name: String) -> [EntityDescription] {
    childPlaces[name]?.map { entities[$0] } ?? []
  }

  /// The entity and all below it, each before its own subentities, which come in the order of names.
  package func subtree(of name: String) -> [EntityDescription] {
    guard let entity = self[name] else { return [] }
    var found: [EntityDescription] = []
    var waiting = [entity]
    // The count ends the walk in a model whose superentities form a circle.
    while let next = waiting.popLast(), found.count <= entities.count {
      found.append(next)
      waiting += children(of: next.name).reversed()
    }
    return found
  }

  /// The entity and those above it, the nearest first.
  package func lineage(of name: String) -> [EntityDescription] {
    var found: [EntityDescription] = []
    var next = self[name]
    while let entity = next, found.count <= entities.count {
      found.append(entity)
      next = entity.superName.flatMap { self[$0] }
    }
    return found
  }

  /// All properties of an entity, inherited ones included, in code-point order of their names.
  package func properties(of name: String) -> [PropertyDescription] {
    lineage(of: name).flatMap(\.properties).sorted { $0.name.precedes($1.name) }
  }

  /// A property of an entity or of one above it, and the entity that declares it.
  package func property(
    _ property: String, of name: String
  ) -> (entity: EntityDescription, property: PropertyDescription)? {
    for entity in lineage(of: name) {
      if let found = entity[property] { return (entity, found) }
    }
    return nil
  }
}

package struct EntityDescription: Hashable, Sendable {
  package let name: String
  /// The name of the class; files of recent frameworks have none.
  package var className: String?
  package var isAbstract: Bool
  package var superName: String?
  /// The properties that the entity declares itself, in code-point order of their names.
  package let properties: [PropertyDescription]
  /// The groups of properties of which no two rows have the same values.
  package var uniqueConstraints: [[String]]
  package var indexes: [IndexDescription]
  /// The name in the version before, which is the name itself where nothing was renamed.
  package var renamingIdentifier: String?
  package var versionHashModifier: String?

  package init(
    name: String, className: String? = nil, isAbstract: Bool = false, superName: String? = nil,
    properties: [PropertyDescription], uniqueConstraints: [[String]] = [],
    indexes: [IndexDescription] = [], renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil
  ) {
    self.name = name
    self.className = className
    self.isAbstract = isAbstract
    self.superName = superName
    self.properties = properties.sorted { $0.name.precedes($1.name) }
    self.uniqueConstraints = uniqueConstraints
    self.indexes = indexes
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
  }

  package subscript(name: String) -> PropertyDescription? {
    properties.first { $0.name == name }
  }
}

package enum PropertyDescription: Hashable, Sendable {
  case attribute(AttributeDescription)
  case relationship(RelationshipDescription)
  /// A fetched property of Core Data: a query that the model names, stored nowhere.
  case fetched(name: String)

  package var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    case .fetched(let name): name
    }
  }

  package var relationship: RelationshipDescription? {
    if case .relationship(let relationship) = self { relationship } else { nil }
  }

  package var attribute: AttributeDescription? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }
}

package struct AttributeDescription: Hashable, Sendable {
  package let name: String
  package var type: AttributeType
  package var isOptional: Bool
  /// In the model, but in no column.
  package var isTransient: Bool = false
  /// Computed by triggers of Apple's framework.
  package var isDerived: Bool = false
  package var isIndexed: Bool = false
  /// Whether the last value stays in the history when the row is deleted.
  package var preservesValueOnDeletion: Bool = false
  /// The class of the values in an Objective-C program, or the text of a Swift type: `Array<String>`.
  package var valueClassName: String?
  package var transformerName: String?
  package var defaultValue: ModelValue?
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  /// The parts of a composite in their order; empty for all other types.
  package var elements: [AttributeDescription] = []
  /// Whether a composite is an enum of Swift.
  package var isEnumeration: Bool = false
  /// The cases without associated values of an enum without raw values.
  package var enumerationCases: [String]?

  package init(name: String, type: AttributeType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }

  /// The attributes that have columns of their own, with the names that lead to them: the attribute
  /// itself with no name, or the leaves of a composite.
  package var leaves: [(path: [String], attribute: AttributeDescription)] {
    guard type == .composite else { return [([], self)] }
    return elements.flatMap { element in
      element.leaves.map { ([element.name] + $0.path, $0.attribute) }
    }
  }
}

package struct RelationshipDescription: Hashable, Sendable {
  /// Numbered as in `NSDeleteRule`.
  package enum DeleteRule: Int, Sendable {
    case noAction = 0, nullify, cascade, deny
  }

  package let name: String
  package var isOptional: Bool
  package var destination: String
  package var inverse: String?
  package var minimumCount: Int
  /// 1 for a relationship to one; 0 for one without a limit.
  package var maximumCount: Int
  package var deleteRule: DeleteRule
  package var isOrdered: Bool = false
  package var isTransient: Bool = false
  package var renamingIdentifier: String?
  package var versionHashModifier: String?

  package init(
    name: String, destination: String, inverse: String? = nil, isOptional: Bool = false,
    minimumCount: Int = 0, maximumCount: Int, deleteRule: DeleteRule = .nullify
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isOptional = isOptional
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount
    self.deleteRule = deleteRule
  }

  package var isToMany: Bool { maximumCount != 1 }
}

package struct IndexDescription: Hashable, Sendable {
  package struct Element: Hashable, Sendable {
    package let property: String
    package let isAscending: Bool

    package init(_ property: String, isAscending: Bool = true) {
      self.property = property
      self.isAscending = isAscending
    }
  }

  /// `SwiftDataIndexOnBinary` and the names of the properties in files of SwiftData.
  package let name: String
  package let elements: [Element]
  /// Whether it is an R-tree.
  package let isSpatial: Bool

  package init(name: String, elements: [Element], isSpatial: Bool = false) {
    self.name = name
    self.elements = elements
    self.isSpatial = isSpatial
  }
}

extension String {
  /// Code-point order, in which Apple's framework sorts names.
  package func precedes(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
