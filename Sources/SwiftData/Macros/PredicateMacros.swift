public import Foundation

// Models and the transactions of a history share no protocol of this package except these two, so
// the compiler has one overload to try besides Foundation's. Each additional overload, and each
// requirement that only some inputs meet, multiplies the time to infer the types of a condition
// (`Scripts/measure-type-checking`).

/// Creates a condition on the models of one type, for fetches and for testing models in memory.
///
/// ```swift
/// let place = "Belém"
/// let visits = #Predicate<Trip> { trip in
///   trip.stops.contains { $0.place == place }
/// }
/// let trips = try context.fetch(FetchDescriptor(predicate: visits))
/// ```
///
/// Conditions on the transactions of a history are written in the same way:
///
/// ```swift
/// func news(after token: DefaultHistoryToken) -> Predicate<DefaultHistoryTransaction> {
///   let names = ["Trip", "Stop"]
///   return #Predicate<DefaultHistoryTransaction> { transaction in
///     transaction.token > token && transaction.author != "widget"
///       && transaction.changes.contains {
///         names.contains($0.changedPersistentIdentifier.entityName)
///       }
///   }
/// }
/// ```
///
/// There `nil` follows Swift: `$0.author != "import"` is true for a transaction without author.
///
/// Parts of the closure that do not use its parameters are evaluated once, when the predicate is
/// created, and must be `Codable`; a captured model is compared by its identifier. A step in them
/// that would stop the program (`!` on nil, an index outside of an array, a division by zero) makes
/// the condition false where it is reached, so `folder == nil || $0.folder == folder!` is allowed.
/// In addition to what Foundation's macro accepts, this one accepts `guard`, `let`, `switch`,
/// enumeration cases without their type, text methods such as `hasPrefix` and `lowercased`, and
/// `evaluate` of other predicates.
///
/// For a long condition the compiler may fail to infer the types if it must find the model's type
/// too. In that case name it at the parameter: `{ (trip: Trip) in … }`.
///
/// Creating a predicate runs no statement. The SQL for a form of predicate is generated once,
/// whatever values are captured. A part that SQL cannot express is evaluated in memory; if that
/// fails too, a fetch throws `SwiftDataError.unsupportedPredicate`. See <doc:Predicates>.
///
/// - Parameter body: The condition. The compiler reads it, and it is never called.
@freestanding(expression)
public macro Predicate<each Input: Hashable & Identifiable>(
  _ body: (repeat each Input) -> Bool
) -> Predicate<repeat each Input> =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PredicateExpansion")

/// Creates a computation on models of one type, for use inside predicates.
///
/// ```swift
/// let stopsInBelém = #Expression<Trip, Int> { trip in
///   trip.stops.count(where: { $0.place == "Belém" })
/// }
/// let busy = #Predicate<Trip> { trip in
///   stopsInBelém.evaluate(trip) > 10
/// }
/// ```
///
/// - Parameter body: The computation. The compiler reads it, and it is never called.
@freestanding(expression)
public macro Expression<each Input: Hashable & Identifiable, Result>(
  _ body: (repeat each Input) -> Result
) -> Expression<repeat each Input, Result> =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ExpressionExpansion")
