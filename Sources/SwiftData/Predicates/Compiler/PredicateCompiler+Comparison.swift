import Foundation
import OpenSwiftDataSQLSyntax

/// Compiles equality and order of two terms. Called for the operators of comparison, and for other
/// nodes that compare: ranges, `contains`.
extension PredicateCompiler {
  // MARK: Equality

  /// Equality of two values of a type, which may have an `==` of its own.
  mutating func equality(
    _ lhs: SQLTerm, _ rhs: SQLTerm, of type: any Any.Type
  ) throws -> SQLExpression {
    if case .composite = lhs, case .composite = rhs { try PartEquality.require(for: type) }
    return try equality(lhs, rhs)
  }

  /// Equality as in Swift: two `nil` are equal, and `nil` equals nothing else.
  mutating func equality(_ lhs: SQLTerm, _ rhs: SQLTerm) throws -> SQLExpression {
    switch (lhs, rhs) {
    // Both may be captured in a branch of a choice, or in place of a value that fails elsewhere.
    case (.captured(let left), .captured(let right)):
      return try equality(captured: left, right) ? .true : .false
    case (.captured, _) where !rhs.isCaptured: return try equality(rhs, lhs)
    case (.scalar(let scalar), .captured(let value)): return try equality(scalar, captured: value)
    case (.nested(_, let isPresent), .captured(let value)):
      bindings.dependOnValues()
      guard let outer = value as? any OptionalValue, outer.isNil else {
        throw NotInSQL("equality of \(lhs.label)")
      }
      return isPresent.negated
    case (_, .captured(let value)) where StoredForms.unwrap(value) == nil: return try lhs.absence
    case (.scalar(let left), .scalar(let right)): return try equality(left, right)
    case (.identifier(let left), .captured(let value)): return try equality(left, captured: value)
    case (.identifier(let left), .identifier(let right)): return left.nullSafeEquality(right)
    case (.object(let left), .captured(let value)):
      guard let key = try scalar(captured: value) else { return try lhs.absence }
      return try equality(left.keyTerm, key)
    case (.object(let left), .object(let right)): return try equality(left.keyTerm, right.keyTerm)
    case (.composite(let left), .captured(let value)): return try equality(left, captured: value)
    case (.composite(let left), .composite(let right)):
      guard left.leaves.count == right.leaves.count, !left.hasEncodedLeaf else {
        throw NotInSQL("composite values with different members")
      }
      return equality(left, right)
    default: throw NotInSQL("equality of \(lhs.label) and \(rhs.label)")
    }
  }

  /// Equality of two composites with the same members, column by column.
  private mutating func equality(_ left: CompositeTerm, _ right: CompositeTerm) -> SQLExpression {
    let areEqual = SQLExpression.all(
      left.leaves.indices.map { index in
        let (one, other) = (left.columns[index], right.columns[index])
        if left.leaves[index].mayBeNaN { return .orFalse(.binary(one, .equal, other)) }
        guard left.leaves[index].column.sqlType == .text else {
          return .binary(one, .isSame, other)
        }
        return .binary(
          TextRules.canonical(one, &bindings), .isSame, TextRules.canonical(other, &bindings))
      })
    let areAbsent = SQLExpression.all([left.isAbsent, right.isAbsent])
    if left.leaves.contains(where: \.mayBeNaN) { return .any([areAbsent, areEqual]) }
    // A present value with empty columns does not equal an absent one.
    if left.presence == right.presence, !left.presence.isConditional { return areEqual }
    if !left.mayBeEmpty { return areEqual }
    return .any([areAbsent, .all([left.isPresent, right.isPresent, areEqual])])
  }

  private mutating func equality(captured left: Any, _ right: Any) throws -> Bool {
    bindings.dependOnValues()
    guard let left = StoredForms.unwrap(left), let right = StoredForms.unwrap(right) else {
      return StoredForms.unwrap(left) == nil && StoredForms.unwrap(right) == nil
    }
    guard let left = left as? AnyHashable, let right = right as? AnyHashable else {
      throw NotInSQL("equality of captured values")
    }
    return left == right
  }

  /// `optionalFlag == true` without an expression that may be null.
  private mutating func equality(_ scalar: ScalarTerm, _ flag: Bool) -> SQLExpression {
    let wanted = flag ? scalar.value : scalar.value.negated
    switch scalar.presence {
    case .when(let present): return .all([present, wanted])
    case .always where !scalar.value.isColumn: return wanted
    case .always: return .binary(scalar.value, .equal, bindings.bind(flag.storedValue))
    case .whenNotNull: return .binary(scalar.value, .isSame, bindings.bind(flag.storedValue))
    }
  }

