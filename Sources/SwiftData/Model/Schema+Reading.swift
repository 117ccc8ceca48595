extension Schema {
  /// Creates a schema of model classes and the classes that their relationships refer to.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Schema.Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Creates a schema of model classes and the classes that their relationships refer to.
  ///
  /// Subclasses are not found that way and must be listed. A listed class replaces all classes of
  /// its name, so a class of an older version may be listed together with the new versions of the
  /// classes that its relationships refer to.
  /// - Parameters:
  ///   - types: The model classes.
  ///   - version: The version of the schema.
  public convenience init(
    _ types: [any PersistentModel.Type], version: Schema.Version = Version(1, 0, 0)
  ) {
    var reading = SchemaBuilder(listed: types)
    for type in types { reading.add(type) }
    self.init(entities: reading.entities, version: version, problems: reading.problems)
  }

  /// The entity of a model class.
  public final func entity<T>(for type: T.Type) -> Schema.Entity? where T: PersistentModel {
    entitiesByName[type._$descriptor.entityName]
  }

  /// The name of the entity of a model class.
  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel {
    type._$descriptor.entityName
  }

  /// The descriptors of the model classes, by entity name.
  package final var descriptors: [String: _ModelDescriptor] {
    entitiesByName.compactMapValues { $0.modelType?._$descriptor }
  }

  /// The descriptor of an entity's class; `nil` for a decoded schema.
  final func descriptor(named entity: String) -> _ModelDescriptor? {
    entitiesByName[entity]?.modelType?._$descriptor
  }
}

extension Schema.Entity {
  /// The type whose models this entity describes; not part of an encoded schema.
  package final var modelType: (any PersistentModel.Type)? {
    get { _objectType.flatMap(KnownModels.model) }
    set { _objectType = newValue }
  }
}

/// Collects entities from model classes, following relationships and superclasses.
///
/// A relationship refers to an entity by name: if the schema lists a class of that name, the
/// declared destination, a class of another version, is not added.
private struct SchemaBuilder {
  private(set) var entities: [Schema.Entity] = []
  private(set) var problems: [SwiftDataError] = []
  private var seen: Set<ObjectIdentifier> = []
  private let listedNames: Set<String>

  init(listed types: [any PersistentModel.Type]) {
    KnownModels.note(types)
    listedNames = Set(types.map(SchemaBuilder.entityName))
  }

  mutating func add(_ type: any PersistentModel.Type) {
    guard seen.insert(ObjectIdentifier(type)).inserted else { return }
    let descriptor = type._$descriptor
    guard descriptor.type == type else {
      problems.append(
        .loadIssueModelContainer.with(
          "\(type) inherits from the model \(descriptor.type) but is not a model. Add @Model to it, or list "
            + "\(descriptor.type) instead.", entity: _ModelDescriptor.entityName(of: type)))
      return
    }
    problems += descriptor.problems
    if let superclass = descriptor.superclass { add(superclass) }
    let inherited = descriptor.superclass?._$descriptor.slotCount ?? 0
    // New attributes and relationships for each schema, because inference changes them.
    let fresh = type.schemaMetadata.filter { !($0.metadata is any KeyPathConstraint) }
    var properties: [any SchemaProperty] = []
    for (slot, property) in descriptor.properties.enumerated() where slot >= inherited {
      guard slot < fresh.count else { continue }
      properties.append(SchemaBuilder.property(property, fresh[slot]))
    }
    let entity = Schema.Entity(
      name: descriptor.entityName, properties: properties,
      superentityName: descriptor.superclass?._$descriptor.entityName)
    entity.modelType = type
    let inheritedUnique = descriptor.superclass?._$descriptor.uniqueConstraints ?? []
    let inheritedIndices = descriptor.superclass?._$descriptor.indices ?? []
    entity.uniquenessConstraints = descriptor.uniqueConstraints.filter {
      !inheritedUnique.contains($0)
    }
    entity.indices = descriptor.indices.filter { !inheritedIndices.contains($0) }
    entities.append(entity)
    for property in descriptor.properties {
      if let destination = property.destination { follow(destination) }
    }
  }

  private mutating func follow(_ destination: any PersistentModel.Type) {
    if !listedNames.contains(SchemaBuilder.entityName(of: destination)) { add(destination) }
  }

  /// The name that the descriptor has made already, except for a class that is no model itself.
  private static func entityName(of type: any PersistentModel.Type) -> String {
    let descriptor = type._$descriptor
    return descriptor.type == type ? descriptor.entityName : _ModelDescriptor.entityName(of: type)
  }

  private static func property(
    _ property: ModelProperty, _ fresh: Schema.PropertyMetadata
  ) -> any SchemaProperty {
    let declared = Swift.type(of: property.keyPath).valueType
    if let destination = property.destination {
      let relationship = fresh.metadata as? Schema.Relationship ?? Schema.Relationship()
      relationship.name = property.name
      relationship.declare(declared, isToOne: property.isToOne)
      relationship.keypath = property.keyPath
      relationship.destination = destination._$descriptor.entityName
      if relationship.inverseName == nil, let keyPath = relationship.inverseKeyPath,
        let slot = destination._$descriptor.slot(for: keyPath)
      {
        relationship.inverseName = destination._$descriptor.properties[slot].name
      }
      return relationship
    }
    let written = fresh.metadata as? Schema.Attribute
    if case .attribute(.composite(let leaves)) = property.form {
      let composite = Schema.CompositeAttribute(
        name: property.name, originalName: written?.originalName, options: written?.options ?? [],
        valueType: property.valueType, defaultValue: fresh.defaultValue,
        hashModifier: written?.hashModifier)
      composite.isOptional = property.isOptional
      composite.keypath = property.keyPath
      composite.properties = leaves.map { leaf in
        let attribute = Schema.Attribute(name: leaf.name, valueType: leaf.form.valueType)
        attribute.isOptional = leaf.isOptional
        return attribute
      }
      return composite
    }
    // `@Relationship(.unique)` on a value means the option of an attribute.
    let isUnique = (fresh.metadata as? Schema.Relationship)?.isUnique ?? false
    let attribute = written ?? (isUnique ? Schema.Attribute(.unique) : Schema.Attribute())
    attribute.name = property.name
    attribute.valueType = property.valueType
    attribute.isOptional = property.isOptional
    attribute.defaultValue = fresh.defaultValue
    attribute.keypath = property.keyPath
    return attribute
  }
}
