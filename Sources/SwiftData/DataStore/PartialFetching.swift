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
  /// The predicate has to be judged in memory; limit and offset are not applied yet.
  package var needsFilter: Bool
  /// The order has to be made in memory; limit and offset are not applied yet.
  package var needsSort: Bool

  package init(rows: FetchedRows, needsFilter: Bool, needsSort: Bool) {
    self.rows = rows
    self.needsFilter = needsFilter
    self.needsSort = needsSort
  }
}

/// What a fetch found: rows of one entity, or snapshots of any.
package enum FetchedRows {
  case batch(RowBatch)
  case snapshots([DefaultSnapshot])

  package var snapshots: [DefaultSnapshot] {
    switch self {
    case .batch(let batch): batch.snapshots
    case .snapshots(let snapshots): snapshots
    }
  }
}
