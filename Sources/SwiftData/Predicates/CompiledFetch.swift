import Foundation
package import OpenSwiftDataSQLSyntax

/// What a predicate and sort descriptors came to in SQL.
///
/// The text depends on everything but `bindings`, so `shape` is the key of a statement cache.
package struct CompiledFetch: Sendable {
  /// The parts that decide the text of a statement.
  package struct Shape: Hashable, Sendable {
    /// The fetched entity. `$0 is Job` of all entries and a fetch of all jobs ask for the same rows,
    /// but those are read by different columns.
    package var entityName: String
    /// The entity's table under the alias `t0`.
    package var from: TableReference
    /// To-one destinations that the condition or the order reads; none adds or removes rows.
    package var joins: [Join]
    /// Which rows to take, the restriction to the entity included; `nil` takes all.
    package var condition: SQLExpression?
    /// The order, ending in the primary key; empty without descriptors.
    package var order: [OrderingTerm]
  }

  package var shape: Shape
  /// The values of the parameters 0, 1, 2 … of the condition.
  package var bindings: [_StoredValue]
  /// Why parts of the predicate are left to memory, for diagnostics; empty when none is.
  package var unsupported: [String]
  /// Those parts, as far as they can be judged alone; `nil` when the whole predicate has to be.
  package var remainder: [any StandardPredicateExpression<Bool>]?
  /// Whether the predicate has to judge the selected rows once more, in memory.
  package var filtersInMemory: Bool { !unsupported.isEmpty }
  /// Whether the order has to be made in memory, because SQL cannot express it.
  package var sortsInMemory: Bool
  /// The columns whose indexes could give the order, or answer a comparison, if they were known to
  /// hold composed text only.
  package var orderedText: Set<String>
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

  /// A condition over the bare table that selects the same rows, for `DELETE` and `UPDATE`.
  package var bareCondition: SQLExpression? {
    guard condition != nil else { return nil }
    let keys = Select(
      [RowColumns.key(of: Self.rootAlias)], from: from, joins: joins, where: condition)
    return .inSelect(RowColumns.key(), keys)
  }
}
