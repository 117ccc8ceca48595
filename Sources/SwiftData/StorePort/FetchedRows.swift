import Foundation

/// The rows of a fetch, and what must still be done with them.
package struct FetchedModels {
  package var rows: FetchedRows
  package var rest: InMemoryRest
  /// Whether only the first rows were read on which a part of the predicate must be evaluated
  /// (`StorePort.candidates(of:)`).
  package var isPart = false
  /// The values of related models, if the store returned them.
  package var related: [DefaultSnapshot] = []
  /// The rows that relationships lead to, if the store read them too.
  package var ahead: ReadAhead?
}

/// Rows that relationships of all fetched models lead to, read together with the models.
package struct ReadAhead {
  /// Answers a request for the related models of all fetched models; `nil` if they were not read.
  /// - Parameter slot: The relationship.
  let answer: (_ request: RelatedModels, _ slot: Int) -> FetchedMembers?
}

/// What must still be done in memory. If there is anything, limit and offset have not been applied.
package struct InMemoryRest {
  /// Whether the predicate must be evaluated.
  package var needsFilter: Bool
  /// Whether the rows must be sorted.
  package var needsSort: Bool
  /// The parts of the predicate to evaluate; `nil` for the whole predicate.
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

/// The result of a fetch: rows of one entity, or snapshots of any.
package enum FetchedRows {
  case batch(RowBatch)
  case snapshots([DefaultSnapshot], StoreState? = nil)
  /// Rows with only the properties to fetch, in runs of one entity.
  case partial([RowBatch])

  package var count: Int {
    switch self {
    case .batch(let batch): batch.entries.count
    case .snapshots(let snapshots, _): snapshots.count
    case .partial(let batches): batches.reduce(0) { $0 + $1.entries.count }
    }
  }

  /// The snapshots of whole rows; partial rows have none.
  package var snapshots: [DefaultSnapshot] {
    switch self {
    case .batch(let batch): batch.snapshots
    case .snapshots(let snapshots, _): snapshots
    case .partial: []
    }
  }

  /// The state of the store in which the rows were read, if it is known.
  package var state: StoreState? {
    switch self {
    case .batch(let batch): batch.state
    case .snapshots(_, let state): state
    case .partial(let batches): batches.first?.state
    }
  }

  /// The same rows, with the state in which they were read.
  func seen(in state: StoreState?) -> FetchedRows {
    guard let state else { return self }
    switch self {
    case .batch(var batch):
      batch.state = state
      return .batch(batch)
    case .snapshots(let snapshots, _): return .snapshots(snapshots, state)
    case .partial(var batches):
      for index in batches.indices { batches[index].state = state }
      return .partial(batches)
    }
  }
}
