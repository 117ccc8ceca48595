extension SQLExpression {
  /// Whether each parameter, from left to right, has the next number or one that occurred before.
  /// - Parameter next: The next number; afterwards the number after the last one.
  /// - Returns: `false` also for queries and choices, which are not examined.
  package func numbersParametersInOrder(from next: inout Int) -> Bool {
    switch self {
    case .parameter(let index):
      if index == next { next += 1 }
      return index < next
    case .column, .boolean, .integer, .text, .null, .star: return true
    case .unary(_, let operand), .collate(let operand, _), .cast(let operand, _):
      return operand.numbersParametersInOrder(from: &next)
    case .binary(let left, _, let right):
      return left.numbersParametersInOrder(from: &next)
        && right.numbersParametersInOrder(from: &next)
    case .conjunction(let parts), .disjunction(let parts), .function(_, let parts):
      for part in parts where !part.numbersParametersInOrder(from: &next) { return false }
      return true
    case .inList(let value, let list):
      guard value.numbersParametersInOrder(from: &next) else { return false }
      for element in list where !element.numbersParametersInOrder(from: &next) { return false }
      return true
    case .conditional, .inSelect, .exists, .subquery: return false
    }
  }

  /// The expression with the number of each parameter replaced.
  package func replacingParameters(_ replace: (Int) -> Int) -> SQLExpression {
    if case .parameter(let index) = self { return .parameter(replace(index)) }
    return mappingOperands { $0.replacingParameters(replace) }
  }
}
