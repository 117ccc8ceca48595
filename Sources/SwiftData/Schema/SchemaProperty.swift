/// What attributes, relationships, indexes and uniqueness constraints of an entity have in common.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The name of the property in its model.
  var name: String { get set }

  /// The name that the property had in the version of the schema before.
  var originalName: String { get set }

  /// The type of the property.
  var valueType: any Any.Type { get set }

  /// Whether the property holds a value of its own.
  var isAttribute: Bool { get }

  /// Whether the property leads to other models.
  var isRelationship: Bool { get }

  /// Whether the property is left out of the store.
  var isTransient: Bool { get }

  /// Whether the property may have no value.
  var isOptional: Bool { get }

  /// Whether no two models of the entity may have the same value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// `false` unless the property says otherwise.
  public var isAttribute: Bool { false }

  /// `false` unless the property says otherwise.
  public var isRelationship: Bool { false }

  /// `false`: what is transient does not become part of a schema.
  public var isTransient: Bool { false }

  /// Whether the type of the property is an `Optional`.
  public var isOptional: Bool { unwrappedType(of: valueType) != nil }
}

extension SchemaProperty {
  /// Equality with a property of any kind.
  package func isEqual(to other: any SchemaProperty) -> Bool {
    (other as? Self) == self
  }
}
