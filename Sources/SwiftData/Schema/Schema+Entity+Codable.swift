extension Schema.Entity: Codable {
  private enum CodingKeys: CodingKey {
    case name, superentityName, subentities, storedProperties, inheritedProperties
    case uniquenessConstraints, indices
  }

  /// Decodes what `encode(to:)` wrote.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      properties: try container.decode([AnyProperty].self, forKey: .storedProperties)
        .map(\.property),
      superentityName: try container.decodeIfPresent(String.self, forKey: .superentityName))
    inheritedProperties = try container.decode([AnyProperty].self, forKey: .inheritedProperties)
      .map(\.property)
    uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
    indices = try container.decode([[String]].self, forKey: .indices)
    subentities = Set(try container.decode([Schema.Entity].self, forKey: .subentities))
    for subentity in subentities { subentity.superentity = self }
  }

  /// Encodes the entity with all that stands below it.
  public final func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(superentityName, forKey: .superentityName)
    try container.encode(storedProperties.compactMap(AnyProperty.init), forKey: .storedProperties)
    try container.encode(
      inheritedProperties.compactMap(AnyProperty.init), forKey: .inheritedProperties)
    try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    try container.encode(indices, forKey: .indices)
    try container.encode(subentities.sorted { $0.name < $1.name }, forKey: .subentities)
  }
}

/// A property with the name of its kind, so that it can be decoded again.
private enum AnyProperty: Codable {
  case attribute(Schema.Attribute)
  case composite(Schema.CompositeAttribute)
  case relationship(Schema.Relationship)

  init?(_ property: any SchemaProperty) {
    switch property {
    case let composite as Schema.CompositeAttribute: self = .composite(composite)
    case let attribute as Schema.Attribute: self = .attribute(attribute)
    case let relationship as Schema.Relationship: self = .relationship(relationship)
    default: return nil
    }
  }

  var property: any SchemaProperty {
    switch self {
    case .attribute(let attribute): attribute
    case .composite(let composite): composite
    case .relationship(let relationship): relationship
    }
  }
}
