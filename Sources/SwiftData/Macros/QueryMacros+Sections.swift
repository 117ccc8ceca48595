public import Foundation

// `@Query` with sections. The property is declared as `SectionedResults<Trip, String>`, or as
// `[Trip]` with the sections in `_trips.sections`. The order of the section titles comes before any
// other order.

/// Declares a property with the models of a fetch descriptor, in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models of a fetch descriptor, in sections with optional titles.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models of a fetch descriptor, in sections; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation,
  sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models of a fetch descriptor, in sections with optional titles;
/// with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation,
  sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate, in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  transaction: _SwiftData_SwiftUI.Transaction? = nil, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate, in sections with optional titles.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  transaction: _SwiftData_SwiftUI.Transaction? = nil, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate, in sections; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  animation: _SwiftData_SwiftUI.Animation, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate, in sections with optional titles;
/// with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  animation: _SwiftData_SwiftUI.Animation, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by a property, in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by a property, in sections
/// with optional titles.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by a property, in sections;
/// with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
  sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by a property, in sections
/// with optional titles; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
  sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by an optional property, in
/// sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by an optional property, in
/// sections with optional titles.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil,
  sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by an optional property, in
/// sections; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
  sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by an optional property, in
/// sections with optional titles; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation,
  sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel
