import SwiftData

/// What rows of a schema look like in a document: which properties a row stores, and which follow
/// from other rows.
///
/// A relationship with an inverse is stored on one side only, so the two sides cannot disagree, and
/// a new row changes no other one. The other side is derived from the links of the rows.
struct DocumentShape: Sendable {
  let schema: Schema
  let entities: [String: EntityShape]
  /// The names of the entities, in the order of the document.
  let names: [String]
  /// Whether there are lists with a limited number of members.
  let hasCountedLists: Bool

  init(_ schema: Schema) {
    self.schema = schema
    names = schema.entitiesByName.keys.sorted()
    entities = schema.entitiesByName.mapValues { EntityShape($0, in: schema) }
    hasCountedLists = entities.values.contains { !$0.counted.isEmpty }
  }

  func isKind(_ entity: String, of other: String) -> Bool {
    entities[entity]?.lineage.contains(other) ?? false
  }

  /// Whether a link is one of a relationship: another class may have a relationship with the same name to the
  /// same rows.
  func belongs(_ referrer: Referrer, to relationship: RelationshipShape) -> Bool {
    let link = entities[referrer.row.entityName]?.relationships[referrer.property]
    return link?.name == relationship.name && link?.inverse == relationship.inverse
      && link?.destination == relationship.destination
  }

  /// Whether a link to a row is the stored side of a derived relationship of the row.
  func isStoredSide(_ referrer: Referrer, of relationship: RelationshipShape) -> Bool {
    referrer.property == relationship.inverse
      && isKind(referrer.row.entityName, of: relationship.destination)
  }
}

/// The properties of an entity, including inherited ones.
struct EntityShape: Sendable {
  let name: String
  /// The entity and its superentities, the nearest first.
  let lineage: [String]
  let attributes: [String: AttributeShape]
  let relationships: [String: RelationshipShape]
  let constraints: [UniqueConstraint]

  /// The relationships that rows store.
  let links: [RelationshipShape]
  /// The relationships that follow from links of other rows.
  let derived: [RelationshipShape]
  /// The lists with a limited number of members.
  let counted: [RelationshipShape]

  fileprivate init(_ entity: Schema.Entity, in schema: Schema) {
    let ancestors = Array(sequence(first: entity) { $0.superentity })
    name = entity.name
    lineage = ancestors.map(\.name)
    attributes = entity.attributesByName
      .filter { !$0.value.options.contains(.ephemeral) }.mapValues(AttributeShape.init)
    relationships = entity.relationshipsByName.mapValues {
      RelationshipShape($0, of: entity, in: schema)
    }
    constraints = ancestors.flatMap { owner in
      owner.uniquenessConstraints.map { UniqueConstraint($0, of: owner, as: entity) }
    }
    let sorted = relationships.values.sorted { $0.name < $1.name }
    links = sorted.filter(\.isStored)
    derived = sorted.filter { !$0.isStored }
    counted = sorted.filter(\.isCounted)
  }

  /// The values under their current names, if they have those of an earlier version.
  func renamed(_ values: [String: DocumentValue]) -> [String: DocumentValue] {
    let names =
      attributes.map { ($0.key, $0.value.originalName) } + links.map { ($0.name, $0.originalName) }
    var values = values
    for (name, original) in names where name != original && values[name] == nil {
      if !stores(original) { values[name] = values.removeValue(forKey: original) }
    }
    return values
  }

  /// Whether rows of the entity store a property.
  func stores(_ property: String) -> Bool {
    attributes[property] != nil || relationships[property]?.isStored == true
  }
}

struct AttributeShape: Sendable {
  /// The name in earlier versions of the models.
  let originalName: String
  let isOptional: Bool
  /// The default of the declaration, for rows from before the property existed.
  let defaultValue: DocumentValue?

  fileprivate init(_ attribute: Schema.Attribute) {
    originalName = attribute.originalName
    isOptional = attribute.isOptional
    defaultValue = (attribute.defaultValue as? any Encodable)
      .flatMap { try? DocumentEncoder.value(of: $0) }
  }
}

/// Properties or parts of them whose values identify a row among those of an entity and its subentities.
struct UniqueConstraint: Hashable, Sendable {
  let entity: String
  /// The names of properties, and of parts of composites, such as `address.city`.
  let properties: [String]
  /// The keys of each value in a row, from the property to the part.
  let paths: [[String]]

  /// - Parameter entity: The owner of the constraint, or a subentity, whose rows have the values.
  fileprivate init(_ names: [String], of owner: Schema.Entity, as entity: Schema.Entity) {
    self.entity = owner.name
    properties = names
    paths = names.map { name in
      let path = name.split(separator: ".").map(String.init)
      guard path.count > 1, let attribute = entity.attributesByName[path[0]],
        case .composite(let leaves)? = try? attribute.storageForm(),
        let leaf = leaves.first(where: { $0.path.starts(with: path.dropFirst()) })
      else { return path }
      // A type may have other keys than names.
      return [path[0]] + leaf.codingPath.prefix(path.count - 1)
    }
  }
}

struct RelationshipShape: Sendable {
  let name: String
  /// The name in earlier versions of the models.
  let originalName: String
  let isToMany: Bool
  let isOptional: Bool
  let destination: String
  let deleteRule: Schema.Relationship.DeleteRule
  /// The name of the other side.
  let inverse: String?
  let isInverseToMany: Bool
  /// The rule of the other side: what happens to this row when the related one is deleted.
  let inverseDeleteRule: Schema.Relationship.DeleteRule
  /// The least and the greatest number of members of a to-many relationship; 0 for any number.
  let minimum: Int
  let maximum: Int
  /// Whether rows store this side.
  let isStored: Bool

  /// Whether a row may be the related one of a single row only.
  var isExclusive: Bool { !isToMany && inverse != nil && !isInverseToMany }

  /// Whether the number of members is limited.
  var isCounted: Bool { isToMany && (minimum > 0 || maximum > 0) }

  /// Whether each row has to have a related one.
  var isRequired: Bool { !isToMany && !isOptional }

  fileprivate init(_ relationship: Schema.Relationship, of entity: Schema.Entity, in schema: Schema)
  {
    let destination = schema.entitiesByName[relationship.destination]
    let inverse = relationship.inverseName.flatMap { destination?.relationshipsByName[$0] }
    name = relationship.name
    originalName = relationship.originalName
    isToMany = !relationship.isToOneRelationship
    isOptional = relationship.isOptional
    minimum = relationship.minimumModelCount ?? 0
    maximum = relationship.maximumModelCount ?? 0
    self.destination = relationship.destination
    deleteRule = relationship.deleteRule
    self.inverse = inverse?.name
    isInverseToMany = inverse.map { !$0.isToOneRelationship } ?? true
    inverseDeleteRule = inverse?.deleteRule ?? .nullify
    guard let inverse, let destination else {
      isStored = true
      return
    }
    let side = RelationshipShape.rank(relationship, in: entity)
    let other = RelationshipShape.rank(inverse, in: destination)
    // A relationship that is its own inverse has one rank, and every row stores it.
    isStored = side <= other
  }

  /// To-one relationships are stored rather than to-many ones, required ones rather than optional
  /// ones, and otherwise the first by name.
  private static func rank(
    _ relationship: Schema.Relationship, in entity: Schema.Entity
  ) -> (Int, Int, String, String) {
    let owner =
      sequence(first: entity) { $0.superentity }
      .first { $0.storedPropertiesByName[relationship.name] != nil } ?? entity
    return (
      relationship.isToOneRelationship ? 0 : 1, relationship.isOptional ? 1 : 0, owner.name,
      relationship.name
    )
  }
}
