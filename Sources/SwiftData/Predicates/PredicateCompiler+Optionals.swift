import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.OptionalFlatMap: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, transform] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let outer = try compiler.term(wrapped)
    if case .captured(let value) = outer, compiler.unwrap(value) == nil {
      return .captured(Output.none as Any)
    }
    let inner = try compiler.guarded(by: outer.isPresent) { compiler in
      try compiler.binding(variable, to: outer.unwrapped) { compiler in
        try compiler.orFailure { try $0.term(transform) }
      }
    }
    guard let inner else { return .captured(Output.none as Any) }
    return try compiler.guarding(inner, by: outer)
  }
}

extension PredicateExpressions.NilCoalesce: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let left = try compiler.term(lhs)
    switch left {
    case .captured(let value):
      return compiler.unwrap(value) == nil ? try compiler.term(rhs) : left
    case .collection: return left
    case .object(let object) where object.presence == .always: return left
    case .composite(let composite) where !composite.isOptional: return left
    case .scalar(let scalar):
      let right = try compiler.guarded(by: scalar.isPresent.negated) { compiler in
        try compiler.orFailure { try $0.term(rhs) }
      }
      return try right.map { .scalar(try compiler.coalesce(scalar, $0)) } ?? left.unwrapped
    case .list(let list) where list.presence == .always: return left
    case .object, .record, .composite, .list, .identifier, .range:
      throw NotInSQL("a replacement for \(left.label)")
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: PredicateNode {
  var operands: [any PredicateExpression] { [inner] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let term = try compiler.term(inner)
    compiler.demand(term.isPresent)
    return term.unwrapped
  }
}

extension SQLTerm {
  /// A condition that is 0 or 1.
  fileprivate var isPresent: SQLExpression {
    switch self {
    case .scalar(let scalar): scalar.isPresent
    case .object(let object): object.isPresent
    case .composite(let composite): composite.isOptional ? composite.isPresent : .true
    case .list(let list): list.isPresent
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
      composite.isOptional = false
      return .composite(composite)
    case .list(var list):
      list.presence = .always
      return .list(list)
    case .captured, .record, .collection, .identifier, .range: return self
    }
  }
}

extension PredicateCompiler {
  /// The term that was compiled from an unwrapped value, absent if that value is absent.
  fileprivate func guarding(_ inner: SQLTerm, by outer: SQLTerm) throws -> SQLTerm {
    let present = outer.isPresent
    if present.isTrue { return inner }
    switch inner {
    case .scalar(var scalar):
      if scalar.scalarType != .bool || scalar.value.isColumn, !scalar.mayBeNaN,
        !scalar.presence.isConditional, isNull(scalar.value, whenAbsent: outer)
      {
        scalar.presence = .whenNotNull
      } else {
        scalar.presence = .when(.all([present, scalar.isPresent]))
      }
      return .scalar(scalar)
    case .object(var object):
      if !object.presence.isConditional, isNull(object.key, whenAbsent: outer) {
        object.presence = .whenNotNull
      } else {
        object.presence = .when(.all([present, object.isPresent]))
      }
      return .object(object)
    case .composite(var composite):
      guard let column = composite.columns.first, isNull(column, whenAbsent: outer) else {
        throw NotInSQL("a composite behind a cast")
      }
      composite.isOptional = true
      return .composite(composite)
    case .captured(let value):
      guard let captured = unwrap(value), let flag = captured as? Bool else {
        throw NotInSQL("a captured value instead of a stored one")
      }
      return .scalar(
        ScalarTerm(
          value: flag ? .true : .false, kind: .scalar(.bool), presence: .when(present)))
    case .collection(let collection):
      // Without an owner there is no key, and so there are no elements.
      guard isNull(collection.ownerKey, whenAbsent: outer) else {
        throw NotInSQL("a relationship behind a cast")
      }
      throw NotInSQL("an optional relationship of an optional model")
    case .list(var list):
      if !list.presence.isConditional, isNull(list.value, whenAbsent: outer) {
        list.presence = .whenNotNull
      } else {
        list.presence = .when(.all([present, list.isPresent]))
      }
      return .list(list)
    case .record, .identifier, .range: throw NotInSQL("an optional \(inner.label)")
    }
  }

  /// Whether the expression is null in SQL if the value that it depends on is absent.
  private func isNull(_ expression: SQLExpression, whenAbsent outer: SQLTerm) -> Bool {
    switch outer {
    case .scalar(let scalar):
      return scalar.presence == .whenNotNull && isStrict(expression, in: scalar.value)
    case .object(let object):
      return object.presence == .whenNotNull && isStrict(expression, in: object.key)
    case .composite:
      return expression.isColumn
    case .list(let list):
      return list.presence == .whenNotNull && isStrict(expression, in: list.value)
    case .captured, .record, .collection, .identifier, .range: return false
    }
  }

  /// Whether the expression is null whenever `part` is.
  private func isStrict(_ expression: SQLExpression, in part: SQLExpression) -> Bool {
    if expression == part { return true }
    switch expression {
    case .column(let alias?, _):
      // A column of a joined table is null if the join's key is null.
      let join = scopes.lazy.joined().first { $0.table.alias == alias }
      guard let join, case .binary(_, .equal, let key) = join.condition else { return false }
      return isStrict(key, in: part)
    case .function(let name, let arguments):
      return (name.hasPrefix("swift_") || name == "length")
        && arguments.contains { isStrict($0, in: part) }
    case .binary(let left, .add, let right), .binary(let left, .subtract, let right),
      .binary(let left, .multiply, let right), .binary(let left, .concatenate, let right):
      return isStrict(left, in: part) || isStrict(right, in: part)
    default: return false
    }
  }

  mutating func coalesce(
    _ left: ScalarTerm, _ replacement: SQLTerm
  ) throws -> ScalarTerm {
    if left.presence == .always { return left }
    if left.scalarType == .bool, case .when(let present) = left.presence {
      let other = try condition(replacement)
      return .boolean(
        .any([.all([present, left.value]), .all([present.negated, other])]))
    }
    guard let right = try optionalScalar(replacement) else { return left }
    guard left.scalarType == right.scalarType else {
      throw NotInSQL("a replacement of another kind")
    }
    var result = left
    result.value = .function("coalesce", [left.nullable, right.nullable])
    result.presence = right.presence == .always ? .always : .whenNotNull
    result.mayBeNaN = left.mayBeNaN || right.mayBeNaN
    return result
  }
}
