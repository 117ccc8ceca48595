extension Schema {
  /// A property of an entity that refers to other models.
  ///
  /// `valueType` is the declared type, including `Optional`.
  public final class Relationship: SchemaProperty, @unchecked Sendable {
    /// The name of the property in its model.
    public final var name: String

    /// The name of the property in the previous version of the schema; by default `name`.
    public final var originalName: String {
      get { givenOriginalName ?? name }
      set { givenOriginalName = newValue }
    }

    /// The key path from the model to the property; not encoded.
    public final var keypath: AnyKeyPath?

    /// The options in `@Relationship`.
    public final var options: [Schema.Relationship.Option]

    /// The declared type, including `Optional`.
    public final var valueType: any Any.Type {
      get { declaredType }
      set {
        declaredType = newValue
        (isToOne, isOptional) = Self.shape(of: newValue)
      }
    }

    /// The name of the related models' entity.
    public final var destination: String

    /// What happens to related models when this model is deleted.
    public final var deleteRule: Schema.Relationship.DeleteRule

    /// The name of the inverse relationship.
    public final var inverseName: String?

    /// The key path of the inverse relationship; not encoded.
    public final var inverseKeyPath: AnyKeyPath?

    /// The minimum number of related models; 0 means no limit.
    public final var minimumModelCount: Int?

    /// The maximum number of related models; 0 means no limit.
    public final var maximumModelCount: Int?

    /// Changes the version hash of the relationship, although its name and type stay the same.
    public final var hashModifier: String?

    /// Whether the declared type is an `Optional`.
    public final package(set) var isOptional: Bool

    private var declaredType: any Any.Type
    private var isToOne: Bool
    private var givenOriginalName: String?

    /// Makes a relationship from the arguments of `@Relationship(…)`; name, type and destination
    /// are set later.
    public init(
      _ options: Schema.Relationship.Option...,
      deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil,
      inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.name = ""
      self.givenOriginalName = originalName
      self.options = options
      declaredType = Any.self
      self.destination = ""
      self.deleteRule = deleteRule
      self.inverseKeyPath = inverse
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
      (isToOne, isOptional) = (true, false)
    }

    /// Decodes a relationship that `encode(to:)` has encoded, without key paths and type.
    ///
    /// - Throws: `DecodingError` if the encoded form is not valid.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      givenOriginalName = try container.decodeIfPresent(String.self, forKey: .originalName)
      options = try container.decode([Schema.Relationship.Option].self, forKey: .options)
      declaredType = Any.self
      destination = try container.decode(String.self, forKey: .destination)
      deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try container.decodeIfPresent(String.self, forKey: .inverse)
      minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      isToOne = try container.decode(Bool.self, forKey: .isToOne)
      isOptional = try container.decode(Bool.self, forKey: .isOptional)
    }

    /// Encodes all properties except the key paths and the type.
    ///
    /// - Throws: Any error of the encoder.
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

    /// Sets the declared type of a property whose kind is known.
    final func declare(_ type: any Any.Type, isToOne: Bool) {
      declaredType = type
      self.isToOne = isToOne
      isOptional = unwrappedType(of: type) != nil
    }

    private static func shape(of type: any Any.Type) -> (isToOne: Bool, isOptional: Bool) {
      let wrapped = unwrappedType(of: type)
      return (!((wrapped ?? type) is any Sequence.Type), wrapped != nil)
    }
  }
}

extension Schema.Relationship {
  /// Whether the relationship refers to at most one model.
  public final var isToOneRelationship: Bool { isToOne }

  /// Whether a model can be related to only one model of the entity.
  public final var isUnique: Bool { options.contains(.unique) }

  /// Always `false`.
  public final var isAttribute: Bool { false }

  /// Always `true`.
  public final var isRelationship: Bool { true }

  /// Always `false`: transient properties are not part of a schema.
  public final var isTransient: Bool { false }
}

extension Schema.Relationship: CustomDebugStringConvertible {
  /// Compares all properties except the key paths and the type.
  public static func == (lhs: Schema.Relationship, rhs: Schema.Relationship) -> Bool {
    lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
      && lhs.destination == rhs.destination && lhs.deleteRule == rhs.deleteRule
      && lhs.inverseName == rhs.inverseName
      && lhs.isToOneRelationship == rhs.isToOneRelationship && lhs.isOptional == rhs.isOptional
      && lhs.minimumModelCount == rhs.minimumModelCount
      && lhs.maximumModelCount == rhs.maximumModelCount && lhs.hashModifier == rhs.hashModifier
  }

  /// Hashes the name and the destination.
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
