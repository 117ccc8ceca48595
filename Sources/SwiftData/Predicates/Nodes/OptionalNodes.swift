import Foundation
import OpenSwiftDataSQLSyntax

// Optional chaining, `??` and `!`.

extension PredicateExpressions.OptionalFlatMap: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, transform] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }
  var form: SourceForm { .closure("flatMap") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(closure: transform, of: variable.key, appliedTo: wrapped)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let outer = try compiler.term(wrapped)
    if case .captured(let value) = outer, StoredForms.unwrap(value) == nil {
      return .captured(Output.none as Any)
    }
    let inner = try compiler.guarded(by: outer.isPresent) { compiler in
      try compiler.binding(variable, to: outer.unwrapped) { compiler in
        try compiler.orFailure { try $0.term(transform) }
      }
    }
    guard let inner else { return .captured(Output.none as Any) }
    if isNested {
      if case .nested = inner { throw NotInSQL("an optional \(inner.label)") }
      return .nested(inner, isPresent: outer.isPresent)
    }
    return try inner.guarded(by: outer, in: compiler.scopes)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    if isNested { throw Undescribed("an optional of an optional") }
    return try unnestedPlainForm(in: &writer)
  }
}

extension PredicateExpressions.OptionalFlatMap: NestedOptionalNode {
  var isNested: Bool { RHS.Output.self == Result.self && Result.self is any OptionalValue.Type }
  var outer: any PredicateExpression { wrapped }

  func unnestedPlainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.closure(.flatMap, of: wrapped, variable, transform)
  }
}

/// `map` whose closure returns an optional. In plain data, as in SQL, `nil` has one level only.
protocol NestedOptionalNode {
  var isNested: Bool { get }
  /// The operand that is `nil` if the result is.
  var outer: any PredicateExpression { get }
  /// The inner optional, or `nil`.
  func unnestedPlainForm(in writer: inout QueryWriter) throws -> QueryExpression
}

extension QueryWriter {
  /// The operand that is `nil` if an optional of an optional is.
  func outerOptional(_ expression: any PredicateExpression) -> (any NestedOptionalNode)? {
    (expression as? any NestedOptionalNode).flatMap { $0.isNested ? $0 : nil }
  }
}

extension PredicateExpressions.NilCoalesce: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var form: SourceForm { .infix("??") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(lhs)
    shape.add(rhs)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let left = try compiler.term(lhs)
    switch left {
    case .captured(let value):
      // An inner nil is a value, but has the same shape.
      if RHS.Output.self is any OptionalValue.Type { compiler.bindings.dependOnValues() }
      let isNil = (value as? any OptionalValue)?.isNil ?? false
      return isNil ? try compiler.term(rhs) : left
    case .collection: return left
    case .object(let object) where object.presence == .always: return left
    case .composite(let composite) where composite.presence == .always: return left
    case .scalar(let scalar):
      let right = try compiler.guarded(by: scalar.isPresent.negated) { compiler in
        try compiler.orFailure { try $0.term(rhs) }
      }
      return try right.map { .scalar(try scalar.replaced(by: $0, in: &compiler)) } ?? left.unwrapped
    case .list(let list) where list.presence == .always: return left
    case .nested(let inner, let isPresent):
      let right = try compiler.guarded(by: isPresent.negated) { compiler in
        try compiler.orFailure { try $0.term(rhs) }
      }
      guard let right, !isPresent.isTrue else { return inner }
      let (first, second) = (
        try compiler.optionalScalar(inner), try compiler.optionalScalar(right)
      )
      return .scalar(try ScalarTerm(when: isPresent, first, otherwise: second))
    case .object, .record, .composite, .list, .identifier, .range:
      throw NotInSQL("a default value for \(left.label)")
    }
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    if let nested = writer.outerOptional(lhs) {
      return .call(
        .conditional,
        [
          .call(.notEqual, [try writer.value(nested.outer), .value(.null)]),
          try nested.unnestedPlainForm(in: &writer), try writer.value(rhs),
        ])
    }
    let left = try writer.value(lhs)
    // A relationship is never nil.
    if case .property(_, .toMany, _) = left { return left }
    guard case .value(let constant) = left else {
      return .call(.coalesce, [left, try writer.value(rhs)])
    }
    return constant.isNull ? try writer.value(rhs) : left
  }
}

extension PredicateExpressions._DefaultMembers: PredicateNode {
  var operands: [any PredicateExpression] { [] }
  var findsCaptures: Bool { true }
  var form: SourceForm { .literal("[]") }

  func describe(to shape: inout ShapeCollector) {}

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    throw NotInSQL("models after ??")
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    guard isEmpty else { throw Undescribed("models after ??") }
    return .value(.list([]))
  }
}

extension PredicateExpressions.ForcedUnwrap: PredicateNode {
  var operands: [any PredicateExpression] { [inner] }
  /// A captured value is known without an evaluation, on which the plan would depend.
  var findsCaptures: Bool { (inner as? any PredicateNode)?.capturedValue != nil }
  var form: SourceForm { .suffix("!") }

  func describe(to shape: inout ShapeCollector) { shape.add(inner) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let term = try compiler.term(inner)
    if case .captured(let value) = term, StoredForms.unwrap(value) == nil {
      throw PredicateFailure.missingValue
    }
    compiler.demands.add(term.isPresent)
    return term.unwrapped
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    findsCaptures ? try writer.constant(of: self) : try writer.call(.forceUnwrap, inner)
  }
}

