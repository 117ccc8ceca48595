extension Schema.Entity: Codable {
  /// Encodes the entity, with its properties and subentities.
  ///
  /// - Throws: Any error of the encoder.
  public final func encode(to encoder: any Encoder) throws {
    try EncodedEntity(
      name: name, superentityName: superentityName,
      storedProperties: storedProperties.compactMap(AnyProperty.init),
      inheritedProperties: inheritedProperties.compactMap(AnyProperty.init),
      uniquenessConstraints: uniquenessConstraints, indices: indices,
      subentities: subentities.sorted { $0.name < $1.name }
    ).encode(to: encoder)
  }
}

/// The encoded form of an entity.
struct EncodedEntity: Codable {
  var name: String
  var superentityName: String?
  var storedProperties: [AnyProperty]
  var inheritedProperties: [AnyProperty]
  var uniquenessConstraints: [[String]]
  var indices: [[String]]
  var subentities: [Schema.Entity]
}

/// A property with the name of its kind, by which it is decoded.
enum AnyProperty: Codable {
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
