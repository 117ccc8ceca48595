extension Select: SQLStatement {
  package func write(to renderer: inout SQLRenderer) {
    renderer.write(isDistinct ? "SELECT DISTINCT " : "SELECT ")
    renderer.writeList(columns) { renderer, column in
      column.expression.write(to: &renderer)
      if let name = column.name {
        renderer.write(" AS ")
        renderer.write(identifier: name)
      }
    }
    renderer.write(" FROM ")
    from.write(to: &renderer)
    for join in joins {
      renderer.write(" \(join.kind.rawValue) ")
      join.table.write(to: &renderer)
      renderer.write(" ON ")
      join.condition.write(to: &renderer)
    }
    if let condition {
      renderer.write(" WHERE ")
      condition.write(to: &renderer)
    }
    if !order.isEmpty {
      renderer.write(" ORDER BY ")
      renderer.writeList(order) { $1.write(to: &$0) }
    }
    writeLimits(to: &renderer)
  }

  private func writeLimits(to renderer: inout SQLRenderer) {
    if let limit {
      renderer.write(" LIMIT ")
      limit.write(to: &renderer)
    } else if offset != nil, let unlimited = renderer.dialect.unlimited {
      renderer.write(" LIMIT \(unlimited)")
    }
    if let offset {
      renderer.write(" OFFSET ")
      offset.write(to: &renderer)
    }
  }
}

extension TableReference {
  func write(to renderer: inout SQLRenderer) {
    if let list { return list.write(as: alias, to: &renderer) }
    renderer.write(identifier: name)
    if let alias {
      renderer.write(" AS ")
      renderer.write(identifier: alias)
    }
    range?.write(of: alias ?? name, to: &renderer)
  }
}

extension TableReference.Range {
  fileprivate func write(of table: String, to renderer: inout SQLRenderer) {
    func write(_ column: String) {
      SQLExpression.column(table: table, name: column).write(to: &renderer)
    }
    renderer.write(" CROSS JOIN LATERAL generate_series(coalesce(")
    write(first)
    renderer.write(", ")
    write(last)
    renderer.write("), ")
    write(last)
    renderer.write(") AS ")
    renderer.write(identifier: Self.rowAlias(table))
    renderer.write(" ")
    renderer.writeColumns([Self.column])
  }
}

extension SQLRenderer {
  /// Writes an order that is not that of the database.
  mutating func write(
    _ direction: OrderingTerm.Direction, _ nulls: OrderingTerm.NullPlacement?
  ) {
    let nulls = nulls == .never ? nil : nulls
    if direction == .descending || nulls != nil { write(" \(direction.rawValue)") }
    if let nulls { write(" \(nulls.rawValue)") }
  }
}

extension OrderingTerm {
  func write(to renderer: inout SQLRenderer) {
    expression.write(to: &renderer)
    renderer.write(direction, self.nulls ?? renderer.dialect.nulls(direction))
  }
}

extension Insert {
  package func write(to renderer: inout SQLRenderer) {
    let ignoring = renderer.dialect.ignoring
    switch conflict {
    case .fail: renderer.write("INSERT")
    case .stop: renderer.write(renderer.dialect.stopping ?? "INSERT")
    case .ignore: renderer.write(ignoring.prefix)
    }
    renderer.write(" INTO ")
    renderer.write(identifier: table)
    renderer.write(" ")
    renderer.writeColumns(columns)
    renderer.write(" VALUES ")
    renderer.writeList(rows) { renderer, row in
      renderer.write("(")
      renderer.writeList(row) { $1.write(to: &$0) }
      renderer.write(")")
    }
    if conflict == .ignore { renderer.write(ignoring.suffix) }
  }
}

extension InsertSelection {
  package func write(to renderer: inout SQLRenderer) {
    renderer.write("INSERT INTO ")
    renderer.write(identifier: table)
    renderer.write(" ")
    renderer.writeColumns(columns)
    renderer.write(" ")
    select.write(to: &renderer)
  }
}

extension Update {
  package func write(to renderer: inout SQLRenderer) {
    renderer.write("UPDATE ")
    renderer.write(identifier: table)
    renderer.write(" SET ")
    renderer.writeList(assignments) { $1.write(to: &$0) }
    if let condition {
      renderer.write(" WHERE ")
      condition.write(to: &renderer)
    }
    renderer.write(returning: returning)
  }
}

extension Assignment {
  func write(to renderer: inout SQLRenderer) {
    renderer.write(identifier: column)
    renderer.write(" = ")
    value.write(to: &renderer)
  }
}

extension Delete {
  package func write(to renderer: inout SQLRenderer) {
    renderer.write("DELETE FROM ")
    TableReference(table, as: alias).write(to: &renderer)
    if let condition {
      renderer.write(" WHERE ")
      condition.write(to: &renderer)
    }
    renderer.write(returning: returning)
  }
}

extension SQLRenderer {
  fileprivate mutating func write(returning columns: [String]) {
    if columns.isEmpty { return }
    write(" RETURNING ")
    writeList(columns) { $0.write(identifier: $1) }
  }
}
