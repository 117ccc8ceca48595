extension Schema {
  /// An attribute that is stored in several columns: a `Codable` struct or enum.
  public final class CompositeAttribute: Schema.Attribute, @unchecked Sendable {
    /// The leaves of the value at any depth, one per column.
    public final var properties: [Schema.Attribute]

    /// Makes an attribute whose `properties` are the leaves of the type.
    public override init(
      name: String, originalName: String? = nil, options: [Schema.Attribute.Option] = [],
      valueType: any Any.Type, defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      properties = Self.leaves(of: valueType, name: name)
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType,
        defaultValue: defaultValue, hashModifier: hashModifier)
    }

    /// Decodes an attribute that `encode(to:)` has encoded.
    ///
    /// - Throws: `DecodingError` if the encoded form is not valid.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      properties = try container.decode([Schema.Attribute].self, forKey: .properties)
      try super.init(from: decoder)
    }

    /// Encodes the attribute and its leaves.
    public override final func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(properties, forKey: .properties)
    }

    /// Compares all properties, including the leaves, except the default values.
    public static func == (
      lhs: Schema.CompositeAttribute, rhs: Schema.CompositeAttribute
    ) -> Bool {
      lhs.isEqual(to: rhs)
    }

    /// The name and type of the attribute, and its leaves.
    public override final var debugDescription: String {
      let leaves = properties.map { "\($0.name): \($0.valueTypeName)\($0.isOptional ? "?" : "")" }
      return Self.describe(
        "CompositeAttribute", name, valueTypeName, isOptional: isOptional, options: options)
        + " { \(leaves.joined(separator: ", ")) }"
    }

    override func isEqual(to other: Schema.Attribute) -> Bool {
      guard let other = other as? CompositeAttribute else { return false }
      return super.isEqual(to: other) && properties == other.properties
    }

    private enum CodingKeys: CodingKey {
      case properties
    }

    private static func leaves(of type: any Any.Type, name: String) -> [Schema.Attribute] {
      let isOptional = unwrappedType(of: type) != nil
      switch try? SwiftData.storageForm(of: type) {
      case .composite(let leaves):
        return leaves.map { leaf in
          let leafName = leaf.path.isEmpty ? name : leaf.name
          let attribute = Schema.Attribute(name: leafName, valueType: leaf.valueType)
          attribute.isOptional = isOptional || leaf.isOptional
          return attribute
        }
      case .rawValue:
        // The leaf of an enum is always optional, as in files of Apple's framework.
        let attribute = Schema.Attribute(name: name, valueType: type)
        attribute.isOptional = true
        return [attribute]
      case .scalar, .encoded, nil:
        return []
      }
    }
  }
}
