/// Everything on which the text of a query depends.
struct QueryShape: Hashable {
  enum Purpose: Hashable {
    case rows, keys, count
    case partialRows(Set<Int>)
    /// The rows that a relationship of the rows leads to.
    case related(Int)
  }

  /// Where the limit is.
  enum Limit: Hashable {
    case none, parameter
    case written(Int)
  }

  let purpose: Purpose
  let shape: CompiledFetch.Shape
  let limit: Limit
  let hasOffset: Bool

  /// Hashes only what usually distinguishes two queries of a program; `==` compares the rest.
  func hash(into hasher: inout Hasher) {
    guard let condition = shape.condition else { return hasher.combine(shape.sourceName) }
    hasher.combine(condition)
    hasher.combine(shape.order.count)
  }
}
