import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.Conjunction: PredicateNode {
  var isConjunction: Bool { true }
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    var conditions: [SQLExpression] = []
    try compiler.visitParts(of: self, where: \.isConjunction) { compiler, part in
      if conditions.last?.isFalse == true { return }
      conditions.append(
        try compiler.guarded(by: .all(conditions)) { try $0.condition(part) })
    }
    return .boolean(.all(conditions))
  }
}

extension PredicateExpressions.Disjunction: PredicateNode {
  var isDisjunction: Bool { true }
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    var conditions: [SQLExpression] = []
    try compiler.visitParts(of: self, where: \.isDisjunction) { compiler, part in
      // A captured flag decides alone: `isOff || …` needs no SQL for the rest.
      if conditions.last?.isTrue == true { return }
      conditions.append(
        try compiler.guarded(by: .any(conditions).negated) { try $0.condition(part) })
    }
    return .boolean(.any(conditions))
  }
}

extension PredicateExpressions.Negation: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let term = try compiler.term(wrapped)
    if case .scalar(let flag) = term, flag.presence == .always, flag.value.isColumn {
      return .boolean(.binary(flag.value, .equal, .false))
    }
    return .boolean(try compiler.condition(term).negated)
  }
}

extension PredicateExpressions.Conditional: PredicateNode {
  var operands: [any PredicateExpression] { [test, trueBranch, falseBranch] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let condition = try compiler.condition(test)
    if condition.isTrue { return try compiler.term(trueBranch) }
    if condition.isFalse { return try compiler.term(falseBranch) }
    if Output.self == Bool.self {
      let yes = try compiler.guarded(by: condition) { try $0.condition(trueBranch) }
      let no = try compiler.guarded(by: condition.negated) { try $0.condition(falseBranch) }
      return .boolean(.any([.all([condition, yes]), .all([condition.negated, no])]))
    }
    let yes = try compiler.guarded(by: condition) { try $0.orFailure { try $0.term(trueBranch) } }
    let no = try compiler.guarded(by: condition.negated) {
      try $0.orFailure { try $0.term(falseBranch) }
    }
    // If one branch always fails, the value is that of the other branch.
    guard let yes, let no else {
      guard let either = yes ?? no else { throw PredicateFailure.missingValue }
      return either
    }
    return .scalar(try compiler.choice(condition, yes, no))
  }
}

extension PredicateCompiler {
  /// Calls `body` with the operands of a chain of equal operators, from first to last. A chain may
  /// have thousands of operands, and each may contain another predicate, so this does not recurse.
  mutating func visitParts(
    of expression: any PredicateExpression, where isJoint: (any PredicateNode) -> Bool,
    _ body: (inout PredicateCompiler, any PredicateExpression) throws -> Void
  ) throws {
    var waiting: [any PredicateExpression] = []
    var current: (any PredicateExpression)? = expression
    while let next = current {
      let node = next as? any PredicateNode
      if let node, isJoint(node) {
        waiting += node.operands.reversed()
        current = waiting.popLast()
      } else if let inner = try node.flatMap({ try opened($0) }) {
        current = inner
      } else {
        try body(&self, next)
        current = waiting.popLast()
      }
    }
  }

  /// The expression of a captured predicate; nil if it can't be computed, which its term will
  /// report.
  private mutating func opened(
    _ node: any PredicateNode
  ) throws -> (any PredicateExpression)? {
    do {
      return try node.opened(in: &self)
    } catch {
      guard isFailedStep(error) else { throw error }
      return nil
    }
  }

  /// One of two values, depending on a condition.
  mutating func choice(
    _ condition: SQLExpression, _ yes: SQLTerm, _ no: SQLTerm
  ) throws -> ScalarTerm {
    let (first, second) = (try optionalScalar(yes), try optionalScalar(no))
    guard var result = first ?? second else { throw NotInSQL("a choice between nil and nil") }
    guard first == nil || second == nil || first?.scalarType == second?.scalarType else {
      throw NotInSQL("a choice between values of two kinds")
    }
    result.value = .conditional(
      [SQLBranch(when: condition, then: first?.nullable ?? .null)],
      otherwise: second?.nullable ?? .null)
    result.presence =
      first?.presence == .always && second?.presence == .always ? .always : .whenNotNull
    result.mayBeNaN = first?.mayBeNaN == true || second?.mayBeNaN == true
    return result
  }

  /// The scalar of a term; `nil` for a captured `nil`.
  mutating func optionalScalar(_ term: SQLTerm) throws -> ScalarTerm? {
    switch term {
    case .scalar(let scalar): return scalar
    case .captured(let value): return try scalar(captured: value)
    default: throw NotInSQL("\(term.label) is no value")
    }
  }
}

extension SQLExpression {
  /// The condition for contexts in which null counts as 0: in `WHERE`, under `AND` and `OR`, but
  /// not under `NOT`. With a plain equality SQLite can treat a left join as an inner join, and
  /// begin with the other table.
  var asFilter: SQLExpression {
    switch self {
    case .conjunction(let parts): .conjunction(parts.map(\.asFilter))
    case .disjunction(let parts): .disjunction(parts.map(\.asFilter))
    // A parameter is never bound to null.
    case .binary(let value, .isSame, .parameter(let index)):
      .binary(value, .equal, .parameter(index))
    default: conditionOrFalse ?? self
    }
  }
}
