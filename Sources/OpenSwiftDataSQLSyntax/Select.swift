/// A query.
package struct Select: Hashable, Sendable {
  package var columns: [ResultColumn]
  /// Whether equal rows are returned once.
  package var isDistinct = false
  package var from: TableReference
  package var joins: [Join]
  package var condition: SQLExpression?
  package var order: [OrderingTerm]
  package var limit: SQLExpression?
  package var offset: SQLExpression?

  package init(
    _ columns: [ResultColumn],
    from: TableReference,
    joins: [Join] = [],
    where condition: SQLExpression? = nil,
    orderBy order: [OrderingTerm] = [],
    limit: SQLExpression? = nil,
    offset: SQLExpression? = nil
  ) {
    self.columns = columns
    self.from = from
    self.joins = joins
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset
  }

  package init(
    _ columns: [SQLExpression],
    from: TableReference,
    joins: [Join] = [],
    where condition: SQLExpression? = nil,
    orderBy order: [OrderingTerm] = [],
    limit: SQLExpression? = nil,
    offset: SQLExpression? = nil
  ) {
    self.init(
      columns.map { ResultColumn($0) }, from: from, joins: joins, where: condition,
      orderBy: order, limit: limit, offset: offset)
  }
}

package struct ResultColumn: Hashable, Sendable {
  package var expression: SQLExpression
  package var name: String?

  package init(_ expression: SQLExpression, as name: String? = nil) {
    self.expression = expression
    self.name = name
  }
}

/// A table, or the values of a list, under an alias.
package struct TableReference: Hashable, Sendable {
  package var name: String
  package var alias: String?
  /// The list whose values are the rows; `nil` for a table.
  package var list: ListParameter?
  /// The columns of a range of integers: the row is repeated for each of them. In PostgreSQL only.
  package var range: Range?

  package init(_ name: String, as alias: String? = nil) {
    self.name = name
    self.alias = alias
  }

  package init(list: ListParameter, as alias: String? = nil) {
    name = ""
    self.alias = alias
    self.list = list
  }

  package struct Range: Hashable, Sendable {
    /// Null for a range of one integer.
    package let first: String
    package let last: String

    package init(first: String, last: String) {
      self.first = first
      self.last = last
    }

    /// The integer of a repeated row.
    /// - Parameter alias: The alias of the table.
    package static func value(of alias: String) -> SQLExpression {
      .column(table: rowAlias(alias), name: column)
    }

    static let column = "value"
    static func rowAlias(_ alias: String) -> String { alias + "_range" }
  }
}

package struct Join: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case inner = "JOIN"
    case left = "LEFT JOIN"
    /// Keeps the tables in this order, in databases that guarantee it (`keepsJoinOrder`).
    case cross = "CROSS JOIN"
  }

  package var kind: Kind
  package var table: TableReference
  package var condition: SQLExpression

  package init(_ kind: Kind, _ table: TableReference, on condition: SQLExpression) {
    self.kind = kind
    self.table = table
    self.condition = condition
  }
}

package struct OrderingTerm: Hashable, Sendable {
  package enum Direction: String, Hashable, Sendable {
    case ascending = "ASC"
    case descending = "DESC"
  }

  package enum NullPlacement: String, Hashable, Sendable {
    case first = "NULLS FIRST"
    case last = "NULLS LAST"
    /// There are no nulls. So the index of a primary key has the order on a server too.
    case never
  }

  package var expression: SQLExpression
  package var direction: Direction
  /// The position of nulls; `nil` orders null before every value.
  package var nulls: NullPlacement?

  package init(
    _ expression: SQLExpression, _ direction: Direction = .ascending, nulls: NullPlacement? = nil
  ) {
    self.expression = expression
    self.direction = direction
    self.nulls = nulls
  }

  /// An order by a key, which is never null.
  package static func key(
    _ expression: SQLExpression, _ direction: Direction = .ascending
  ) -> OrderingTerm {
    OrderingTerm(expression, direction, nulls: .never)
  }
}
