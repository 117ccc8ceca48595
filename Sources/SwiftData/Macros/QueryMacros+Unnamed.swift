public import Foundation

// `@Query` whose arguments leave the class of the models to the property: `@Query(sort: \.start) var trips: [Trip]`.
// The compiler looks at the arguments of a macro before it knows the property, so key paths begin at `_UnnamedModel`
// there, which has members of every name. In the expansion they begin at the class.

/// Stands for the class of the models where a query's arguments do not name it.
@dynamicMemberLookup
public struct _UnnamedModel {
  /// Stands for a property.
  public subscript(dynamicMember name: String) -> _UnnamedValue { _UnnamedValue() }

  /// Stands for a property that is followed by `?`.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> _UnnamedValue? { nil }

  /// Stands for a property that is compared as text.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> String { "" }
}

/// Stands for the value of a property of an unnamed model.
@dynamicMemberLookup
public struct _UnnamedValue: Comparable {
  /// Stands for a property.
  public subscript(dynamicMember name: String) -> _UnnamedValue { _UnnamedValue() }

  /// Stands for a property that is followed by `?`.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> _UnnamedValue? { nil }

  /// Stands for a property that is compared as text.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> String { "" }

  /// Compares nothing; there is one value.
  public static func < (lhs: _UnnamedValue, rhs: _UnnamedValue) -> Bool { false }
}

/// Makes a property of models, ordered by a property of theirs.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort keyPath: PartialKeyPath<_UnnamedModel>, order: SortOrder = .forward,
  transaction: Transaction? = nil, sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of models, ordered by a property of theirs; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort keyPath: PartialKeyPath<_UnnamedModel>, order: SortOrder = .forward, animation: Animation,
  sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of models in an order.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort descriptors: [SortDescriptor<_UnnamedModel>], transaction: Transaction? = nil,
  sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of models in an order; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort descriptors: [SortDescriptor<_UnnamedModel>], animation: Animation,
  sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of models in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(transaction: Transaction? = nil, sectionBy: PartialKeyPath<_UnnamedModel>) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of models in sections; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(animation: Animation, sectionBy: PartialKeyPath<_UnnamedModel>) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