extension SQLTerm {
  /// A condition that is 0 or 1.
  fileprivate var isPresent: SQLExpression {
    switch self {
    case .scalar(let scalar): scalar.isPresent
    case .object(let object): object.isPresent
    case .composite(let composite): composite.isPresent
    case .list(let list): list.isPresent
    case .nested(_, let isPresent): isPresent
    case .captured, .record, .collection, .identifier, .range: .true
    }
  }

  /// The value, assumed to be present.
  fileprivate var unwrapped: SQLTerm {
    switch self {
    case .scalar(var scalar):
      scalar.presence = .always
      return .scalar(scalar)
    case .object(var object):
      object.presence = .always
      return .object(object)
    case .composite(var composite):
      composite.presence = .always
      return .composite(composite)
    case .list(var list):
      list.presence = .always
      return .list(list)
    case .nested(let inner, _): return inner
    case .captured, .record, .collection, .identifier, .range: return self
    }
  }

  /// The term that was compiled from an unwrapped value, absent if that value is absent.
  fileprivate func guarded(by outer: SQLTerm, in scopes: QueryScopes) throws -> SQLTerm {
    let present = outer.isPresent
    if present.isTrue { return self }
    switch self {
    case .scalar(var scalar):
      if scalar.scalarType != .bool || scalar.value.isColumn, !scalar.mayBeNaN,
        !scalar.presence.isConditional, isNull(scalar.value, whenAbsent: outer, in: scopes)
      {
        scalar.presence = .whenNotNull
      } else {
        scalar.presence = .when(.all([present, scalar.isPresent]))
      }
      return .scalar(scalar)
    case .object(var object):
      object.presence = presence(object.presence, of: object.key, guardedBy: outer, in: scopes)
      return .object(object)
    case .composite(var composite):
      guard let column = composite.columns.first, isNull(column, whenAbsent: outer, in: scopes)
      else {
        throw NotInSQL("a composite value after a cast")
      }
      if composite.presence != .whenNotNull {
        composite.presence = .when(.all([present, composite.isPresent]))
      }
      return .composite(composite)
    case .captured(let value):
      guard let captured = StoredForms.unwrap(value), let flag = captured as? Bool else {
        throw NotInSQL("a captured value instead of a stored one")
      }
      return .scalar(
        ScalarTerm(
          value: flag ? .true : .false, kind: .scalar(.bool), presence: .when(present)))
    case .collection(let collection):
      // Without an owner there is no key, and so there are no elements.
      guard isNull(collection.ownerKey, whenAbsent: outer, in: scopes) else {
        throw NotInSQL("a relationship after a cast")
      }
      throw NotInSQL("an optional relationship of an optional model")
    case .list(var list):
      list.presence = presence(list.presence, of: list.value, guardedBy: outer, in: scopes)
      return .list(list)
    case .record, .identifier, .nested, .range: throw NotInSQL("an optional \(label)")
    }
  }

  /// The presence of an expression that is only read if `outer` is present.
  private func presence(
    _ inner: Presence, of value: SQLExpression, guardedBy outer: SQLTerm, in scopes: QueryScopes
  ) -> Presence {
    if !inner.isConditional, isNull(value, whenAbsent: outer, in: scopes) { return .whenNotNull }
    return .when(.all([outer.isPresent, inner.condition(of: value)]))
  }

  /// Whether the expression is null in SQL if the value that it depends on is absent.
  private func isNull(
    _ expression: SQLExpression, whenAbsent outer: SQLTerm, in scopes: QueryScopes
  ) -> Bool {
    switch outer {
    case .scalar(let scalar):
      return scalar.presence == .whenNotNull
        && scopes.isNull(expression, whenNull: scalar.value)
    case .object(let object):
      return object.presence == .whenNotNull && scopes.isNull(expression, whenNull: object.key)
    case .composite(let composite):
      return composite.columns.contains(expression)
    case .list(let list):
      return list.presence == .whenNotNull && scopes.isNull(expression, whenNull: list.value)
    case .captured, .record, .collection, .identifier, .nested, .range: return false
    }
  }
}

extension ScalarTerm {
  /// The value, or another one if it is absent.
  func replaced(
    by replacement: SQLTerm, in compiler: inout PredicateCompiler
  ) throws -> ScalarTerm {
    if presence == .always { return self }
    if scalarType == .bool, case .when(let present) = presence {
      let other = try replacement.condition
      return .boolean(.any([.all([present, value]), .all([present.negated, other])]))
    }
    guard let right = try compiler.optionalScalar(replacement) else { return self }
    guard kind.isInterchangeable(with: right.kind) else {
      throw NotInSQL("a default value of another kind")
    }
    var result = self
    // NaN is null in SQL, but present.
    if mayBeNaN || right.mayBeNaN {
      result.value = .conditional(
        [SQLBranch(when: isPresent, then: value)], otherwise: right.value)
      result.presence =
        right.presence == .always ? .always : .when(.any([isPresent, right.isPresent]))
      result.mayBeNaN = true
      return result
    }
    result.value = .function("coalesce", [nullable, right.nullable])
    result.presence = right.presence == .always ? .always : .whenNotNull
    return result
  }
}
