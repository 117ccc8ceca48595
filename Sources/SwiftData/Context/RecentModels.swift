/// Keeps the models that were faulted in last alive.
///
/// Nothing else holds a stored model that a relationship was followed to. Without this, a loop that
/// reads `order.customer.country` would read the same rows again in each round. The oldest model is
/// released for the newest, so memory has a bound.
///
/// It belongs to one context and is used on its thread only.
struct RecentModels {
  private static let limit = 1024

  private var models: [AnyObject?] = []
  private var next = 0

  /// - Returns: The model that is kept no longer. The caller releases it once nothing is being changed here:
  ///   its deinitialiser may follow relationships in turn.
  mutating func keep(_ model: AnyObject) -> AnyObject? {
    guard models.count == RecentModels.limit else {
      models.append(model)
      return nil
    }
    let oldest = models[next]
    models[next] = model
    next = (next + 1) % RecentModels.limit
    return oldest
  }

  /// - Returns: The model if it was kept; the caller releases it.
  mutating func forget(_ model: AnyObject) -> AnyObject? {
    guard let place = models.firstIndex(where: { $0 === model }) else { return nil }
    defer { models[place] = nil }
    return models[place]
  }
}
