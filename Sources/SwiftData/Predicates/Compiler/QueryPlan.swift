import OpenSwiftDataSQLSyntax

/// Forms the condition of a query so that SQLite, which has no statistics here, chooses a good
/// plan.
///
/// * A condition on a to-many relationship is a correlated `EXISTS`, which reads the members of one
///   row at a time. If nothing else narrows the rows, it becomes `IN` over one query for the owners
///   of all matching members: with 100,000 owners of 300,000 members this takes 12 to 124 ms
///   instead of 187 to 349 ms. It stays if another condition narrows the rows, or if the members
///   depend on each row.
/// * The restriction to a subentity is marked as unlikely. Otherwise SQLite would prefer its index,
///   although it rarely excludes many rows.
struct QueryPlan {
  let mapping: SchemaMapping
  private let from: TableReference
  private let joins: [Join]

  init(mapping: SchemaMapping, from table: String, joins: [Join]) {
    self.init(
      mapping: mapping, from: TableReference(table, as: CompiledFetch.Shape.rootAlias),
      joins: joins)
  }

  private init(mapping: SchemaMapping, from: TableReference, joins: [Join]) {
    self.mapping = mapping
    self.from = from
    self.joins = joins
  }

  /// The alias of the table whose primary key is never null.
  private var root: String { from.alias ?? from.name }

  /// The name of the table that an alias stands for.
  private func table(_ alias: String) -> String? {
    if alias == root { return from.name }
    return joins.first { ($0.table.alias ?? $0.table.name) == alias }?.table.name
  }

  /// The conjunction of conditions whose result is 0, 1 or, instead of 0, null.
  func condition(_ conditions: [SQLExpression], restriction: SQLExpression?) -> SQLExpression {
    let condition = planned(.all(conditions))
    guard let restriction else { return condition }
    return condition.isTrue
      ? restriction : .all([.unlikely(restriction), condition])
  }

  /// Whether an index can find the rows that satisfy the conditions.
  func narrows(_ conditions: [SQLExpression]) -> Bool {
    conditions.contains(where: isNarrowing)
  }

  private func planned(_ condition: SQLExpression) -> SQLExpression {
    guard containsMemberQuery(condition) else { return condition }
    let parts = if case .conjunction(let parts) = condition { parts } else { [condition] }
    return parts.contains(where: isNarrowing) ? condition : atOnce(condition, isNegated: false)
  }

  /// Whether an index can find the rows that satisfy the condition.
  private func isNarrowing(_ condition: SQLExpression) -> Bool {
    switch condition {
    case .binary(let left, let sign, let right):
      sign.isSearch
        && (isIndexed(left) && right.tables.isEmpty || isIndexed(right) && left.tables.isEmpty)
    case .inList(let value, _): isIndexed(value)
    case .inSelect(let value, let select): isIndexed(value) && select.tables.isEmpty
    case .conjunction(let parts): parts.contains(where: isNarrowing)
    case .disjunction(let parts): parts.allSatisfy(isNarrowing)
    default: false
    }
  }

  private func isIndexed(_ expression: SQLExpression) -> Bool {
    guard case .column(let alias?, let name) = expression, let table = table(alias) else {
      return false
    }
    return mapping.isIndexed(name, of: table)
  }

  /// Whether the condition contains an `EXISTS` that `atOnce` would replace.
  private func containsMemberQuery(_ condition: SQLExpression) -> Bool {
    switch condition {
    case .conjunction(let parts), .disjunction(let parts):
      parts.contains(where: containsMemberQuery)
    case .unary(.not, let inner): containsMemberQuery(inner)
    case .exists: true
    default: false
    }
  }

  /// The condition with `IN` in place of `EXISTS`, where possible.
  private func atOnce(_ condition: SQLExpression, isNegated: Bool) -> SQLExpression {
    switch condition {
    case .conjunction(let parts):
      .conjunction(parts.map { atOnce($0, isNegated: isNegated) })
    case .disjunction(let parts):
      .disjunction(parts.map { atOnce($0, isNegated: isNegated) })
    case .unary(.not, let inner): .unary(.not, atOnce(inner, isNegated: true))
    case .exists(let members): owners(of: members, isNegated: isNegated) ?? condition
    default: condition
    }
  }

  /// `owner IN (SELECT key FROM members)` for `EXISTS (SELECT … WHERE key = owner)`.
  private func owners(of members: Select, isNegated: Bool) -> SQLExpression? {
    guard case .conjunction(var parts)? = members.condition,
      case .binary(let key, .equal, let owner)? = parts.first,
      case .column(let alias?, let name) = owner, table(alias) != nil
    else { return nil }
    // With a missing owner, `IN` gives null, which `NOT` does not turn into 1.
    if isNegated, alias != root || name != RowColumns.key { return nil }
    parts.removeFirst()
    // `NOT IN` gives null if the list contains a null key, so those are excluded. This test comes
    // last, because few rows reach it.
    if isNegated { parts.append(key.isNotNull) }
    var query = members
    query.columns = [ResultColumn(key)]
    query.condition = .all(parts)
    guard query.tables.isSubset(of: query.sources) else { return nil }
    let inner = QueryPlan(mapping: mapping, from: members.from, joins: members.joins)
    query.condition = inner.planned(.all(parts))
    return .inSelect(owner, query)
  }
}

extension SQLBinaryOperator {
  /// Whether an index can find the values for this comparison.
  fileprivate var isSearch: Bool {
    switch self {
    case .equal, .isSame, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }
}
