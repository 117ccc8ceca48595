/// Declarations that generated code or the compiler chooses for what a model must not say, so that the compiler
/// says so once, at the line of the user, instead of listing what it tried.

/// The root of key paths that name no property of `T`; every name leads to another one.
@dynamicMemberLookup
public struct _AnyProperty<T> {
  /// Any property.
  public subscript(dynamicMember name: String) -> _AnyProperty<T> { self }

  /// Any property, where the key path goes on behind an optional one.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> _AnyProperty<T>? { self }
}

/// Stands for `Schema.Index.Types` where a key path names no property of `T`.
public enum _AnyIndex<T> {
  /// An ordinary index.
  case binary([PartialKeyPath<_AnyProperty<T>>])
  /// An index over numbers.
  case rtree([PartialKeyPath<_AnyProperty<T>>])
}

/// The key path to the inverse of a relationship, for generated code.
public func _keyPath<R, V>(from root: R.Type, _ keyPath: KeyPath<R, V>) -> AnyKeyPath { keyPath }

/// Stands for a key path that the compiler has refused in the attribute of the relationship.
@_disfavoredOverload
public func _keyPath<R>(
  from root: R.Type, _ keyPath: PartialKeyPath<_AnyProperty<R>>
) -> AnyKeyPath { keyPath }

extension Schema.Unique {
  /// Stands for key paths that the compiler has refused in `#Unique`.
  @_disfavoredOverload
  public convenience init(_ constraints: [PartialKeyPath<_AnyProperty<T>>]...) { self.init() }
}

extension Schema.Index {
  /// Stands for key paths that the compiler has refused in `#Index`.
  @_disfavoredOverload
  public convenience init(_ indices: [PartialKeyPath<_AnyProperty<T>>]...) {
    self.init(.binary([]))
  }

  /// Stands for key paths that the compiler has refused in `#Index`.
  @_disfavoredOverload
  public convenience init(_ indices: _AnyIndex<T>...) { self.init(.binary([])) }
}

extension Decodable where Self: PersistentModel {
  /// Refuses a model that is `Decodable` and does not say how.
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

extension Encodable where Self: PersistentModel {
  /// Refuses a model that is `Encodable` and does not say how.
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
