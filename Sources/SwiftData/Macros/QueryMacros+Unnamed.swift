public import Foundation

// `@Query` whose arguments do not name the class of the models:
// `@Query(sort: \.start) var trips: [Trip]`. The compiler checks the arguments of a macro before it
// knows the property, so key paths there start at `_UnnamedModel`, which has members of every name.
// In the expansion they start at the class.

/// Represents the class of the models if a query's arguments do not name it.
@dynamicMemberLookup
public struct _UnnamedModel {
  /// Represents a property.
  public subscript(dynamicMember name: String) -> _UnnamedValue { _UnnamedValue() }

  /// Represents a property that is followed by `?`.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> _UnnamedValue? { nil }

  /// Represents a property that is compared as text.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> String { "" }
}

/// Represents the value of a property of an unnamed model.
@dynamicMemberLookup
public struct _UnnamedValue: Comparable {
  /// Represents a property.
  public subscript(dynamicMember name: String) -> _UnnamedValue { _UnnamedValue() }

  /// Represents a property that is followed by `?`.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> _UnnamedValue? { nil }

  /// Represents a property that is compared as text.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> String { "" }

  /// Always false: there is only one value.
  public static func < (lhs: _UnnamedValue, rhs: _UnnamedValue) -> Bool { false }
}

/// Declares a property with models, sorted by a property.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort keyPath: PartialKeyPath<_UnnamedModel>, order: SortOrder = .forward,
  transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with models, sorted by a property; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort keyPath: PartialKeyPath<_UnnamedModel>, order: SortOrder = .forward,
  animation: _SwiftData_SwiftUI.Animation,
  sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with models in an order.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort descriptors: [SortDescriptor<_UnnamedModel>],
  transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with models in an order; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  sort descriptors: [SortDescriptor<_UnnamedModel>], animation: _SwiftData_SwiftUI.Animation,
  sectionBy: PartialKeyPath<_UnnamedModel>? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with models in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  transaction: _SwiftData_SwiftUI.Transaction? = nil, sectionBy: PartialKeyPath<_UnnamedModel>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with models in sections; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(
  animation: _SwiftData_SwiftUI.Animation, sectionBy: PartialKeyPath<_UnnamedModel>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
