public import Foundation

/// Makes a property whose value is the models of a class, fetched when it is read and kept up to date.
///
/// ```swift
/// @MainActor
/// final class TripsModel {
///   @Query(sort: \.start) var trips: [Trip]
///   @Query(filter: #Predicate<Stop> { $0.trip == nil }) private var looseStops: [Stop]
///   @Query(sort: \.name, sectionBy: \.name) var byName: SectionedResults<Trip, String>
/// }
/// ```
///
/// The type of the property says what is fetched: an array of models, or sections of them. Another property,
/// with an underscore before the name, is the ``Query`` behind it: `_trips.fetchError`, `_trips.modelContext`,
/// `_trips.sections`. An initialiser may set it: `_trips = Query(filter: …)`.
///
/// The property belongs to a class or structure of the main actor. In a class with `@Observable` write
/// `@Query @ObservationIgnored var`, in this order; reads are observed all the same. A memberwise initialiser has a
/// parameter for the underscored property, with a default.
///
/// The container is that of a scope, or the installed one. See <doc:UserInterfaces>.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of all models of a class; for views that animate changes.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(animation: Animation) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of all models of a class; for views that change in a transaction.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(transaction: Transaction) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Makes a property of the models of a request.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, transaction: Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models of a request; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(_ descriptor: FetchDescriptor<Element>, animation: Animation) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  transaction: Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  animation: Animation
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by a property of theirs.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, transaction: Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by a property of theirs; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, animation: Animation
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by an optional property.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, transaction: Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Makes a property of the models that meet a predicate, ordered by an optional property; for views that animate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, animation: Animation
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel
