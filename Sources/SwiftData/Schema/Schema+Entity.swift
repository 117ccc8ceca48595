extension Schema {
  /// The description of one model type: its properties, its place in a hierarchy, its constraints.
  public final class Entity: @unchecked Sendable {
    /// The name of the entity, which is the name of the model type.
    public final var name: String

    /// The entities of the subclasses of the model type.
    public final var subentities: Set<Schema.Entity> = []

    /// The name of the entity of the superclass.
    public final var superentityName: String?

    /// The entity of the superclass.
    public final var superentity: Schema.Entity? {
      get { parent }
      set {
        parent = newValue
        superentityName = newValue?.name
      }
    }

    /// The properties that the model type itself declares, in their order.
    public final var storedProperties: [any SchemaProperty] {
      get { own.list }
      set { own = PropertyList(newValue) }
    }

    /// The properties that the superclasses declare, those of the root first.
    public final var inheritedProperties: [any SchemaProperty] {
      get { inherited.list }
      set { inherited = PropertyList(newValue) }
    }

    /// The groups of properties of which no two models may have the same values.
    public final var uniquenessConstraints: [[String]] = []

    /// The groups of properties that are indexed.
    public final var indices: [[String]] = []

    /// The class that this entity describes; lost when a schema is encoded.
    final var _objectType: AnyClass?

    private var own = PropertyList([])
    private var inherited = PropertyList([])
    private weak var parent: Schema.Entity?

    /// Makes an entity without properties.
    public init(_ name: String) {
      self.name = name
    }

    /// Makes an entity with properties, and puts it above its subentities.
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

    /// Decodes what `encode(to:)` wrote.
    ///
    /// - Throws: `DecodingError` when the encoded form is another one.
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
  /// All properties, the inherited ones first.
  public final var properties: [any SchemaProperty] { inherited.list + own.list }

  /// The attributes, the inherited ones included.
  public final var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replaceOwn(Schema.Attribute.self, with: newValue.sorted { $0.name < $1.name }) }
  }

  /// The relationships, the inherited ones included.
  public final var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replaceOwn(Schema.Relationship.self, with: newValue.sorted { $0.name < $1.name }) }
  }

  /// The attributes by their names, the inherited ones included.
  public final var attributesByName: [String: Schema.Attribute] {
    get { byName(attributes) }
    set { attributes = Set(newValue.values) }
  }

  /// The relationships by their names, the inherited ones included.
  public final var relationshipsByName: [String: Schema.Relationship] {
    get { byName(relationships) }
    set { relationships = Set(newValue.values) }
  }

  /// The properties that the model type itself declares, by their names.
  public final var storedPropertiesByName: [String: any SchemaProperty] {
    get { own.byName }
    set { storedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// The properties that the superclasses declare, by their names.
  public final var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { inherited.byName }
    set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// The property of a name, inherited or not.
  package final func property(named name: String) -> (any SchemaProperty)? {
    own.byName[name] ?? inherited.byName[name]
  }

  /// The entity and those that it inherits from, the nearest first.
  package final var lineage: [Schema.Entity] { Array(sequence(first: self) { $0.superentity }) }

  /// The entity at the top of the hierarchy.
  package final var rootEntity: Schema.Entity { lineage.last ?? self }

  /// Whether the entity is the given one or stands below it.
  package final func isKind(of other: Schema.Entity) -> Bool {
    lineage.contains { $0 === other }
  }

  private func byName<P: SchemaProperty>(_ properties: Set<P>) -> [String: P] {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Keeps the order of what stays, and puts what is new behind it.
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

/// Properties in their order, and the same by name.
private struct PropertyList {
  let list: [any SchemaProperty]
  let byName: [String: any SchemaProperty]

  init(_ list: [any SchemaProperty]) {
    self.list = list
    byName = Dictionary(list.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
