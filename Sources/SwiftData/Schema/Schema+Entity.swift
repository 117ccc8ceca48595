extension Schema {
  /// The description of a model type: its properties, superentity, subentities and constraints.
  public final class Entity: @unchecked Sendable {
    /// The name of the entity, which is the unqualified name of the model type.
    public final var name: String

    /// The entities of the model type's subclasses.
    public final var subentities: Set<Schema.Entity> = []

    /// The name of the superclass' entity.
    public final var superentityName: String?

    /// The superclass' entity, held weakly.
    public final var superentity: Schema.Entity? {
      get { parent }
      set {
        parent = newValue
        superentityName = newValue?.name
      }
    }

    /// The properties that the model type itself declares, in the order of their declaration.
    public final var storedProperties: [any SchemaProperty] {
      get { own.list }
      set { own = PropertyList(newValue) }
    }

    /// The properties that superclasses declare, beginning with those of the root.
    public final var inheritedProperties: [any SchemaProperty] {
      get { inherited.list }
      set { inherited = PropertyList(newValue) }
    }

    /// Groups of properties whose combined values are unique.
    public final var uniquenessConstraints: [[String]] = []

    /// The groups of properties that are indexed.
    public final var indices: [[String]] = []

    /// The model class of the entity; not encoded.
    final var _objectType: AnyClass?

    private var own = PropertyList([])
    private var inherited = PropertyList([])
    private weak var parent: Schema.Entity?

    /// Makes an entity without properties.
    public init(_ name: String) {
      self.name = name
    }

    /// Makes an entity with properties, and sets it as the superentity of its subentities.
    public init(
      _ name: String, subentities: Schema.Entity..., properties: any SchemaProperty...
    ) {
      self.name = name
      self.own = PropertyList(properties)
      self.subentities = Set(subentities)
      for subentity in subentities { subentity.superentity = self }
    }

    /// Makes an entity with properties.
    public init(_ name: String, properties: any SchemaProperty...) {
      self.name = name
      self.own = PropertyList(properties)
    }

    init(name: String, properties: [any SchemaProperty], superentityName: String?) {
      self.name = name
      self.own = PropertyList(properties)
      self.superentityName = superentityName
    }

    /// Decodes an entity that `encode(to:)` has encoded.
    ///
    /// - Throws: `DecodingError` if the encoded form is not valid.
    public init(from decoder: any Decoder) throws {
      let encoded = try EncodedEntity(from: decoder)
      name = encoded.name
      superentityName = encoded.superentityName
      own = PropertyList(encoded.storedProperties.map(\.property))
      inherited = PropertyList(encoded.inheritedProperties.map(\.property))
      uniquenessConstraints = encoded.uniquenessConstraints
      indices = encoded.indices
      subentities = Set(encoded.subentities)
      for subentity in subentities { subentity.superentity = self }
    }
  }
}

extension Schema.Entity {
  /// All properties, beginning with inherited ones.
  public final var properties: [any SchemaProperty] { inherited.list + own.list }

  /// The attributes, including inherited ones. Setting replaces the entity's own attributes.
  public final var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replaceOwn(Schema.Attribute.self, with: newValue.sorted { $0.name < $1.name }) }
  }

  /// The relationships, including inherited ones. Setting replaces the entity's own relationships.
  public final var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replaceOwn(Schema.Relationship.self, with: newValue.sorted { $0.name < $1.name }) }
  }

  /// The attributes by name, including inherited ones.
  public final var attributesByName: [String: Schema.Attribute] {
    get { byName(attributes) }
    set { attributes = Set(newValue.values) }
  }

  /// The relationships by name, including inherited ones.
  public final var relationshipsByName: [String: Schema.Relationship] {
    get { byName(relationships) }
    set { relationships = Set(newValue.values) }
  }

  /// The properties that the model type itself declares, by name.
  public final var storedPropertiesByName: [String: any SchemaProperty] {
    get { own.byName }
    set { storedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// The properties that superclasses declare, by name.
  public final var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { inherited.byName }
    set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// The property with a name, own or inherited.
  package final func property(named name: String) -> (any SchemaProperty)? {
    own.byName[name] ?? inherited.byName[name]
  }

  /// The entity and its superentities, the nearest first.
  package final var lineage: [Schema.Entity] { Array(sequence(first: self) { $0.superentity }) }

  /// The root of the entity's hierarchy.
  package final var rootEntity: Schema.Entity { lineage.last ?? self }

  /// Whether the entity is the given one or a subentity of it.
  package final func isKind(of other: Schema.Entity) -> Bool {
    lineage.contains { $0 === other }
  }

  private func byName<P: SchemaProperty>(_ properties: Set<P>) -> [String: P] {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Keeps the order of remaining properties, and appends new ones.
  private func replaceOwn<P: SchemaProperty>(_ type: P.Type, with properties: [P]) {
    var new = properties.filter { inheritedPropertiesByName[$0.name] == nil }
    var kept: [any SchemaProperty] = []
    for property in storedProperties {
      if !(property is P) {
        kept.append(property)
      } else if let index = new.firstIndex(where: { $0.name == property.name }) {
        kept.append(new.remove(at: index))
      }
    }
    storedProperties = kept + new
  }
}

/// Properties in their order, and by name.
private struct PropertyList {
  let list: [any SchemaProperty]
  let byName: [String: any SchemaProperty]

  init(_ list: [any SchemaProperty]) {
    self.list = list
    byName = Dictionary(list.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
