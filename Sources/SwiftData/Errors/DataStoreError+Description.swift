public import Foundation

extension DataStoreError: CustomStringConvertible, LocalizedError {
  /// What the store cannot do, and how to proceed. Not in Apple's framework.
  public var description: String {
    switch self {
    case .unsupportedFeature:
      "The store does not offer what was asked for. Use a store that does, or do without."
    case .preferInMemoryFilter:
      "The store does not evaluate the predicate of the request. Ask for all models of the entity, and "
        + "evaluate it in memory, as a context does."
    case .preferInMemorySort:
      "The store does not sort by the request's sort descriptors. Ask without an order, and sort in "
        + "memory, as a context does."
    case .invalidPredicate:
      "The predicate can be evaluated neither by the store nor in memory. Compare persisted "
        + "properties with values captured outside of the predicate."
    }
  }

  /// The description, for `localizedDescription`. Not in Apple's framework.
  public var errorDescription: String? { description }
}
