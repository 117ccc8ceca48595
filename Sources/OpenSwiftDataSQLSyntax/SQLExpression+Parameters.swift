extension SQLExpression {
  /// Whether each parameter, read from left to right, has the next number or one that came before.
  /// - Parameter next: The next number; afterwards the one behind the last.
  /// - Returns: `false` also for what is not looked into, queries and choices.
  package func numbersParametersInOrder(from next: inout Int) -> Bool {
    switch self {
    case .parameter(let index):
      if index == next { next += 1 }
      return index < next
    case .column, .integer, .text, .null, .star: return true
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

  /// The expression with each parameter's number replaced.
  package func replacingParameters(_ replace: (Int) -> Int) -> SQLExpression {
    func deeper(_ expression: SQLExpression) -> SQLExpression {
      expression.replacingParameters(replace)
    }
    switch self {
    case .parameter(let index): return .parameter(replace(index))
    case .column, .integer, .text, .null, .star: return self
    case .unary(let op, let operand): return .unary(op, deeper(operand))
    case .binary(let left, let op, let right): return .binary(deeper(left), op, deeper(right))
    case .conjunction(let parts): return .conjunction(parts.map(deeper))
    case .disjunction(let parts): return .disjunction(parts.map(deeper))
    case .function(let name, let arguments): return .function(name, arguments.map(deeper))
    case .conditional(let branches, let otherwise):
      return .conditional(
        branches.map { SQLBranch(when: deeper($0.condition), then: deeper($0.result)) },
        otherwise: otherwise.map(deeper))
    case .inList(let value, let list): return .inList(deeper(value), list.map(deeper))
    case .inSelect(let value, let select):
      return .inSelect(deeper(value), select.replacingParameters(replace))
    case .exists(let select): return .exists(select.replacingParameters(replace))
    case .subquery(let select): return .subquery(select.replacingParameters(replace))
    case .collate(let value, let collation): return .collate(deeper(value), collation)
    case .cast(let value, let type): return .cast(deeper(value), to: type)
    }
  }
}

extension Select {
  /// The query with each parameter's number replaced.
  package func replacingParameters(_ replace: (Int) -> Int) -> Select {
    var result = self
    result.columns = columns.map {
      ResultColumn($0.expression.replacingParameters(replace), as: $0.name)
    }
    result.from.arguments = from.arguments?.map { $0.replacingParameters(replace) }
    result.joins = joins.map {
      var table = $0.table
      table.arguments = table.arguments?.map { $0.replacingParameters(replace) }
      return Join($0.kind, table, on: $0.condition.replacingParameters(replace))
    }
    result.condition = condition?.replacingParameters(replace)
    result.order = order.map {
      OrderingTerm($0.expression.replacingParameters(replace), $0.direction, nulls: $0.nulls)
    }
    result.limit = limit?.replacingParameters(replace)
    result.offset = offset?.replacingParameters(replace)
    return result
  }
}
