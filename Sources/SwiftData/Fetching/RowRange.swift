/// Which of the models that match a fetch takes: a limit and an offset.
package struct RowRange: Hashable, Sendable {
  /// How many models at most; `nil` for all.
  package let limit: Int?
  /// How many are left out first.
  package let offset: Int

  /// A limit of 0 or less is none, an offset below 0 is 0.
  package init(limit: Int?, offset: Int?) {
    self.limit = limit.flatMap { $0 > 0 ? $0 : nil }
    self.offset = max(0, offset ?? 0)
  }

  package static let all = RowRange(limit: nil, offset: nil)

  package var isAll: Bool { limit == nil && offset == 0 }

  /// How many models to read so that the range is among them when some are left out; `nil` for all.
  package func end(behind leftOut: Int) -> Int? {
    guard let limit else { return nil }
    let (end, overflows) = limit.addingReportingOverflow(offset)
    let (all, overflowsAgain) = end.addingReportingOverflow(leftOut)
    return overflows || overflowsAgain ? nil : all
  }

  /// The elements in the range.
  package func slice<Elements: Collection>(_ elements: Elements) -> Elements.SubSequence {
    let rest = elements.dropFirst(offset)
    return limit.map { rest.prefix($0) } ?? rest
  }

  /// How many of a number of models are in the range.
  package func count(of all: Int) -> Int {
    let rest = max(0, all - offset)
    return limit.map { min(rest, $0) } ?? rest
  }
}

extension FetchDescriptor {
  /// Which of the models that match the fetch takes.
  package var range: RowRange { RowRange(limit: fetchLimit, offset: fetchOffset) }
}
