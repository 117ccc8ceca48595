public import Foundation

// Models and the transactions of a history share no protocol of ours, but these two: so the compiler has
// one overload to try beside Foundation's. With each more, and with each requirement that only some inputs
// meet, the time to find the types of a condition multiplies (`Scripts/measure-type-checking`).

/// Makes a condition on the models of one kind, for stores to search with and to test models with.
///
/// ```swift
/// let place = "Belém"
/// let visits = #Predicate<Trip> { trip in
///   trip.stops.contains { $0.place == place }
/// }
/// let trips = try context.fetch(FetchDescriptor(predicate: visits))
/// ```
///
/// The transactions of a history are searched in the same way:
///
/// ```swift
/// let names = ["Trip", "Stop"]
/// let news = #Predicate<DefaultHistoryTransaction> { transaction in
///   transaction.token > token && transaction.author != "widget"
///     && transaction.changes.contains {
///       names.contains($0.changedPersistentIdentifier.entityName)
///     }
/// }
/// ```
///
/// There `nil` follows Swift: `$0.author != "import"` holds for a transaction without author.
///
/// Parts of the closure that do not mention its parameters are evaluated once, when the predicate is
/// made, and must be `Codable`; a captured model is compared by its identifier. A step of one that would stop
/// the program (`!` on nil, a position that an array lacks, a division by zero) makes the condition false where
/// it is reached, so `folder == nil || $0.folder == folder!` may be written. Beyond what
/// Foundation's macro takes, this one takes `guard`, `let`, `switch`, enumeration cases without
/// their type, text methods such as `hasPrefix` and `lowercased`, and `evaluate` of other predicates.
///
/// Swift gives up on the types of a long condition sooner when it must find the model's type too:
/// name it at the parameter, `{ (trip: Trip) in … }`, where that happens.
///
/// Making a predicate runs nothing. The SQL of a shape is made once, whatever is captured. A part that SQL
/// cannot express is evaluated in memory; a fetch throws `SwiftDataError.unsupportedPredicate` where that
/// fails too. See <doc:Predicates>.
///
/// - Parameter body: The condition. It is read by the compiler and never called.
@freestanding(expression)
public macro Predicate<each Input: Hashable & Identifiable>(
  _ body: (repeat each Input) -> Bool
) -> Predicate<repeat each Input> =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PredicateExpansion")

/// Makes a value that is computed from models of one kind, for use inside predicates.
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
/// - Parameter body: The computation. It is read by the compiler and never called.
@freestanding(expression)
public macro Expression<each Input: Hashable & Identifiable, Result>(
  _ body: (repeat each Input) -> Result
) -> Expression<repeat each Input, Result> =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ExpressionExpansion")
