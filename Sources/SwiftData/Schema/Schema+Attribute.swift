extension Schema {
  /// A property of an entity that stores a value, not a reference to a model.
  ///
  /// `valueType` is the declared type without `Optional`; `isOptional` is whether it was optional.
  public class Attribute: SchemaProperty, @unchecked Sendable {
    /// The name of the property in its model.
    public var name: String

    /// The name of the property in the previous version of the schema; by default `name`.
    public var originalName: String {
      get { givenOriginalName ?? name }
      set { givenOriginalName = newValue }
    }

    /// The options in `@Attribute`.
    public var options: [Schema.Attribute.Option]

    /// The declared type, without `Optional`.
    public var valueType: any Any.Type {
      didSet {
        if let wrapped = unwrappedType(of: valueType) {
          valueType = wrapped
          isOptional = true
        }
        valueTypeName = ValueTypeName.name(of: valueType)
      }
    }

    /// The default value in the declaration.
    public var defaultValue: Any?

    /// Whether the declared type is an `Optional`.
    public var isOptional: Bool

    /// Changes the version hash of the attribute, although its name and type stay the same.
    public var hashModifier: String?

    /// The key path from the model to the property; not encoded.
    package var keypath: AnyKeyPath?

    /// The name of the value type, which is encoded in its place.
    package var valueTypeName: String

    private var givenOriginalName: String?

    /// Makes an attribute from the arguments of `@Attribute(…)`; name and type are set later.
    public init(
      _ options: Schema.Attribute.Option..., originalName: String? = nil,
      hashModifier: String? = nil
    ) {
      self.name = ""
      self.givenOriginalName = originalName
      self.options = options
      self.valueType = Any.self
      self.valueTypeName = ValueTypeName.name(of: Any.self)
      self.isOptional = false
      self.hashModifier = hashModifier
    }

    /// Makes an attribute with a name and a type.
    public init(
      name: String, originalName: String? = nil, options: [Schema.Attribute.Option] = [],
      valueType: any Any.Type, defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      let wrapped = unwrappedType(of: valueType)
      self.name = name
      self.givenOriginalName = originalName
      self.options = options
      self.valueType = wrapped ?? valueType
      self.valueTypeName = ValueTypeName.name(of: wrapped ?? valueType)
      self.defaultValue = defaultValue
      self.isOptional = wrapped != nil
      self.hashModifier = hashModifier
    }

    /// Decodes an attribute that `encode(to:)` has encoded. Unknown types become `Any`.
    ///
    /// - Throws: `DecodingError` if the encoded form is not valid.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      givenOriginalName = try container.decodeIfPresent(String.self, forKey: .originalName)
      options = try container.decode([Schema.Attribute.Option].self, forKey: .options)
      valueTypeName = try container.decode(String.self, forKey: .valueType)
      valueType = ValueTypeName.type(named: valueTypeName)
      isOptional = try container.decode(Bool.self, forKey: .isOptional)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    /// Encodes all properties except the default value; the type is encoded by its name.
    ///
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(givenOriginalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(valueTypeName, forKey: .valueType)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    /// Compares all properties except the default values.
    public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
      lhs.isEqual(to: rhs)
    }

    /// Hashes the name and the type.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(valueTypeName)
    }

    /// The name, type and options of the attribute.
    public var debugDescription: String {
      Self.describe("Attribute", name, valueTypeName, isOptional: isOptional, options: options)
    }

    func isEqual(to other: Schema.Attribute) -> Bool {
      type(of: self) == type(of: other) && name == other.name
        && originalName == other.originalName && options == other.options
        && valueTypeName == other.valueTypeName && isOptional == other.isOptional
        && hashModifier == other.hashModifier
    }
  }
}

extension Schema.Attribute {
  private enum CodingKeys: CodingKey {
    case name, originalName, options, valueType, isOptional, hashModifier
  }

  static func describe(
    _ kind: String, _ name: String, _ type: String, isOptional: Bool,
    options: [Schema.Attribute.Option]
  ) -> String {
    let listed = options.map(\.debugDescription).joined(separator: ", ")
    return "\(kind)(\(name): \(type)\(isOptional ? "?" : ""))"
      + (options.isEmpty ? "" : " [\(listed)]")
  }
}

extension Schema.Attribute: CustomDebugStringConvertible {
  /// Always `true`.
  public var isAttribute: Bool { true }

  /// Always `false`.
  public var isRelationship: Bool { false }

  /// Always `false`: transient properties are not part of a schema.
  public var isTransient: Bool { false }

  /// Whether values of the attribute are unique in the entity.
  public var isUnique: Bool { options.contains(.unique) }

  /// Whether values are stored in the form that a value transformer makes.
  public var isTransformable: Bool { transformerName != nil }

  /// Whether the encoded value is stored in a single column.
  public var isCodable: Bool { options.contains(.codable) }

  /// The name of the attribute's value transformer.
  package var transformerName: String? {
    options.lazy.compactMap(\.transformerName).first
  }

  /// How values of the attribute are stored.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer`, with the type, if they cannot be stored.
  package func storageForm() throws -> StorageForm {
    if isTransformable { return .encoded }
    // The parts of a value that is encoded as a whole need no column of their own.
    if isCodable, valueType is any Encodable.Type { return .encoded }
    let form = try SwiftData.storageForm(of: valueType)
    return isCodable ? .encoded : form
  }
}
