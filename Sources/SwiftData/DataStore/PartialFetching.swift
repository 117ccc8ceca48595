import Foundation

/// A store that can say which part of a request it could not do itself.
package protocol PartialFetching: DataStore {
  /// Rows that contain all matches, and what is left to do in memory.
  func fetchPartially<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> PartialFetchResult
}

/// The rows of a partial fetch and what they still need.
package struct PartialFetchResult {
  package var rows: FetchedRows
  package var rest: InMemoryRest
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
