// Overloads that generated code or the compiler selects for invalid declarations of a model. The
// compiler then reports one error at the user's line, instead of listing the candidates that it
// tried.

/// The root of key paths that name no property of `T`; it has members of every name.
@dynamicMemberLookup
public struct _AnyProperty<T> {
  /// Any property.
  public subscript(dynamicMember name: String) -> _AnyProperty<T> { self }

  /// Any property, in a key path that continues after an optional one.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> _AnyProperty<T>? { self }
}

/// Represents `Schema.Index.Types` if a key path names no property of `T`.
public enum _AnyIndex<T> {
  /// An ordinary index.
  case binary([PartialKeyPath<_AnyProperty<T>>])
  /// An index over numbers.
  case rtree([PartialKeyPath<_AnyProperty<T>>])
}

/// The key path to the inverse of a relationship, for generated code.
public func _keyPath<R, V>(from root: R.Type, _ keyPath: KeyPath<R, V>) -> AnyKeyPath { keyPath }

/// Replaces a key path that the compiler has rejected in the attribute of the relationship.
@_disfavoredOverload
public func _keyPath<R>(
  from root: R.Type, _ keyPath: PartialKeyPath<_AnyProperty<R>>
) -> AnyKeyPath { keyPath }

extension Schema.Unique {
  /// Replaces key paths that the compiler has rejected in `#Unique`.
  @_disfavoredOverload
  public convenience init(_ constraints: [PartialKeyPath<_AnyProperty<T>>]...) { self.init() }
}

extension Schema.Index {
  /// Replaces key paths that the compiler has rejected in `#Index`.
  @_disfavoredOverload
  public convenience init(_ indices: [PartialKeyPath<_AnyProperty<T>>]...) {
    self.init(.binary([]))
  }

  /// Replaces key paths that the compiler has rejected in `#Index`.
  @_disfavoredOverload
  public convenience init(_ indices: _AnyIndex<T>...) { self.init(.binary([])) }
}

// Extensions of `Decodable` and `Encodable` would make the compiler fail for all types that are decoded,
// in modules whose default isolation is the main actor.

extension PersistentModel where Self: Decodable {
  /// Rejects a model that is `Decodable` without its own `init(from:)`.
  ///
  /// - Throws: Nothing; it cannot be called.
  @available(
    *, unavailable,
    message: """
      the properties of a model are not decoded automatically; declare init(from:) in the class
      """
  )
  public init(from decoder: any Decoder) throws { throw SwiftDataError.unknownSchema }
}

extension PersistentModel where Self: Encodable {
  /// Rejects a model that is `Encodable` without its own `encode(to:)`.
  ///
  /// - Throws: Nothing; it cannot be called.
  @available(
    *, unavailable,
    message: """
      the properties of a model are not encoded automatically; declare encode(to:) in the class
      """
  )
  public func encode(to encoder: any Encoder) throws {}
}
