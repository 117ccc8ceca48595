public import Foundation

extension ModelContext {
  /// Keys of the user info of `didSave`.
  public enum NotificationKey: String {
    /// The generation of the store that queries of this context see. Never posted.
    case queryGeneration
    /// All identifiers are invalid. Never posted.
    case invalidatedAllIdentifiers
    /// The identifiers of models that the save inserted.
    case insertedIdentifiers
    /// The identifiers of models that the save changed.
    case updatedIdentifiers
    /// The identifiers of models that the save deleted.
    case deletedIdentifiers

    /// The names of the value in the user info: the raw value, and the plain name that Apple's
    /// framework uses on devices.
    var userInfoNames: [String] {
      switch self {
      case .insertedIdentifiers: [rawValue, "inserted"]
      case .updatedIdentifiers: [rawValue, "updated"]
      case .deletedIdentifiers: [rawValue, "deleted"]
      case .queryGeneration, .invalidatedAllIdentifiers: [rawValue]
      }
    }
  }

  /// Posted before a save.
  public static let willSave = Notification.Name("ModelContextWillSave")
  /// Posted after a save, with the identifiers of the models that it inserted, updated and deleted.
  ///
  /// The user info has three arrays of `PersistentIdentifier`, under the raw values of
  /// ``NotificationKey/insertedIdentifiers``, `updatedIdentifiers` and `deletedIdentifiers`, and
  /// again under the plain names `"inserted"`, `"updated"` and `"deleted"`.
  ///
  /// As in the history, models whose lists lost a deleted member are updated, and so is a stored model with which a
  /// new one was merged because of unique values.
  ///
  /// ```swift
  /// let inserted = notification.userInfo?["inserted"] as? [PersistentIdentifier] ?? []
  /// ```
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// Posted after a save that replaced what another context had saved, or discarded edits of models
  /// that were deleted meanwhile.
  ///
  /// A save writes only the changed properties, so edits of different properties of one model are
  /// both kept. Of two edits of one property the later save wins, and its context posts this
  /// notification after `didSave`. The same applies to a save that deletes a model which another
  /// context has changed, and to a list without an inverse that lost a member because the save gave it
  /// to another owner. Edits of a model whose row another context, container or process has
  /// deleted can't be stored: the row stays deleted, and ``discardedPropertiesKey`` names the
  /// edits. Not in Apple's framework.
  ///
  /// ```swift
  /// let names =
  ///   notification.userInfo?[ModelContext.overwrittenPropertiesKey]
  ///   as? [PersistentIdentifier: [String]]
  /// ```
  ///
  /// Changes saved by contexts of the same container are detected. Changes saved by another process
  /// or container are detected if ``ModelContainer/observesRemoteChanges`` is on and they have
  /// arrived before the save; otherwise they are overwritten without a notification. Deletions by
  /// them are always detected. ``ConflictPolicy/refuse`` detects all changes.
  public static let didOverwrite = Notification.Name("ModelContextDidOverwrite")

  /// The key of `didOverwrite` for the names of the overwritten properties, by model.
  ///
  /// The value is a `[PersistentIdentifier: [String]]`.
  public static let overwrittenPropertiesKey = "overwrittenProperties"

  /// The key of `didOverwrite` for the names of edited properties that were not stored, by model:
  /// their rows were deleted meanwhile.
  ///
  /// The value is a `[PersistentIdentifier: [String]]`.
  public static let discardedPropertiesKey = "discardedProperties"
}
