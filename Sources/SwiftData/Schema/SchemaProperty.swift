/// The requirements that attributes, relationships, indexes and unique constraints share.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The name of the property in its model.
  var name: String { get set }

  /// The name of the property in the previous version of the schema.
  var originalName: String { get set }

  /// The type of the property.
  var valueType: any Any.Type { get set }

  /// Whether the property stores a value.
  var isAttribute: Bool { get }

  /// Whether the property refers to other models.
  var isRelationship: Bool { get }

  /// Whether the property is not stored.
  var isTransient: Bool { get }

  /// Whether the property may be nil.
  var isOptional: Bool { get }

  /// Whether values of the property are unique in the entity.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// By default `false`.
  public var isAttribute: Bool { false }

  /// By default `false`.
  public var isRelationship: Bool { false }

  /// By default `false`: transient properties are not part of a schema.
  public var isTransient: Bool { false }

  /// Whether the type of the property is an `Optional`.
  public var isOptional: Bool { unwrappedType(of: valueType) != nil }
}

extension SchemaProperty {
  /// Whether a property of any kind equals this one.
  package func isEqual(to other: any SchemaProperty) -> Bool {
    (other as? Self) == self
  }
}
