public import Foundation

/// Makes a condition on the models of one kind, for stores to search with and to test models with.
///
/// ```swift
/// let open = #Predicate<Task> { task in
///   task.state != .done && task.owner?.name.hasPrefix("A") == true
/// }
/// let tasks = try context.fetch(FetchDescriptor(predicate: open))
/// ```
///
/// Parts of the closure that do not mention its parameters are evaluated once, when the predicate is
/// made, and must be `Codable`; a captured model is compared by its identifier. Beyond what
/// Foundation's macro takes, this one takes `guard`, `let`, `switch`, enumeration cases without
/// their type, text methods such as `hasPrefix` and `lowercased`, and `evaluate` of other predicates.
///
/// Swift gives up on the types of a long condition sooner when it must find the model's type too:
/// name it at the parameter, `{ (task: Task) in … }`, where that happens.
///
/// - Parameter body: The condition. It is read by the compiler and never called.
@freestanding(expression)
public macro Predicate<each Input: PersistentModel>(
  _ body: (repeat each Input) -> Bool
) -> Predicate<repeat each Input> =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PredicateExpansion")

/// Makes a value that is computed from models of one kind, for use inside predicates.
///
/// ```swift
/// let openTasks = #Expression<Project, Int> { $0.tasks.count(where: { $0.state != .done }) }
/// let busy = #Predicate<Project> { openTasks.evaluate($0) > 10 }
/// ```
///
/// - Parameter body: The computation. It is read by the compiler and never called.
@freestanding(expression)
public macro Expression<each Input: PersistentModel, Result>(
  _ body: (repeat each Input) -> Result
) -> Expression<repeat each Input, Result> =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ExpressionExpansion")
