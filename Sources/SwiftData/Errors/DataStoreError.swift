/// An error of a store that cannot answer a request in the requested form.
public enum DataStoreError: Error, Equatable, Hashable, Sendable {
  /// The store does not support the request.
  case unsupportedFeature

  /// The store cannot evaluate the predicate: the context fetches without it and filters in memory.
  case preferInMemoryFilter

  /// The store cannot sort: the context fetches without an order and sorts in memory.
  case preferInMemorySort

  /// The predicate can be evaluated neither by the store nor in memory.
  case invalidPredicate
}
