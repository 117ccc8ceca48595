extension SQLExpression {
  /// The expression with each of its direct operands replaced.
  package func mappingOperands(
    _ transform: (SQLExpression) throws -> SQLExpression
  ) rethrows -> SQLExpression {
    switch self {
    case .column, .parameter, .boolean, .integer, .text, .null, .star: return self
    case .unary(let op, let operand): return .unary(op, try transform(operand))
    case .binary(let left, let op, let right):
      return .binary(try transform(left), op, try transform(right))
    case .conjunction(let parts): return .conjunction(try parts.map(transform))
    case .disjunction(let parts): return .disjunction(try parts.map(transform))
    case .function(let name, let arguments):
      return .function(name, try arguments.map(transform))
    case .conditional(let branches, let otherwise):
      return .conditional(
        try branches.map {
          SQLBranch(when: try transform($0.condition), then: try transform($0.result))
        }, otherwise: try otherwise.map(transform))
    case .inList(let value, let list):
      return .inList(try transform(value), try list.map(transform))
    case .inSelect(let value, let select):
      return .inSelect(try transform(value), try select.mappingExpressions(transform))
    case .exists(let select): return .exists(try select.mappingExpressions(transform))
    case .subquery(let select): return .subquery(try select.mappingExpressions(transform))
    case .collate(let value, let collation): return .collate(try transform(value), collation)
    case .cast(let value, let type): return .cast(try transform(value), to: type)
    }
  }
}

extension Select {
  /// The query with each of its expressions replaced.
  package func mappingExpressions(
    _ transform: (SQLExpression) throws -> SQLExpression
  ) rethrows -> Select {
    var result = self
    result.columns = try columns.map { ResultColumn(try transform($0.expression), as: $0.name) }
    result.from = try from.mappingList(transform)
    result.joins = try joins.map {
      Join($0.kind, try $0.table.mappingList(transform), on: try transform($0.condition))
    }
    result.condition = try condition.map(transform)
    result.order = try order.map {
      OrderingTerm(try transform($0.expression), $0.direction, nulls: $0.nulls)
    }
    result.limit = try limit.map(transform)
    result.offset = try offset.map(transform)
    return result
  }
}

extension TableReference {
  fileprivate func mappingList(
    _ transform: (SQLExpression) throws -> SQLExpression
  ) rethrows -> TableReference {
    var result = self
    if let list { result.list?.parameter = try transform(list.parameter) }
    return result
  }
}
