extension SQLExpression {
  /// The tables or aliases whose columns the expression reads, including subqueries.
  package var tables: Set<String> {
    var found: Set<String> = []
    collectTables(into: &found)
    return found
  }

  private func collectTables(into found: inout Set<String>) {
    switch self {
    case .column(let table, _): if let table { found.insert(table) }
    case .parameter, .boolean, .integer, .text, .null, .star: break
    case .unary(_, let operand), .collate(let operand, _), .cast(let operand, _):
      operand.collectTables(into: &found)
    case .binary(let left, _, let right):
      left.collectTables(into: &found)
      right.collectTables(into: &found)
    case .conjunction(let parts), .disjunction(let parts), .function(_, let parts):
      for part in parts { part.collectTables(into: &found) }
    case .conditional(let branches, let otherwise):
      for branch in branches {
        branch.condition.collectTables(into: &found)
        branch.result.collectTables(into: &found)
      }
      otherwise?.collectTables(into: &found)
    case .inList(let value, let list):
      value.collectTables(into: &found)
      for element in list { element.collectTables(into: &found) }
    case .inSelect(let value, let select):
      value.collectTables(into: &found)
      found.formUnion(select.tables)
    case .exists(let select), .subquery(let select): found.formUnion(select.tables)
    }
  }
}

extension Select {
  /// The tables or aliases whose columns the query reads, including its own.
  package var tables: Set<String> {
    var expressions = columns.map(\.expression) + order.map(\.expression)
    if let list = from.list { expressions.append(list.parameter) }
    for join in joins {
      if let list = join.table.list { expressions.append(list.parameter) }
      expressions.append(join.condition)
    }
    expressions += [condition, limit, offset].compactMap(\.self)
    return expressions.reduce(into: []) { $0.formUnion($1.tables) }
  }

  /// The aliases or names of the tables that the query reads from.
  package var sources: Set<String> {
    Set(([from] + joins.map(\.table)).map { $0.alias ?? $0.name })
  }
}
