extension Schema {
  /// A property of an entity that leads to other models.
  ///
  /// `valueType` is the declared type as it stands, `Optional` included.
  public final class Relationship: SchemaProperty, @unchecked Sendable {
    /// The name of the property in its model.
    public final var name: String

    /// The name that the property had in the version of the schema before; its name by default.
    public final var originalName: String {
      get { givenOriginalName ?? name }
      set { givenOriginalName = newValue }
    }

    /// The key path from the model to the property; lost when a schema is encoded.
    public final var keypath: AnyKeyPath?

    /// What `@Relationship` says about the property.
    public final var options: [Schema.Relationship.Option]

    /// The declared type, `Optional` included.
    public final var valueType: any Any.Type {
      didSet { (isToOne, isOptional) = Self.shape(of: valueType) }
    }

    /// The name of the entity that the relationship leads to.
    public final var destination: String

    /// What happens to the models at the other end when this one is deleted.
    public final var deleteRule: Schema.Relationship.DeleteRule

    /// The name of the relationship that leads back.
    public final var inverseName: String?

    /// The key path of the relationship that leads back; lost when a schema is encoded.
    public final var inverseKeyPath: AnyKeyPath?

    /// The smallest number of models at the other end; 0 stands for no limit.
    public final var minimumModelCount: Int?

    /// The largest number of models at the other end; 0 stands for no limit.
    public final var maximumModelCount: Int?

    /// A text that makes the version of the relationship different from others of its shape.
    public final var hashModifier: String?

    /// Whether the relationship may lead nowhere.
    public final package(set) var isOptional: Bool

    private var isToOne: Bool
    private var givenOriginalName: String?

    /// Makes a relationship from what is written in `@Relationship(…)`; name, type and
    /// destination come later.
    public init(
      _ options: Schema.Relationship.Option...,
      deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil,
      inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.name = ""
      self.givenOriginalName = originalName
      self.options = options
      self.valueType = Any.self
      self.destination = ""
      self.deleteRule = deleteRule
      self.inverseKeyPath = inverse
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
      (isToOne, isOptional) = Self.shape(of: Any.self)
    }

    /// Decodes what `encode(to:)` wrote. Key paths and the type are lost.
    ///
    /// - Throws: `DecodingError` when the encoded form is another one.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      givenOriginalName = try container.decodeIfPresent(String.self, forKey: .originalName)
      options = try container.decode([Schema.Relationship.Option].self, forKey: .options)
      valueType = Any.self
      destination = try container.decode(String.self, forKey: .destination)
      deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try container.decodeIfPresent(String.self, forKey: .inverse)
      minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      isToOne = try container.decode(Bool.self, forKey: .isToOne)
      isOptional = try container.decode(Bool.self, forKey: .isOptional)
    }

    /// Encodes everything but the key paths and the type.
    ///
    /// - Throws: What the encoder throws.
    public final func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(givenOriginalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(destination, forKey: .destination)
      try container.encode(deleteRule, forKey: .deleteRule)
      try container.encodeIfPresent(inverseName, forKey: .inverse)
      try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
      try container.encode(isToOne, forKey: .isToOne)
      try container.encode(isOptional, forKey: .isOptional)
    }

    private enum CodingKeys: CodingKey {
      case name, originalName, options, destination, deleteRule, inverse, minimumModelCount
      case maximumModelCount, hashModifier, isToOne, isOptional
    }

    private static func shape(of type: any Any.Type) -> (isToOne: Bool, isOptional: Bool) {
      let wrapped = unwrappedType(of: type)
      return (!((wrapped ?? type) is any Sequence.Type), wrapped != nil)
    }
  }
}

extension Schema.Relationship {
  /// Whether at most one model is at the other end.
  public final var isToOneRelationship: Bool { isToOne }

  /// Whether no two models of the entity may lead to the same model.
  public final var isUnique: Bool { options.contains(.unique) }

  /// `false`.
  public final var isAttribute: Bool { false }

  /// `true`.
  public final var isRelationship: Bool { true }

  /// `false`: a transient property does not become part of a schema.
  public final var isTransient: Bool { false }
}

extension Schema.Relationship: CustomDebugStringConvertible {
  /// Compares everything but the key paths.
  public static func == (lhs: Schema.Relationship, rhs: Schema.Relationship) -> Bool {
    lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
      && lhs.destination == rhs.destination && lhs.deleteRule == rhs.deleteRule
      && lhs.inverseName == rhs.inverseName
      && lhs.isToOneRelationship == rhs.isToOneRelationship && lhs.isOptional == rhs.isOptional
      && lhs.minimumModelCount == rhs.minimumModelCount
      && lhs.maximumModelCount == rhs.maximumModelCount && lhs.hashModifier == rhs.hashModifier
  }

  /// Hashes name and destination.
  public final func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(destination)
  }

  /// The name, destination, inverse and delete rule of the relationship.
  public final var debugDescription: String {
    let type = isToOneRelationship ? destination : "[\(destination)]"
    let inverse = inverseName.map { " <-> \(destination).\($0)" } ?? ""
    return "Relationship(\(name): \(type)\(isOptional ? "?" : "")\(inverse), .\(deleteRule))"
  }
}
