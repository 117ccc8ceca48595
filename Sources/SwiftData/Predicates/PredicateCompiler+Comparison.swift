import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.Equal: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var isEquality: Bool { true }
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (left, right) = (try compiler.term(lhs), try compiler.term(rhs))
    if left.isCaptured, right.isCaptured, let value = try compiler.evaluated(self) { return value }
    return .boolean(try compiler.equality(left, right))
  }
}

extension PredicateExpressions.NotEqual: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (left, right) = (try compiler.term(lhs), try compiler.term(rhs))
    if left.isCaptured, right.isCaptured, let value = try compiler.evaluated(self) { return value }
    return .boolean(try compiler.equality(left, right).negated)
  }
}

extension PredicateExpressions.Comparison: PredicateNode {
  var operands: [any PredicateExpression] { [lhs, rhs] }
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (left, right) = (try compiler.term(lhs), try compiler.term(rhs))
    if left.isCaptured, right.isCaptured, let value = try compiler.evaluated(self) { return value }
    let sign: SQLBinaryOperator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw NotInSQL("an unknown comparison")
      }
    return .boolean(try compiler.ordering(left, sign, right))
  }
}

extension PredicateCompiler {
  /// Equality as in Swift: two `nil` are equal, and `nil` equals nothing else.
  mutating func equality(_ lhs: SQLTerm, _ rhs: SQLTerm) throws -> SQLExpression {
    switch (lhs, rhs) {
    // Both may be captured in a branch of a choice, or in place of a value that fails elsewhere.
    case (.captured(let left), .captured(let right)):
      return try equality(captured: left, right) ? .true : .false
    case (.captured, _) where !rhs.isCaptured: return try equality(rhs, lhs)
    case (.scalar(let scalar), .captured(let value)): return try equality(scalar, captured: value)
    case (_, .captured(let value)) where unwrap(value) == nil: return try absence(of: lhs)
    case (.scalar(let left), .scalar(let right)): return try equality(left, right)
    case (.identifier(let left), .captured(let value)): return try equality(left, captured: value)
    case (.identifier(let left), .identifier(let right)): return left.nullSafeEquality(right)
    case (.object(let left), .captured(let value)):
      guard let key = try scalar(captured: value) else { return try absence(of: lhs) }
      return try equality(left.keyTerm, key)
    case (.object(let left), .object(let right)): return try equality(left.keyTerm, right.keyTerm)
    case (.composite(let left), .captured(let value)): return try equality(left, captured: value)
    case (.composite(let left), .composite(let right)):
      guard left.leaves.count == right.leaves.count, !left.hasEncodedLeaf,
        left.isOptional == right.isOptional || !left.mayBeEmpty
      else { throw NotInSQL("composites of two shapes") }
      return .all(zip(left.columns, right.columns).map { .binary($0, .isSame, $1) })
    default: throw NotInSQL("equality of \(lhs.label) and \(rhs.label)")
    }
  }

  private mutating func equality(captured left: Any, _ right: Any) throws -> Bool {
    dependsOnValues = true
    guard let left = unwrap(left), let right = unwrap(right) else {
      return unwrap(left) == nil && unwrap(right) == nil
    }
    guard let left = left as? AnyHashable, let right = right as? AnyHashable else {
      throw NotInSQL("equality of captured values")
    }
    return left == right
  }

  private func absence(of term: SQLTerm) throws -> SQLExpression {
    switch term {
    case .scalar(let scalar): return scalar.isPresent.negated
    case .object(let object): return object.isPresent.negated
    case .composite(let composite):
      return composite.isOptional ? .all(composite.columns.map(\.isNull)) : .false
    // A stored to-many relationship is never nil.
    case .collection: return .false
    case .list(let list): return list.isPresent.negated
    // An identifier exists if its row exists.
    case .identifier: return .false
    case .captured, .record, .range: throw NotInSQL("the absence of \(term.label)")
    }
  }

  /// `optionalFlag == true` without an expression that may be null.
  private mutating func equality(_ scalar: ScalarTerm, _ flag: Bool) -> SQLExpression {
    let wanted = flag ? scalar.value : scalar.value.negated
    switch scalar.presence {
    case .when(let present): return .all([present, wanted])
    case .always where !scalar.value.isColumn: return wanted
    case .always: return .binary(scalar.value, .equal, bind(flag.storedValue))
    case .whenNotNull: return .binary(scalar.value, .isSame, bind(flag.storedValue))
    }
  }

  private mutating func equality(
    _ left: ScalarTerm, captured value: Any
  ) throws -> SQLExpression {
    guard let value = unwrap(value) else { return left.isPresent.negated }
    if let flag = value as? Bool { return equality(left, flag) }
    let (stored, kind) = try storedForm(of: value)
    if left.isText, case .text(let text) = stored { return try equality(left, text: text, kind) }
    return try nullSafeEquality(left, ScalarTerm(value: bind(stored), kind: kind))
  }

  private mutating func equality(
    _ left: ScalarTerm, _ right: ScalarTerm
  ) throws -> SQLExpression {
    guard left.isText, right.isText else { return try nullSafeEquality(left, right) }
    return try nullSafeEquality(
      left.mapped { canonical($0) }, right.mapped { canonical($0) })
  }

