import Foundation
import OpenSwiftDataSQLSyntax

// `&&`, `||`, `!`, the conditional operator, and the closure that is false where a step fails.

extension PredicateExpressions.Conjunction: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var isConjunction: Bool { true }
  var form: SourceForm { .infix("&&") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(lhs)
    shape.add(rhs)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    var conditions: [SQLExpression] = []
    try compiler.visitParts(of: self, where: \.isConjunction) { compiler, part in
      if conditions.last?.isFalse == true { return }
      conditions.append(
        try compiler.guarded(by: .all(conditions)) { try $0.condition(part) })
    }
    return .boolean(.all(conditions))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.chain(.and, of: self, where: \.isConjunction)
  }
}

extension PredicateExpressions.Disjunction: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var isDisjunction: Bool { true }
  var form: SourceForm { .infix("||") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(lhs)
    shape.add(rhs)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .boolean(try EqualityChain.condition(of: self, in: &compiler))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.chain(.or, of: self, where: \.isDisjunction)
  }
}

extension PredicateExpressions.Negation: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped] }
  var form: SourceForm { .prefix("!") }

  func describe(to shape: inout ShapeCollector) { shape.add(wrapped) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let term = try compiler.term(wrapped)
    if case .scalar(let flag) = term, flag.presence == .always, flag.value.isColumn {
      return .boolean(.binary(flag.value, .equal, .false))
    }
    return .boolean(try term.condition.negated)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.call(.not, wrapped)
  }
}

extension PredicateExpressions.Conditional: PredicateNode {
  var operands: [any PredicateExpression] { [test, trueBranch, falseBranch] }
  var form: SourceForm { .conditional }

  func describe(to shape: inout ShapeCollector) {
    shape.add(test)
    shape.add(trueBranch)
    shape.add(falseBranch)
  }

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
    let (first, second) = (try compiler.optionalScalar(yes), try compiler.optionalScalar(no))
    return .scalar(try ScalarTerm(when: condition, first, otherwise: second))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    let condition = try writer.value(test)
    if case .value(.boolean(let value)) = condition {
      return try writer.write(value ? trueBranch : falseBranch)
    }
    return .call(
      .conditional, [condition, try writer.value(trueBranch), try writer.value(falseBranch)])
  }
}

extension PredicateExpressions._FalseOnFailure: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped] }
  var form: SourceForm { .operand }

  func describe(to shape: inout ShapeCollector) { shape.add(wrapped) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .boolean(try compiler.conditionOrFailure(wrapped))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    let condition = try writer.value(wrapped)
    return condition.mayFail ? .call(.falseOnFailure, [condition]) : condition
  }
}

extension ScalarTerm {
  /// One of two values, depending on a condition; `nil` stands for an absent value.
  init(
    when condition: SQLExpression, _ first: ScalarTerm?, otherwise second: ScalarTerm?
  ) throws {
    guard let present = first ?? second else {
      throw NotInSQL("a choice between nil and nil")
    }
    if let first, let second, !first.kind.isInterchangeable(with: second.kind) {
      throw NotInSQL("a choice between values of different kinds")
    }
    self = present
    value = .conditional(
      [SQLBranch(when: condition, then: first?.nullable ?? .null)],
      otherwise: second?.nullable ?? .null)
    presence =
      first?.presence == .always && second?.presence == .always ? .always : .whenNotNull
    mayBeNaN = first?.mayBeNaN == true || second?.mayBeNaN == true
    // NaN is null in SQL, but present.
    if mayBeNaN, presence != .always {
      presence = .when(
        .any([
          .all([condition, first?.isPresent ?? .false]),
          .all([condition.negated, second?.isPresent ?? .false]),
        ]))
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
    case .binary(let value, .isSame, let other) where other.parameterIndex != nil:
      .binary(value, .equal, other)
    default: conditionOrFalse ?? self
    }
  }
}
