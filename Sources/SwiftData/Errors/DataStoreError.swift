/// What a store throws when it cannot answer a request as asked.
public enum DataStoreError: Error, Equatable, Hashable, Sendable {
  /// The store does not offer what was asked for.
  case unsupportedFeature

  /// The context is to filter in memory what the store returns without a predicate.
  case preferInMemoryFilter

  /// The context is to sort in memory what the store returns without an order.
  case preferInMemorySort

  /// The predicate can be evaluated neither by the store nor in memory.
  case invalidPredicate
}
