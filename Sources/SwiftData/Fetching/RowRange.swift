/// The limit and the offset of a fetch.
package struct RowRange: Hashable, Sendable {
  /// The maximum number of models; `nil` for all.
  package let limit: Int?
  /// The number of models to skip first.
  package let offset: Int

  /// A limit of 0 or less means no limit; a negative offset means 0.
  package init(limit: Int?, offset: Int?) {
    self.limit = limit.flatMap { $0 > 0 ? $0 : nil }
    self.offset = max(0, offset ?? 0)
  }

  package static let all = RowRange(limit: nil, offset: nil)

  package var isAll: Bool { limit == nil && offset == 0 }

  /// How many models to read so that the range is complete after `leftOut` of them are dropped;
  /// `nil` for all.
  package func end(behind leftOut: Int) -> Int? {
    guard let limit else { return nil }
    let (end, overflows) = limit.addingReportingOverflow(offset)
    let (all, overflowsAgain) = end.addingReportingOverflow(leftOut)
    return overflows || overflowsAgain ? nil : all
  }

  /// How many rows to read first if a condition is evaluated on them in memory; `nil` for all.
  package var firstCandidateCount: Int? {
    // Most rows match where SQL nearly expresses the condition. The more rows, the fewer in addition.
    end(behind: 0).flatMap { end(behind: min(max(64, $0), 1000)) }
  }

  /// The elements in the range.
  package func slice<Elements: Collection>(_ elements: Elements) -> Elements.SubSequence {
    let rest = elements.dropFirst(offset)
    return limit.map { rest.prefix($0) } ?? rest
  }

  /// The range behind `count` models that were dropped.
  package func dropping(_ count: Int) -> RowRange {
    RowRange(limit: limit, offset: offset - count)
  }

  /// The number of models in the range, of `all` that match.
  package func count(of all: Int) -> Int {
    let rest = max(0, all - offset)
    return limit.map { min(rest, $0) } ?? rest
  }
}

extension FetchDescriptor {
  /// The limit and the offset of the fetch.
  package var range: RowRange { RowRange(limit: fetchLimit, offset: fetchOffset) }
}
