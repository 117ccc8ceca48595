import OpenSwiftDataSQLSyntax

/// The joins of a query and of the subqueries around the current node, and the aliases of their
/// tables.
///
/// * Level 0 is the outermost query; it exists always. Each subquery is one level deeper and is left
///   before the query around it.
/// * No two tables of a statement have the same alias, even if one of them was removed again with
///   its subquery.
/// * Each level joins a table at most once for each key.
struct QueryScopes {
  private var levels: [[Join]] = [[]]
  private var aliasCount = 1

  /// The level of the current query; the outermost is 0.
  var level: Int { levels.count - 1 }

  /// The joins of the outermost query.
  var outermost: [Join] { levels[0] }

  /// Replaces the conditions of these joins.
  mutating func mapConditions(_ transform: (SQLExpression) throws -> SQLExpression) rethrows {
    for index in levels[0].indices {
      levels[0][index].condition = try transform(levels[0][index].condition)
    }
  }

  mutating func newAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// The alias of the object's row; joins its table if that is not joined yet.
  mutating func alias(of object: ObjectTerm) -> String {
    let key: SQLExpression
    switch object.source {
    case .row(let alias): return alias
    case .key(let expression): key = expression
    }
    // One join per table and key: `a.b.c == 1 && a.b.d == 2` reads the same row.
    for join in levels[object.scope] where join.table.name == object.entity.table {
      guard let alias = join.table.alias else { continue }
      if join.condition == joinCondition(alias, key) { return alias }
    }
    let alias = newAlias()
    levels[object.scope].append(
      Join(.left, TableReference(object.entity.table, as: alias), on: joinCondition(alias, key)))
    return alias
  }

  private func joinCondition(_ alias: String, _ key: SQLExpression) -> SQLExpression {
    .binary(RowColumns.key(of: alias), .equal, key)
  }

  // MARK: Subqueries

  mutating func enterSubquery() { levels.append([]) }

  /// The joins of the current query.
  var innermost: [Join] { levels[levels.count - 1] }

  mutating func leaveSubquery() { levels.removeLast() }

  // MARK: Nulls

  /// Whether the expression is null whenever `part` is.
  func isNull(_ expression: SQLExpression, whenNull part: SQLExpression) -> Bool {
    if expression == part { return true }
    switch expression {
    case .column(let alias?, _):
      // A column of a joined table is null if the join finds no row, or if the join's key is null.
      if part == RowColumns.key(of: alias) { return true }
      let join = levels.lazy.joined().first { $0.table.alias == alias }
      guard let join, case .binary(_, .equal, let key) = join.condition else { return false }
      return isNull(key, whenNull: part)
    case .function(let name, let arguments):
      return (SQLFunction.isOurs(name) || name == "length")
        && arguments.contains { isNull($0, whenNull: part) }
    case .binary(let left, .add, let right), .binary(let left, .subtract, let right),
      .binary(let left, .multiply, let right), .binary(let left, .concatenate, let right):
      return isNull(left, whenNull: part) || isNull(right, whenNull: part)
    default: return false
    }
  }
}
