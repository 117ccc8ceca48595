extension Schema {
  /// A property of an entity that holds a value of its own.
  ///
  /// `valueType` is the declared type without `Optional`; `isOptional` says whether there was one.
  public class Attribute: SchemaProperty, @unchecked Sendable {
    /// The name of the property in its model.
    public var name: String

    /// The name that the property had in the version of the schema before; its name by default.
    public var originalName: String {
      get { givenOriginalName ?? name }
      set { givenOriginalName = newValue }
    }

    /// What `@Attribute` says about the property.
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

    /// The value that the declaration gives the property.
    public var defaultValue: Any?

    /// Whether the declared type is an `Optional`.
    public var isOptional: Bool

    /// A text that makes the version of the attribute different from others of the same shape.
    public var hashModifier: String?

    /// The key path from the model to the property; lost when a schema is encoded.
    package var keypath: AnyKeyPath?

    /// The name of the value type. Unlike the type it survives being encoded.
    package var valueTypeName: String

    private var givenOriginalName: String?

    /// Makes an attribute from what is written in `@Attribute(…)`; name and type come later.
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

    /// Decodes what `encode(to:)` wrote. Types that the framework does not know become `Any`.
    ///
    /// - Throws: `DecodingError` when the encoded form is another one.
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

    /// Encodes everything but the default value; the type by its name.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(givenOriginalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(valueTypeName, forKey: .valueType)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    /// Compares everything but the default values.
    public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
      lhs.isEqual(to: rhs)
    }

    /// Hashes name and type.
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
  /// `true`.
  public var isAttribute: Bool { true }

  /// `false`.
  public var isRelationship: Bool { false }

  /// `false`: a transient property does not become part of a schema.
  public var isTransient: Bool { false }

  /// Whether no two models of the entity may have the same value.
  public var isUnique: Bool { options.contains(.unique) }

  /// Whether a value transformer makes the stored form.
  public var isTransformable: Bool { transformerName != nil }

  /// Whether the value is stored whole, as it encodes itself.
  public var isCodable: Bool { options.contains(.codable) }

  /// The name of the value transformer that makes the stored form.
  package var transformerName: String? {
    options.lazy.compactMap(\.transformerName).first
  }

  /// How values of the attribute are stored.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer`, naming the type, when they cannot be.
  package func storageForm() throws -> StorageForm {
    if isTransformable { return .encoded }
    let form = try SwiftData.storageForm(of: valueType)
    return isCodable ? .encoded : form
  }
}
