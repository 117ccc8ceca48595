/// What decides the text of a query.
struct QueryShape: Hashable {
  enum Purpose: Hashable {
    case rows, keys, count
    case partialRows(Set<Int>)
  }

  let purpose: Purpose
  let shape: CompiledFetch.Shape
  let hasLimit: Bool
  let hasOffset: Bool

  /// What most often tells two queries of a program apart; the rest is left to `==`.
  func hash(into hasher: inout Hasher) {
    guard let condition = shape.condition else { return hasher.combine(shape.entityName) }
    hasher.combine(condition)
    hasher.combine(shape.order.count)
  }
}
