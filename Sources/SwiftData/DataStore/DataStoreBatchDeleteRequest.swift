public import Foundation

/// A request to delete models without fetching them.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// Identifies the context that makes the request.
  public let editingState: EditingState

  /// Which models to delete; `nil` for all.
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
