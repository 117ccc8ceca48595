public import Foundation

extension DataStoreError: CustomStringConvertible, LocalizedError {
  /// What the store cannot do, and how to proceed. Not in Apple's framework.
  public var description: String {
    switch self {
    case .unsupportedFeature:
      "The store does not support the requested operation. Use a store that supports it."
    case .preferInMemoryFilter:
      "The store does not evaluate the predicate of the request. Fetch all models of the entity, and "
        + "evaluate the predicate in memory, as a context does."
    case .preferInMemorySort:
      "The store does not sort by the request's sort descriptors. Fetch without them, and sort in "
        + "memory, as a context does."
    case .invalidPredicate:
      "The predicate can be evaluated neither by the store nor in memory. Compare persisted "
        + "properties with values captured outside of the predicate."
    }
  }

  /// The description, for `localizedDescription`. Not in Apple's framework.
  public var errorDescription: String? { description }
}

extension DataStoreError {
  /// Whether a context then answers the request in memory.
  var isLeftToMemory: Bool { self == .preferInMemoryFilter || self == .preferInMemorySort }

  /// The name of the case, for errors about the store.
  var name: String {
    switch self {
    case .unsupportedFeature: "unsupportedFeature"
    case .preferInMemoryFilter: "preferInMemoryFilter"
    case .preferInMemorySort: "preferInMemorySort"
    case .invalidPredicate: "invalidPredicate"
    }
  }
}
