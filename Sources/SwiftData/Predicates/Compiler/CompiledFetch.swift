import Foundation
package import OpenSwiftDataSQLSyntax

/// A predicate and sort descriptors, compiled to SQL.
///
/// The SQL text depends on everything except `bindings`, so `shape` is the key of a statement
/// cache.
package struct CompiledFetch: Sendable {
  /// The parts that determine the text of a statement.
  package struct Shape: Hashable, Sendable {
    /// The name of the fetched entity or other source. `$0 is Job` over all entries and a fetch of
    /// all jobs select the same rows, but read different columns.
    package var sourceName: String
    /// The entity's table, with the alias `t0`.
    package var from: TableReference
    /// Joins with to-one destinations that the condition or the order reads. They add and remove no
    /// rows.
    package var joins: [Join]
    /// The condition, including the restriction to the entity; `nil` selects all rows.
    package var condition: SQLExpression?
    /// The order, which distinguishes all rows; empty without descriptors.
    package var order: [OrderingTerm]
  }

  /// How an index leads to the rows.
  package enum Reach: Sendable {
    /// By one or a few unique values.
    case uniqueValues
    /// In their order, from the beginning of a unique index or from a value on.
    case uniqueOrder
    /// The rows may be found among many.
    case search
  }

  package var shape: Shape
  /// The values of the condition's parameters 0, 1, 2 ….
  package var bindings: [_StoredValue]
  /// The reasons why parts of the predicate are evaluated in memory; empty if there are none.
  package var unsupported: [String]
  /// These parts, if they can be evaluated alone; `nil` if the whole predicate must be evaluated.
  package var remainder: [any StandardPredicateExpression<Bool>]?
  /// Whether the predicate must be evaluated in memory on the selected rows.
  package var filtersInMemory: Bool { !unsupported.isEmpty }
  /// Whether the rows must be sorted in memory, because SQL cannot express the order.
  package var sortsInMemory: Bool
  /// Indexed text columns that could give the order or answer a comparison if they contained only
  /// composed text.
  package var orderedText: Set<String>
  /// Whether every request with the same `PredicateShape` compiles to the same SQL. Only the
  /// bindings differ, and each is an unchanged captured value.
  package var dependsOnShapeOnly: Bool
  /// How much work it is to find the rows.
  package var reach = Reach.search
}

extension CompiledFetch.Shape {
  /// The alias of the fetched entity's table.
  package static let rootAlias = "t0"

  /// The query that reads `columns` of the selected rows.
  package func select(
    _ columns: [SQLExpression], limit: SQLExpression? = nil, offset: SQLExpression? = nil
  ) -> Select {
    Select(
      columns, from: from, joins: joins, where: condition, orderBy: order, limit: limit,
      offset: offset)
  }

  /// A condition for the table alone that selects the same rows, for `DELETE` and `UPDATE`.
  package var bareCondition: SQLExpression? {
    guard condition != nil else { return nil }
    let keys = Select(
      [RowColumns.key(of: Self.rootAlias)], from: from, joins: joins, where: condition)
    return .inSelect(RowColumns.key(), keys)
  }
}
