public import Foundation

// `@Query` with sections. The property is declared as `SectionedResults<Trip, String>`, or as `[Trip]`, with the sections in
// `_trips.sections`. The order of the sections' titles comes before any other.

/// Makes a property of the models of a request, in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil,
  sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models of a request, in sections that may have no title.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil,
  sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models of a request, in sections; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, animation: Animation, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models of a request, in sections that may have no title; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, animation: Animation, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate, in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  transaction: Transaction? = nil, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate, in sections that may have no title.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate, in sections; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  animation: Animation, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate, in sections that may have no title; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  animation: Animation, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by a property of theirs, in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, transaction: Transaction? = nil, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by a property of theirs, in sections that may have no title.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by a property of theirs, in sections; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by a property of theirs, in sections that may have no title; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by an optional property, in sections.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, transaction: Transaction? = nil, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by an optional property, in sections that may have no title.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, transaction: Transaction? = nil, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by an optional property, in sections; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by an optional property, in sections that may have no title; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, animation: Animation, sectionBy: KeyPath<Element, String?>
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel
