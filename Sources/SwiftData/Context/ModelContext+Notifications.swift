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

    /// The keys of the user info that have the value: the raw value, and the plain name that Apple's
    /// framework has on devices.
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
  /// Posted after a save, with the identifiers of what it inserted, updated and deleted.
  ///
  /// The user info has three arrays of `PersistentIdentifier`, under the raw values of
  /// ``NotificationKey/insertedIdentifiers``, `updatedIdentifiers` and `deletedIdentifiers`, and again
  /// under the plain names `"inserted"`, `"updated"` and `"deleted"`.
  ///
  /// ```swift
  /// let inserted = notification.userInfo?["inserted"] as? [PersistentIdentifier] ?? []
  /// ```
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// Posted after a save that replaced what another context had saved meanwhile, or left out edits of
  /// models that were deleted meanwhile.
  ///
  /// A save writes the properties that were changed, so edits of different properties of one model
  /// are both kept. Of two edits of one property the later save wins, and the context that made it
  /// posts this behind `didSave`; likewise one that deleted what another had changed. Edits of a model
  /// whose row another context, container or process has deleted can't be stored: the row stays
  /// deleted, and ``discardedPropertiesKey`` names them. Apple's framework has no such notification.
  ///
  /// ```swift
  /// let names =
  ///   notification.userInfo?[ModelContext.overwrittenPropertiesKey]
  ///   as? [PersistentIdentifier: [String]]
  /// ```
  ///
  /// Contexts of one container know of each other. What another process or container saved is
  /// overwritten without a notification; what it deleted is noticed.
  public static let didOverwrite = Notification.Name("ModelContextDidOverwrite")

  /// The key of `didOverwrite` for the names of the replaced properties, by model.
  ///
  /// The value is a `[PersistentIdentifier: [String]]`.
  public static let overwrittenPropertiesKey = "overwrittenProperties"

  /// The key of `didOverwrite` for the names of edited properties that were not stored, by model: the
  /// rows of these models were deleted in the meantime.
  ///
  /// The value is a `[PersistentIdentifier: [String]]`.
  public static let discardedPropertiesKey = "discardedProperties"
}
