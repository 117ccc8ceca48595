public import Foundation

/// Declares a property whose value is the models of a class, fetched when it is read and kept up to
/// date.
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
/// The type of the property determines what is fetched: an array of models, or sections of them. A
/// second property, with an underscore before the name, is the underlying ``Query``:
/// `_trips.fetchError`, `_trips.modelContext`, `_trips.sections`. An initialiser may set it:
/// `_trips = Query(filter: …)`.
///
/// The property must belong to a class or structure of the main actor. In a class with
/// `@Observable` write `@Query @ObservationIgnored var`, in this order; reads are still observed. A
/// memberwise initialiser has a parameter for the underscored property, with a default.
///
/// In a class the underscored property is as private as the declared one. In a structure it is as
/// visible as the structure, so that the memberwise initialiser is too, unless the declared one is
/// `fileprivate`. With queries of a private model declare them `fileprivate`, or the structure `private`.
///
/// The container is that of an enclosing `withModelContainer`, or ``ModelContainer/installed``. See
/// <doc:UserInterfaces>.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with all models of a class; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(animation: _SwiftData_SwiftUI.Animation) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with all models of a class; with a transaction.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query(transaction: _SwiftData_SwiftUI.Transaction) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")

/// Declares a property with the models of a fetch descriptor.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, transaction: _SwiftData_SwiftUI.Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models of a fetch descriptor; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  _ descriptor: FetchDescriptor<Element>, animation: _SwiftData_SwiftUI.Animation
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  transaction: _SwiftData_SwiftUI.Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate; with animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Element>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  animation: _SwiftData_SwiftUI.Animation
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by a property.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by a property; with
/// animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by an optional property.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, transaction: _SwiftData_SwiftUI.Transaction? = nil
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel

/// Declares a property with the models that match a predicate, sorted by an optional property; with
/// animation.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query<Value, Element>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, animation: _SwiftData_SwiftUI.Animation
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "QueryMacro")
where Value: Comparable, Element: PersistentModel
