/// Keeps the models that were faulted in last alive.
///
/// Nothing else holds a stored model that a relationship was followed to. Without this, a loop that
/// reads `order.customer.country` would read the same rows again in each round. The oldest model is
/// released for the newest, so memory has a bound.
///
/// It belongs to one context and is used on its thread only.
struct RecentModels {
  private static let limit = 1024

  private var models: [AnyObject] = []
  private var next = 0

  mutating func keep(_ model: AnyObject) {
    if models.count < RecentModels.limit {
      models.append(model)
    } else {
      models[next] = model
      next = (next + 1) % RecentModels.limit
    }
  }

  mutating func removeAll() {
    models = []
    next = 0
  }
}
