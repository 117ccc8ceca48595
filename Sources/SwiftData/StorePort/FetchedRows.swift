import Foundation

/// The rows of a fetch and what they still need.
package struct FetchedModels {
  package var rows: FetchedRows
  package var rest: InMemoryRest
  /// The values of models that the fetched ones lead to, where the store sent them along.
  package var related: [DefaultSnapshot] = []
}

/// What is left to do in memory. Limit and offset are not applied then.
package struct InMemoryRest {
  /// The predicate has to be judged.
  package var needsFilter: Bool
  /// The order has to be made.
  package var needsSort: Bool
  /// The parts of the predicate that are to be judged; `nil` when that is all of it.
  package var conditions: [any StandardPredicateExpression<Bool>]?

  package init(
    needsFilter: Bool = false, needsSort: Bool = false,
    conditions: [any StandardPredicateExpression<Bool>]? = nil
  ) {
    self.needsFilter = needsFilter
    self.needsSort = needsSort
    self.conditions = conditions
  }

  package var isEmpty: Bool { !needsFilter && !needsSort }
}

/// What a fetch found: rows of one entity, or snapshots of any.
package enum FetchedRows {
  case batch(RowBatch)
  case snapshots([DefaultSnapshot])
  /// Rows that have the properties to fetch only, in runs of one entity.
  case partial([RowBatch])

  /// Whole rows; a partial row makes no snapshot.
  package var snapshots: [DefaultSnapshot] {
    switch self {
    case .batch(let batch): batch.snapshots
    case .snapshots(let snapshots): snapshots
    case .partial: []
    }
  }
}
