import Foundation

/// A node of a predicate that can be compiled to SQL.
///
/// The nodes are generic, and Foundation declares most of them. Each conforms in an extension, and
/// the walks over a predicate find the conformance at run time. A node without one is evaluated in
/// memory. The conformance of a node is all that this library knows of its type. The walks that use
/// it: `PredicateCompiler` (SQL), `QueryWriter` (plain data), `ShapeCollector` (the key of a plan),
/// `PredicateSource` (text), `RequestReadsCollector` (what a request reads) and `HistoryTokens`.
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

  /// The captured value of the node, also if it changes with the first save of a model; nil if its
  /// computation failed.
  var heldValue: Any? { get }

  /// Makes a condition that evaluates the node as often as wanted in less time; `nil` if there is none.
  var hashedCondition: (() -> PredicateCondition)? { get }

  /// The predicate or expression that the node evaluates, and its inputs by variable.
  var evaluatedExpression: EvaluatedExpression? { get }

  /// The operands of a comparison by order, each as a bound of the other one; `nil` for other nodes.
  var orderBounds: [OrderBound]? { get }

  /// The expression of a captured predicate, if the node only evaluates that predicate.
  func opened(in compiler: inout PredicateCompiler) throws -> (any PredicateExpression)?

  /// The SQL of the node.
  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm

  /// What the node means, in plain data.
  ///
  /// There is no default, so a node that SQL expresses is described to stores of other kinds too.
  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression

  /// Adds everything except the node's type that its SQL depends on: key paths, variables, captured
  /// values. A node that does not implement this has no shape, so requests that contain it are
  /// compiled each time.
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
  var heldValue: Any? { capturedValue }
  var hashedCondition: (() -> PredicateCondition)? { nil }
  var evaluatedExpression: EvaluatedExpression? { nil }
  var orderBounds: [OrderBound]? { nil }
  func describe(to shape: inout ShapeCollector) { shape.giveUp() }
  func opened(in compiler: inout PredicateCompiler) -> (any PredicateExpression)? { nil }
  var referencedVariable: PredicateExpressions.VariableID? { nil }
}

/// A predicate or an expression that another one evaluates.
struct EvaluatedExpression {
  let expression: any PredicateExpression
  let inputs: [(variable: PredicateExpressions.VariableID, input: any PredicateExpression)]
}

/// An operand that bounds another one by order.
struct OrderBound {
  let bound: any PredicateExpression
  let other: any PredicateExpression
  /// Whether it is a lower bound where the node is true, and an upper bound where the node is false;
  /// otherwise it is the other way round.
  let isLower: Bool
}