  func nullSafeEquality(_ left: ScalarTerm, _ right: ScalarTerm) throws -> SQLExpression {
    guard left.kind.isComparable(to: right.kind) else {
      if left.kind.neverEquals(right.kind) { return .false }
      throw NotInSQL("equality of values of two kinds")
    }
    switch (left.presence, right.presence) {
    case (.always, .always): return left.comparison(.equal, right)
    case (.when(let present), .always): return .all([present, left.comparison(.equal, right)])
    case (.always, .when(let present)): return .all([present, left.comparison(.equal, right)])
    case _ where left.mayBeNaN || right.mayBeNaN:
      let (first, second) = (left.isPresent, right.isPresent)
      return .any([
        .all([first.negated, second.negated]),
        .all([first, second, left.comparison(.equal, right)]),
      ])
    default: return .binary(left.nullable, .isSame, right.nullable)
    }
  }

  /// `<`, `<=`, `>` and `>=`. If a value is absent, the result is false.
  mutating func ordering(
    _ lhs: SQLTerm, _ sign: SQLBinaryOperator, _ rhs: SQLTerm
  ) throws -> SQLExpression {
    guard let left = try optionalScalar(lhs), let right = try optionalScalar(rhs),
      let type = left.scalarType ?? right.scalarType, left.kind.hasOrder(with: right.kind)
    else { throw NotInSQL("an order of \(lhs.label) and \(rhs.label)") }
    let comparison: SQLExpression
    if case .rawValue = left.kind {
      let order = try CaseOrder(of: left.valueType ?? right.valueType)
      return .all([
        left.isPresent, right.isPresent,
        .binary(order.rank(of: left.value), sign, order.rank(of: right.value)),
      ])
    }
    switch type.traits.order {
    case .text:
      comparison = .binary(
        canonical(inOrder: left.value), sign, canonical(inOrder: right.value))
    case .decimal:
      comparison = .binary(
        .function("swift_decimal_compare", [left.value, right.value]), sign, .integer(0))
    case .unsigned: comparison = unsigned(left.value, sign, right.value)
    default: comparison = left.comparison(sign, right)
    }
    return .all([left.isPresent, right.isPresent, comparison])
  }

  /// The form of a text whose byte order and equality are those of Swift.
  mutating func canonical(_ text: SQLExpression) -> SQLExpression {
    if case .parameter(let index) = text, case .text(let value) = bindings[index] {
      dependsOnValues = dependsOnValues || !CanonicalForms.hasOneForm(value)
      bindings[index] = .text(value.canonicallyComposed)
      return text
    }
    return .function("swift_canonical", [text])
  }

  /// Columns are signed: the upper half of the unsigned range is stored as negative numbers.
  private func unsigned(
    _ left: SQLExpression, _ sign: SQLBinaryOperator, _ right: SQLExpression
  ) -> SQLExpression {
    let (leftUpper, rightUpper) = (
      SQLExpression.binary(left, .less, .integer(0)),
      SQLExpression.binary(right, .less, .integer(0))
    )
    let strict: SQLBinaryOperator = sign == .less || sign == .lessOrEqual ? .less : .greater
    return .any([
      .binary(leftUpper, strict, rightUpper),
      .all([.binary(leftUpper, .equal, rightUpper), .binary(left, sign, right)]),
    ])
  }
}

extension ScalarTerm.Kind {
  /// Whether equal stored forms mean equal values.
  func isComparable(to other: ScalarTerm.Kind) -> Bool {
    switch (self, other) {
    case (.scalar(let a), .scalar(let b)): a == b
    case (.rawValue(let a, _), .rawValue(let b, _)): a == b
    case (.key(let a), .key(let b)): a == b
    case (.comparisonResult, .comparisonResult): true
    case (.token, .token): true
    default: false
    }
  }

  /// Whether the stored forms have the order of the values.
  func hasOrder(with other: ScalarTerm.Kind) -> Bool {
    switch (self, other) {
    case (.token, .betweenTokens), (.betweenTokens, .token): true
    default: isComparable(to: other)
    }
  }

  /// Whether values of the two kinds, which are not comparable, are always different.
  func neverEquals(_ other: ScalarTerm.Kind) -> Bool {
    switch (self, other) {
    case (.key, .key), (.token, .betweenTokens), (.betweenTokens, .token): true
    default: false
    }
  }
}

extension ScalarTerm {
  /// The term with a transformed value. The transformed value must be null if the value is null.
  func mapped(_ transform: (SQLExpression) -> SQLExpression) -> ScalarTerm {
    var result = self
    result.value = transform(value)
    return result
  }
}

extension ObjectTerm {
  var keyTerm: ScalarTerm {
    ScalarTerm(value: key, kind: .key(root: entity.rootName), presence: presence)
  }
}

extension SQLTerm {
  var isCaptured: Bool {
    if case .captured = self { true } else { false }
  }
}

extension SQLExpression {
  var isParameter: Bool {
    if case .parameter = self { true } else { false }
  }

  var isColumn: Bool {
    if case .column = self { true } else { false }
  }
}

extension String {
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
