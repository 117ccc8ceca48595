/// Keeps the most recently faulted models of a context alive, until they are removed or the context is
/// closed.
///
/// Nothing else holds a stored model that was reached through a relationship. Without this, a loop
/// that reads `order.customer.country` would read the same rows again in each iteration. The newest
/// model replaces the oldest, so memory is bounded.
///
/// A prefetch that leads back to its models keeps those that hold them (`Prefetcher`). If they are
/// more than the limit, they are kept together until the next such prefetch with more than the limit.
///
/// It belongs to one context and is used on its thread only. Models are released when a change here
/// is complete: their deinitialisers may follow relationships.
final class RecentlyFaultedModels {
  private static let limit = 1024

  private var models: [AnyObject?] = []
  private var next = 0
  /// The model that was kept last, which `models` retains.
  private var newest: ObjectIdentifier?
  private var together: [ObjectIdentifier: AnyObject] = [:]
  private var isClosed = false

  func keep(_ model: AnyObject) {
    // A fault is kept when it is made, and when it is filled right after.
    let identity = ObjectIdentifier(model)
    if isClosed || newest == identity { return }
    newest = identity
    guard models.count == RecentlyFaultedModels.limit else { return models.append(model) }
    let oldest = models[next]
    models[next] = model
    next = (next + 1) % RecentlyFaultedModels.limit
    withExtendedLifetime(oldest) {}
  }

  /// Keeps models that hold the results of one prefetch.
  func keepTogether(_ owners: [AnyObject]) {
    if isClosed { return }
    guard owners.count > RecentlyFaultedModels.limit else {
      for owner in owners { keep(owner) }
      return
    }
    let earlier = together
    together = Dictionary(
      owners.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { first, _ in first })
    withExtendedLifetime(earlier) {}
  }

  /// Stops keeping a deleted model that would keep files alive.
  func forgetExternalValues(of storage: _ModelStorage) {
    guard !storage.descriptor.externalSlots.isEmpty, let model = storage.model else { return }
    if let index = models.firstIndex(where: { $0 === model }) { models[index] = nil }
    if newest == ObjectIdentifier(model) { newest = nil }
    together[ObjectIdentifier(model)] = nil
    withExtendedLifetime(model) {}
  }

  /// - Returns: The models that were kept; the caller releases them.
  func removeAll() -> [AnyObject?] {
    defer { (models, next, newest, together) = ([], 0, nil, [:]) }
    return models + Array(together.values)
  }

  /// - Returns: The models that were kept; the caller releases them.
  func close() -> [AnyObject?] {
    isClosed = true
    return removeAll()
  }
}
