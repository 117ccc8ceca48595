public import Foundation

extension ModelContext {
  /// Keys of the user info of `willSave` and `didSave`.
  public enum NotificationKey: String {
    /// The generation of the store that queries of this context see.
    case queryGeneration
    /// All identifiers are invalid.
    case invalidatedAllIdentifiers
    /// Identifiers of models that the save inserted.
    case insertedIdentifiers
    /// Identifiers of models that the save changed.
    case updatedIdentifiers
    /// Identifiers of models that the save deleted.
    case deletedIdentifiers
  }

  /// Posted before a save.
  public static let willSave = Notification.Name("ModelContextWillSave")
  /// Posted after a save, with the identifiers of what it inserted, updated and deleted.
  public static let didSave = Notification.Name("ModelContextDidSave")
}
