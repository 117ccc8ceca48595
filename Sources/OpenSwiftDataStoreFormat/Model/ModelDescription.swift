/// A model as a store file describes it, in the terms of Core Data: entities with properties,
/// constraints and indexes. Made from model classes, or read from the model cache of a file.
package struct ModelDescription: Equatable, Sendable {
  /// In code-point order of their names.
  package let entities: [EntityDescription]
  /// The versions of the schema from `NSStoreModelVersionIdentifiers`, such as `1.0.0`.
  package let versionIdentifiers: [String]
  private let places: [String: Int]
  /// The indices of each entity's subentities, in the order of their names.
  private let childPlaces: [String: [Int]]

  /// If several entities have the same name, only the first is used.
  package init(entities: [EntityDescription], versionIdentifiers: [String] = []) {
    var places: [String: Int] = [:]
    let sorted = entities.map(\.name).codePointOrder.map { entities[$0] }
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

  /// The direct subentities of an entity, in the order of their names.
  package func children(of name: String) -> [EntityDescription] {
    childPlaces[name]?.map { entities[$0] } ?? []
  }

  /// The entity and all its subentities, each before its own subentities, siblings by name.
  package func subtree(of name: String) -> [EntityDescription] {
    guard let entity = self[name] else { return [] }
    var found: [EntityDescription] = []
    var waiting = [entity]
    // The count ends the loop if superentities form a cycle.
    while let next = waiting.popLast(), found.count <= entities.count {
      found.append(next)
      waiting += children(of: next.name).reversed()
    }
    return found
  }

  /// The entity and its superentities, the nearest first.
  package func lineage(of name: String) -> [EntityDescription] {
    var found: [EntityDescription] = []
    var next = self[name]
    while let entity = next, found.count <= entities.count {
      found.append(entity)
      next = entity.superName.flatMap { self[$0] }
    }
    return found
  }

  /// All properties of an entity, including inherited ones, in code-point order of their names.
  package func properties(of name: String) -> [PropertyDescription] {
    let properties = lineage(of: name).flatMap(\.properties)
    return properties.map(\.name).codePointOrder.map { properties[$0] }
  }

  /// A property of an entity or of a superentity, and the entity that declares it.
  package func property(
    _ property: String, of name: String
  ) -> (entity: EntityDescription, property: PropertyDescription)? {
    for entity in lineage(of: name) {
      if let found = entity[property] { return (entity, found) }
    }
    return nil
  }
}

package struct EntityDescription: Equatable, Sendable {
  package let name: String
  /// The name of the class; `nil` in files of recent frameworks.
  package var className: String?
  package var isAbstract: Bool
  package var superName: String?
  /// The properties that the entity declares itself, in code-point order of their names.
  package let properties: [PropertyDescription]
  /// Groups of properties whose combined values are unique.
  package var uniqueConstraints: [[String]]
  package var indexes: [IndexDescription]
  /// The name in the earlier version; the same name if it was not renamed.
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
    self.properties = properties.map(\.name).codePointOrder.map { properties[$0] }
    self.uniqueConstraints = uniqueConstraints
    self.indexes = indexes
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
  }

  package subscript(name: String) -> PropertyDescription? {
    properties.first { $0.name == name }
  }
}

package enum PropertyDescription: Equatable, Sendable {
  case attribute(AttributeDescription)
  case relationship(RelationshipDescription)
  /// A fetched property of Core Data: a query in the model, not stored.
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

package struct AttributeDescription: Equatable, Sendable {
  package let name: String
  package var type: AttributeType
  package var isOptional: Bool
  /// In the model, but without a column.
  package var isTransient: Bool = false
  /// Computed by triggers of Apple's framework.
  package var isDerived: Bool = false
  package var isIndexed: Bool = false
  /// Whether the history keeps the last value when the row is deleted.
  package var preservesValueOnDeletion: Bool = false
  /// The Objective-C class of the values, or a Swift type such as `Array<String>`.
  package var valueClassName: String?
  package var transformerName: String?
  package var defaultValue: ModelValue?
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  /// The parts of a composite in their order; empty for all other types.
  package var elements: [AttributeDescription] = []
  /// Whether the composite is a Swift enum.
  package var isEnumeration: Bool = false
  /// The cases of an enum without raw and associated values.
  package var enumerationCases: [String]?

  package init(name: String, type: AttributeType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }

  /// The attributes with columns of their own and their paths: the attribute itself with an empty
  /// path, or the leaves of a composite.
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
  /// 1 for a to-one relationship; 0 means no limit.
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

package struct IndexDescription: Equatable, Sendable {
  package struct Element: Equatable, Sendable {
    package let property: String
    package let isAscending: Bool

    package init(_ property: String, isAscending: Bool = true) {
      self.property = property
      self.isAscending = isAscending
    }
  }

  /// In files of SwiftData: `SwiftDataIndexOnBinary` and the names of the properties.
  package let name: String
  package let elements: [Element]
  /// Whether it is an R-tree.
  package let isSpatial: Bool

  /// The name of the index in files, which may be shortened in other databases.
  func objectName(of entity: String) -> String { "Z_\(entity)_\(name)" }

  package init(name: String, elements: [Element], isSpatial: Bool = false) {
    self.name = name
    self.elements = elements
    self.isSpatial = isSpatial
  }
}

extension String {
  /// Compares by code points, the order in which Apple's framework sorts names.
  package func precedes(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension [String] {
  /// The positions of the texts in code-point order; equal texts keep their order.
  ///
  /// What has names is sorted by these positions, because the compiler makes a copy of the algorithm
  /// for each type whose values are sorted.
  var codePointOrder: [Int] {
    indices.sorted { first, second in
      if self[first].precedes(self[second]) { return true }
      return first < second && !self[second].precedes(self[first])
    }
  }

  var inCodePointOrder: [String] { codePointOrder.map { self[$0] } }
}
