public import Foundation

/// Asks a store to delete models without fetching them.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// The context that asks.
  public let editingState: EditingState

  /// Which models to delete; all of them when there is none.
  public let predicate: Predicate<T>?

  /// Whether models of subclasses are deleted too.
  public let includeSubclasses: Bool

  package init(
    editingState: EditingState, predicate: Predicate<T>?, includeSubclasses: Bool
  ) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}