  private mutating func equality(
    _ left: ScalarTerm, captured value: Any
  ) throws -> SQLExpression {
    guard let value = StoredForms.unwrap(value) else { return left.isPresent.negated }
    try left.requireEqualityOfStoredForms()
    if let flag = value as? Bool { return equality(left, flag) }
    let (stored, kind) = try forms.form(of: value)
    if left.isText, case .text(let text) = stored {
      return try TextRules.equality(left, text: text, kind, &bindings)
    }
    return try left.nullSafeEquality(ScalarTerm(value: bindings.bind(stored, as: kind), kind: kind))
  }

  private mutating func equality(
    _ left: ScalarTerm, _ right: ScalarTerm
  ) throws -> SQLExpression {
    try left.requireEqualityOfStoredForms()
    try right.requireEqualityOfStoredForms()
    guard left.isText, right.isText else { return try left.nullSafeEquality(right) }
    let canonical = left.mapped { TextRules.canonical($0, &bindings) }
    return try canonical.nullSafeEquality(right.mapped { TextRules.canonical($0, &bindings) })
  }

  /// Equality of a composite and a captured value, column by column.
  private mutating func equality(
    _ composite: CompositeTerm, captured value: Any
  ) throws -> SQLExpression {
    bindings.dependOnValues()
    guard let value = StoredForms.unwrap(value) as? any Encodable, !composite.hasEncodedLeaf else {
      throw NotInSQL("a composite value with a member that is stored as one value")
    }
    try PartEquality.require(for: type(of: value))
    let values = try composite.columnValues(of: value)
    let isEmpty = values.allSatisfy(\.isNull)
    // An optional composite with only empty columns is read as nil, which equals no value.
    if isEmpty, composite.presence == .whenNotNull { return .false }
    if values.contains(where: \.isNaN) { return .false }
    // The database cannot store the text, nor have it as a parameter.
    if !database.dialect.storesZeroCharacters, values.contains(where: \.hasZeroCharacter) {
      return .false
    }
    let areEqual = try zip(composite.columns, values).map { column, value in
      if value.isNull { return column.isNull }
      if case .text = value {
        guard let spellings = TextRules.spellings(of: [value]) else {
          throw NotInSQL("text in a composite value with too many Unicode spellings")
        }
        return .all([column.isNotNull, bindings.inList(column, spellings, of: .text)])
      }
      return .binary(column, .isSame, bindings.bind(derived: value))
    }
    return .all((isEmpty ? [composite.isPresent] : []) + areEqual)
  }

  /// Whether the identifier equals a captured one.
  private mutating func equality(
    _ identifier: IdentifierTerm, captured value: Any
  ) throws -> SQLExpression {
    guard let value = StoredForms.unwrap(value) else { return .false }
    return try membership(of: identifier, in: [value])
  }

  // MARK: Order

  /// `<`, `<=`, `>` and `>=`. If a value is absent, the result is false.
  mutating func ordering(
    _ lhs: SQLTerm, _ sign: SQLBinaryOperator, _ rhs: SQLTerm
  ) throws -> SQLExpression {
    guard let left = try optionalScalar(lhs), let right = try optionalScalar(rhs),
      let type = left.scalarType ?? right.scalarType, left.kind.hasOrder(with: right.kind)
    else { throw NotInSQL("an order of \(lhs.label) and \(rhs.label)") }
    let sign = left.kind.sign(sign, to: right.kind)
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
      let (first, second) = (
        texts.canonical(inOrder: left.value, &bindings),
        texts.canonical(inOrder: right.value, &bindings)
      )
      let hasColumn = left.value.isColumn || right.value.isColumn
      let collation = hasColumn ? nil : database.dialect.textCollation
      comparison = .binary(collation.map { .collate(first, $0) } ?? first, sign, second)
    case .decimal where database.dialect.comparesDecimals:
      comparison = .binary(
        ScalarTerm.withLeastNaN(left.value), sign, ScalarTerm.withLeastNaN(right.value))
    case .decimal:
      comparison = .binary(
        .function("swift_decimal_compare", [left.value, right.value]), sign, .integer(0))
    case .unsigned: comparison = left.unsignedComparison(sign, right)
    default: comparison = left.comparison(sign, right)
    }
    return .all([left.isPresent, right.isPresent, comparison])
  }
}

extension _StoredValue {
  fileprivate var hasZeroCharacter: Bool {
    if case .text(let text) = self { text.utf8.contains(0) } else { false }
  }
}
