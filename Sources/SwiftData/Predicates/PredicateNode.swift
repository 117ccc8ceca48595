import Foundation

/// A node of a predicate that knows its counterpart in SQL.
///
/// The nodes are generic and Foundation owns most of them, so each conforms in an extension and the
/// compiler finds the conformance at run time. A node without one is judged in memory.
protocol PredicateNode: PredicateExpression {
  /// The expressions directly below.
  var operands: [any PredicateExpression] { get }
  /// The variable that the node gives a meaning in its operands.
  var boundVariable: PredicateExpressions.VariableID? { get }
  /// The variable that the node stands for.
  var standsFor: PredicateExpressions.VariableID? { get }

  /// Whether `term(in:)` itself finds out that no row has a part in the node, and evaluates it then.
  ///
  /// The compiler looks through the operands of any other node first. Frequent nodes spare it that.
  var findsCaptures: Bool { get }

  /// How the node is written in source code.
  var form: SourceForm { get }

  /// Whether the node is `&&`, which the compiler may cut apart.
  var isConjunction: Bool { get }

  /// Whether the node is `||`.
  var isDisjunction: Bool { get }

  /// Whether the node is `==`.
  var isEquality: Bool { get }

  /// The key path that the node reads of its only operand.
  var readKeyPath: AnyKeyPath? { get }

  /// The value of a node that is nothing but a captured one.
  var capturedValue: Any? { get }

  /// What a node asks that evaluates another predicate or expression, and the inputs by variable.
  var askedExpression: AskedExpression? { get }

  /// The expression that the node stands for, when it only brings in another predicate.
  func opened(in compiler: inout PredicateCompiler) throws -> (any PredicateExpression)?

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm

  /// Tells what decides the SQL of the node, besides its type: key paths, variables, captured values.
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
  var askedExpression: AskedExpression? { nil }
  func describe(to shape: inout ShapeCollector) { shape.giveUp() }
  func opened(in compiler: inout PredicateCompiler) -> (any PredicateExpression)? { nil }
  var standsFor: PredicateExpressions.VariableID? { nil }
}

/// A predicate or an expression that another one asks.
struct AskedExpression {
  let expression: any PredicateExpression
  let inputs: [(variable: PredicateExpressions.VariableID, input: any PredicateExpression)]
}

/// The reason why a part of a predicate is judged in memory.
struct NotInSQL: Error {
  let reason: String
  /// The part, as it is written in source code.
  var part: String?

  init(_ reason: String) {
    self.reason = reason
  }
}
