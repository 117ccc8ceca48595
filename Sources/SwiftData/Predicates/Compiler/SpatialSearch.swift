import OpenSwiftDataSQLSyntax

/// Finds the bounding box in a condition that a spatial index can search.
///
/// The index only narrows the rows: a tree's numbers are rounded outwards to 32 bits, so the condition
/// itself is evaluated on them too. A row without one of the numbers is not in the index, whichever
/// number that is. It does not satisfy a comparison of that number.
struct SpatialSearch {
  private struct Bounds {
    var lower: [SQLExpression] = []
    var upper: [SQLExpression] = []
    var isEmpty: Bool { lower.isEmpty && upper.isEmpty }
  }

  /// By column of the fetched entity's table.
  private var bounds: [String: Bounds] = [:]

  init(_ conditions: [SQLExpression]) {
    for condition in conditions { read(condition) }
  }

  /// The condition for the best of the indexes; `nil` if none has bounds for two columns, and for each
  /// that may be null.
  func condition(_ indexes: [SpatialIndex], in dialect: SQLDialect) -> SQLExpression? {
    switch dialect {
    case .sqlite: treeCondition(indexes)
    case .postgreSQL: indexes.lazy.compactMap(pointCondition).first
    }
  }

  /// The condition that the point of an index is in a box, which may be open at some sides.
  private func pointCondition(_ index: SpatialIndex) -> SQLExpression? {
    let sides = index.columns.prefix(2).map { bounds[$0] ?? Bounds() }
    guard let point = index.point(alias: CompiledFetch.Shape.rootAlias),
      sides.allSatisfy({ !$0.isEmpty })
    else { return nil }
    func corner(
      _ values: (Bounds) -> [SQLExpression], innermost: String, open: String
    ) -> SQLExpression {
      .function(
        "point",
        sides.map { side in
          let numbers = values(side).map { SQLExpression.cast($0, to: .real) }
          if numbers.isEmpty { return .cast(.text(open), to: .real) }
          return numbers.count == 1 ? numbers[0] : .function(innermost, numbers)
        })
    }
    return .binary(
      point, .isInside,
      .function(
        "box",
        [
          corner(\.lower, innermost: "greatest", open: "-Infinity"),
          corner(\.upper, innermost: "least", open: "Infinity"),
        ]))
  }

  private func treeCondition(_ indexes: [SpatialIndex]) -> SQLExpression? {
    func isBounded(_ column: String) -> Bool { bounds[column]?.isEmpty == false }
    let rated = indexes.map { index in (index, index.columns.count(where: isBounded)) }
      .filter { index, count in
        count >= min(2, index.columns.count) && index.nullableColumns.allSatisfy(isBounded)
      }
    guard let index = rated.max(by: { $0.1 < $1.1 })?.0 else { return nil }
    var conditions: [SQLExpression] = []
    for column in index.columns {
      for lower in bounds[column]?.lower ?? [] {
        conditions.append(
          .binary(.column(table: nil, name: SpatialIndex.upper(column)), .greaterOrEqual, lower))
      }
      for upper in bounds[column]?.upper ?? [] {
        conditions.append(
          .binary(.column(table: nil, name: SpatialIndex.lower(column)), .lessOrEqual, upper))
      }
    }
    let keys = Select(
      [RowColumns.key()], from: TableReference(index.name),
      where: .all(conditions))
    return .inSelect(RowColumns.key(of: CompiledFetch.Shape.rootAlias), keys)
  }

  private mutating func read(_ condition: SQLExpression) {
    switch condition {
    case .conjunction(let parts): for part in parts { read(part) }
    case .binary(.column(CompiledFetch.Shape.rootAlias, let name), let sign, let value)
    where value.parameterIndex != nil:
      note(name, sign, value)
    case .binary(let value, let sign, .column(CompiledFetch.Shape.rootAlias, let name))
    where value.parameterIndex != nil:
      note(name, sign.mirrored, value)
    default: return
    }
  }

  private mutating func note(_ column: String, _ sign: SQLBinaryOperator, _ value: SQLExpression) {
    switch sign {
    case .greater, .greaterOrEqual: bounds[column, default: Bounds()].lower.append(value)
    case .less, .lessOrEqual: bounds[column, default: Bounds()].upper.append(value)
    case .equal:
      bounds[column, default: Bounds()].lower.append(value)
      bounds[column, default: Bounds()].upper.append(value)
    default: return
    }
  }
}

extension SQLBinaryOperator {
  /// The operator with the same meaning after its operands are exchanged.
  fileprivate var mirrored: SQLBinaryOperator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }
}
