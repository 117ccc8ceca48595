import Foundation

/// A node of a predicate that can be compiled to SQL.
///
/// The nodes are generic, and Foundation declares most of them. Each conforms in an extension, and
/// the compiler finds the conformance at run time. A node without one is evaluated in memory.
protocol PredicateNode: PredicateExpression {
  /// The direct operands.
  var operands: [any PredicateExpression] { get }
  /// The variable that the node binds in its operands.
  var boundVariable: PredicateExpressions.VariableID? { get }
  /// The variable that the node refers to.
  var referencedVariable: PredicateExpressions.VariableID? { get }

  /// Whether `term(in:)` itself detects that the node does not depend on a row, and evaluates it
  /// then.
  ///
  /// For all other nodes the compiler first walks the operands. Frequent nodes avoid that walk.
  var findsCaptures: Bool { get }

  /// How the node is written in source code.
  var form: SourceForm { get }

  /// Whether the node is `&&`, at which the compiler may split a predicate.
  var isConjunction: Bool { get }

  /// Whether the node is `||`.
  var isDisjunction: Bool { get }

  /// Whether the node is `==`.
  var isEquality: Bool { get }

  /// The key path that the node applies to its only operand.
  var readKeyPath: AnyKeyPath? { get }

  /// The value of a node that only holds a captured value.
  var capturedValue: Any? { get }

  /// The predicate or expression that the node evaluates, and its inputs by variable.
  var evaluatedExpression: EvaluatedExpression? { get }

  /// The expression of a captured predicate, if the node only evaluates that predicate.
  func opened(in compiler: inout PredicateCompiler) throws -> (any PredicateExpression)?

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm

  /// Adds everything except the node's type that its SQL depends on: key paths, variables, captured
  /// values.
  func describe(to shape: inout ShapeCollector)
}

extension PredicateNode {
  var boundVariable: PredicateExpressions.VariableID? { nil }
  var findsCaptures: Bool { false }
  var isConjunction: Bool { false }
  var isDisjunction: Bool { false }
  var isEquality: Bool { false }
  var readKeyPath: AnyKeyPath? { nil }
  var capturedValue: Any? { nil }
  var evaluatedExpression: EvaluatedExpression? { nil }
  func describe(to shape: inout ShapeCollector) { shape.giveUp() }
  func opened(in compiler: inout PredicateCompiler) -> (any PredicateExpression)? { nil }
  var referencedVariable: PredicateExpressions.VariableID? { nil }
}

/// A predicate or an expression that another one evaluates.
struct EvaluatedExpression {
  let expression: any PredicateExpression
  let inputs: [(variable: PredicateExpressions.VariableID, input: any PredicateExpression)]
}

/// The reason why a part of a predicate is evaluated in memory.
struct NotInSQL: Error {
  let reason: String
  /// The source text of the part.
  var part: String?

  init(_ reason: String) {
    self.reason = reason
  }
}
