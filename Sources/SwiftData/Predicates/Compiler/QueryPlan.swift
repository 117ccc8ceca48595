import OpenSwiftDataSQLSyntax

/// Forms the condition of a query so that SQLite, which has no statistics here, chooses a good
/// plan.
///
/// * A condition on a to-many relationship is a correlated `EXISTS`, which reads the members of one
///   row at a time. If nothing else narrows the rows, it becomes `IN` over one query for the owners
///   of all matching members: with 100,000 owners of 300,000 members this takes 12 to 124 ms
///   instead of 187 to 349 ms. It stays if another condition narrows the rows, or if the members
///   depend on each row. A single bound narrows less than a value that an index finds among the members:
///   `code < last` is the condition of a page, which may be the whole table.
/// * The restriction to a subentity is marked as unlikely. Otherwise SQLite would prefer its index,
///   although it rarely excludes many rows.
struct QueryPlan {
  let mapping: SchemaMapping
  let from: TableReference
  let joins: [Join]

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
  var root: String { from.alias ?? from.name }

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
    narrowing(of: .conjunction(conditions)) > .none
  }

  private func planned(_ condition: SQLExpression) -> SQLExpression {
    guard containsMemberQuery(condition) else { return condition }
    return switch narrowing(of: condition) {
    case .none: atOnce(condition, onlyValues: false, isNegated: false)
    case .bound: atOnce(condition, onlyValues: true, isNegated: false)
    case .bounds, .values: condition
    }
  }

  /// How an index finds the rows that satisfy a condition; later cases mostly leave fewer rows.
  private enum Narrowing: Int, Comparable {
    case none
    /// A lower or an upper bound of a column.
    case bound
    /// Both.
    case bounds
    /// One or several values of a column.
    case values

    static func < (lhs: Narrowing, rhs: Narrowing) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  private func narrowing(of condition: SQLExpression) -> Narrowing {
    switch condition {
    case .binary(let left, let sign, let right):
      guard let search = sign.search,
        isIndexed(left) && right.tables.isEmpty || isIndexed(right) && left.tables.isEmpty
      else { return .none }
      return search == .value ? .values : .bound
    case .inList(let value, _): return isIndexed(value) ? .values : .none
    case .inSelect(let value, let select):
      return isIndexed(value) && select.tables.isEmpty ? .values : .none
    case .conjunction(let parts):
      let most = parts.map(narrowing).max() ?? .none
      return most == .bound && hasBothBounds(parts) ? .bounds : most
    case .disjunction(let parts): return parts.map(narrowing).min() ?? .none
    default: return .none
    }
  }

  /// Whether an indexed column has a lower and an upper bound.
  private func hasBothBounds(_ parts: [SQLExpression]) -> Bool {
    var bounds: [SQLExpression: Set<SQLBinaryOperator.Search>] = [:]
    for case .binary(let left, let sign, let right) in parts
    where narrowing(of: .binary(left, sign, right)) == .bound {
      guard let search = sign.search else { continue }
      if isIndexed(left) {
        bounds[left, default: []].insert(search)
      } else {
        bounds[right, default: []].insert(search.reversed)
      }
    }
    return bounds.values.contains { $0.count == 2 }
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
  /// - Parameter onlyValues: Whether an index must find the members by values.
  private func atOnce(
    _ condition: SQLExpression, onlyValues: Bool, isNegated: Bool
  ) -> SQLExpression {
    switch condition {
    case .conjunction(let parts):
      .conjunction(parts.map { atOnce($0, onlyValues: onlyValues, isNegated: isNegated) })
    case .disjunction(let parts):
      .disjunction(parts.map { atOnce($0, onlyValues: onlyValues, isNegated: isNegated) })
    case .unary(.not, let inner):
      .unary(.not, atOnce(inner, onlyValues: onlyValues, isNegated: true))
    case .exists(let members):
      owners(of: members, onlyValues: onlyValues, isNegated: isNegated) ?? condition
    default: condition
    }
  }

  /// `owner IN (SELECT key FROM members)` for `EXISTS (SELECT … WHERE key = owner)`.
  private func owners(
    of members: Select, onlyValues: Bool, isNegated: Bool
  ) -> SQLExpression? {
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
    if onlyValues, inner.narrowing(of: .all(parts)) != .values { return nil }
    query.condition = inner.planned(.all(parts))
    return .inSelect(owner, query)
  }
}

extension SQLBinaryOperator {
  /// What an index looks for.
  enum Search {
    case value
    case lowerBound
    case upperBound

    /// The same comparison with its sides exchanged.
    var reversed: Search {
      switch self {
      case .value: .value
      case .lowerBound: .upperBound
      case .upperBound: .lowerBound
      }
    }
  }

  /// `nil` if an index can't find the values for this comparison.
  var search: Search? {
    switch self {
    case .equal, .isSame: .value
    case .less, .lessOrEqual: .upperBound
    case .greater, .greaterOrEqual: .lowerBound
    default: nil
    }
  }
}
