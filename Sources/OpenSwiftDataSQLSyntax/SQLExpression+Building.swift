extension SQLExpression {
  package static var `true`: SQLExpression { .boolean(true) }
  package static var `false`: SQLExpression { .boolean(false) }

  package var isTrue: Bool { if case .boolean(true) = self { true } else { false } }
  package var isFalse: Bool { if case .boolean(false) = self { true } else { false } }

  /// The conjunction of conditions that are 0 or 1. Folds constants and flattens nested
  /// conjunctions.
  package static func all(_ conditions: [SQLExpression]) -> SQLExpression {
    if conditions.count == 1, !conditions[0].isConjunction { return conditions[0] }
    var flat: [SQLExpression] = []
    var known: Set<SQLExpression> = []
    for condition in conditions {
      if condition.isFalse { return .false }
      if condition.isTrue { continue }
      if case .conjunction(let inner) = condition {
        for part in inner where known.insert(part).inserted { flat.append(part) }
      } else if known.insert(condition).inserted {
        flat.append(condition)
      }
    }
    if flat.isEmpty { return .true }
    return flat.count == 1 ? flat[0] : .conjunction(flat)
  }

  /// The disjunction of conditions that are 0 or 1. Folds constants and flattens nested
  /// disjunctions.
  package static func any(_ conditions: [SQLExpression]) -> SQLExpression {
    var flat: [SQLExpression] = []
    for condition in conditions {
      if condition.isTrue { return .true }
      if condition.isFalse { continue }
      if case .disjunction(let inner) = condition {
        flat += inner
      } else {
        flat.append(condition)
      }
    }
    if flat.isEmpty { return .false }
    return flat.count == 1 ? flat[0] : .disjunction(flat)
  }

  private var isConjunction: Bool { if case .conjunction = self { true } else { false } }

  /// The negation of a condition that is 0 or 1.
  package var negated: SQLExpression {
    switch self {
    case .boolean(let value): .boolean(!value)
    case .unary(.not, let inner): inner
    case .unary(.isNull, let inner): .unary(.isNotNull, inner)
    case .unary(.isNotNull, let inner): .unary(.isNull, inner)
    case .binary(let left, .isSame, let right): .binary(left, .isNotSame, right)
    case .binary(let left, .isNotSame, let right): .binary(left, .isSame, right)
    default: .unary(.not, self)
    }
  }

  package var isNull: SQLExpression {
    self == .null ? .true : .unary(.isNull, self)
  }

  package var isNotNull: SQLExpression {
    self == .null ? .false : .unary(.isNotNull, self)
  }
}
