import OpenSwiftDataSQLSyntax

/// The conditions under which no step of the current closure fails.
///
/// Swift stops a program at `!` on nil, at `as!` to another class, and at an arithmetic overflow. In
/// a predicate the closure that contains such a step is false instead, in SQL as in memory: its
/// condition is joined with the demands of its steps. `PredicateCompiler+Failures` opens and closes
/// the closures.
struct StepDemands {
  private var conditions: [SQLExpression] = []

  var isEmpty: Bool { conditions.isEmpty }

  /// Adds a condition that must hold for a step to succeed.
  mutating func add(_ condition: SQLExpression) {
    if !condition.isTrue { conditions.append(condition) }
  }

  /// Adds the demands of a part that is evaluated only where `exempt` is false.
  mutating func add(_ inner: StepDemands, unless exempt: SQLExpression) {
    conditions += inner.conditions.map { .any([exempt, $0]) }
  }

  /// The condition, false where a step fails.
  func applied(to condition: SQLExpression) -> SQLExpression {
    conditions.isEmpty ? condition : .all([condition] + conditions)
  }
}
