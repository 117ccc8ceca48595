import OpenSwiftDataSQLSyntax

/// How an index leads to the rows of a query.
extension QueryPlan {
  /// Up to this many values are few.
  private static let fewValues = 256

  /// - Parameters:
  ///   - condition: The condition of the query; `nil` selects all rows.
  ///   - order: The order of the query; empty for that of the keys.
  func reach(
    _ condition: SQLExpression?, order: [OrderingTerm], of source: some RowSource
  ) -> CompiledFetch.Reach {
    guard joins.isEmpty else { return .search }
    let parts: [SQLExpression] =
      switch condition {
      case nil: []
      case .conjunction(let parts)?: parts
      case let part?: [part]
      }
    if parts.contains(where: hasFewValues) { return .uniqueValues }
    var first = RowColumns.key
    if let term = order.first {
      // Rows with equal values would be sorted. Few texts have the same composed form.
      guard let name = column(in: term.expression), source.isDistinct(name, in: mapping) else {
        return .search
      }
      first = name
    }
    return parts.allSatisfy { boundedColumn(in: $0) == first } ? .uniqueOrder : .search
  }

  private func isUnique(_ column: String) -> Bool {
    column == RowColumns.key || mapping.isUnique(column, of: from.name)
  }

  /// Whether a condition gives one value or a few of a unique column.
  private func hasFewValues(_ condition: SQLExpression) -> Bool {
    switch condition {
    case .binary(_, .equal, _): comparedColumn(in: condition).map(isUnique) ?? false
    case .inList(let value, let values):
      values.count <= QueryPlan.fewValues && values.allSatisfy { $0.tables.isEmpty }
        && column(in: value).map(isUnique) ?? false
    default: false
    }
  }

  /// The column for which a condition gives a bound.
  private func boundedColumn(in condition: SQLExpression) -> String? {
    guard case .binary(_, let sign, _) = condition, let search = sign.search, search != .value
    else { return nil }
    return comparedColumn(in: condition)
  }

  /// The column of the table that a condition compares with a value.
  private func comparedColumn(in condition: SQLExpression) -> String? {
    guard case .binary(let left, _, let right) = condition else { return nil }
    if right.tables.isEmpty { return column(in: left) }
    return left.tables.isEmpty ? column(in: right) : nil
  }

  /// The column of the table that an expression is, or whose composed text it is: both have an index if one of
  /// them has.
  private func column(in expression: SQLExpression) -> String? {
    guard case .column(root, let name) = expression.composedText ?? expression else { return nil }
    return name
  }
}
