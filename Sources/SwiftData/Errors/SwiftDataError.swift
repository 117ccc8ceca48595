/// An error of the framework: which rule was broken, for which entity and property, what to do.
///
/// Two errors are equal when they are of the same kind, so
/// `catch SwiftDataError.unsupportedPredicate` matches whatever the details are. `description`
/// contains the details.
public struct SwiftDataError: Error, Hashable {
  package let kind: Kind
  let occasion: Occasion

  /// The details of one occurrence. `SwiftDataError+Details.swift` makes them public.
  struct Occasion: Sendable {
    var detail: String?
    var operation: String?
    var entity: String?
    var property: String?
    var underlying: (any Error)?
    /// Why it happened, if the kind and the cause do not say it.
    var reason: Reason?
    /// The failures that this error lists, if there are several.
    var failures: [SwiftDataError] = []
    /// The names of the stores that committed before another store of the same save failed.
    var committedStores: [String] = []
  }

  package init(_ kind: Kind) {
    self.init(kind, Occasion())
  }

  private init(_ kind: Kind, _ occasion: Occasion) {
    self.kind = kind
    self.occasion = occasion
  }

  /// The same kind of error with details; an argument that is `nil` leaves its detail as it is.
  /// - Parameters:
  ///   - detail: What is wrong and what to do, without stored values.
  ///   - operation: What was being done, if it is more specific than the kind.
  ///   - entity: The entity concerned.
  ///   - property: The property concerned, or several with commas.
  ///   - underlying: The cause. The description appends it, so the detail does not repeat it.
  ///   - reason: Why, if neither the kind nor the cause says it.
  package func with(
    _ detail: String, doing operation: String? = nil, entity: String? = nil,
    property: String? = nil, underlying: (any Error)? = nil, because reason: Reason? = nil
  ) -> SwiftDataError {
    var occasion = occasion
    occasion.detail = detail
    occasion.operation = operation ?? occasion.operation
    occasion.entity = entity ?? occasion.entity
    occasion.property = property ?? occasion.property
    occasion.underlying = underlying ?? occasion.underlying
    occasion.reason = reason ?? occasion.reason
    return SwiftDataError(kind, occasion)
  }

  /// The same error as the list of several failures.
  func listing(_ failures: [SwiftDataError]) -> SwiftDataError {
    var occasion = occasion
    occasion.failures = failures
    return SwiftDataError(kind, occasion)
  }

  /// The same error with the names of the stores that have committed.
  func committed(by stores: [String]) -> SwiftDataError {
    var occasion = occasion
    occasion.committedStores = stores
    return SwiftDataError(kind, occasion)
  }

  /// The same error with an entity and a property, unless it already has an entity.
  func placed(entity: String, property: String) -> SwiftDataError {
    var occasion = occasion
    if occasion.entity == nil { (occasion.entity, occasion.property) = (entity, property) }
    return SwiftDataError(kind, occasion)
  }

  /// Compares the kinds; details are ignored.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool {
    lhs.kind == rhs.kind
  }

  /// Hashes the kind, as equality requires.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
  }

  /// Whether an error is of the same kind, for `catch` and `switch` patterns.
  public static func ~= (lhs: SwiftDataError, rhs: any Error) -> Bool {
    (rhs as? SwiftDataError)?.kind == lhs.kind
  }
}

// MARK: - Kinds

extension SwiftDataError {
  /// A fetch in batches was asked to include unsaved changes, which is not possible.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    .includePendingChangesWithBatchSize)

  /// A predicate uses an operation, a key path or a value that cannot be evaluated.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)

  /// A key path does not name a persisted property of the model.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)

  /// Identifiers were to be fetched in a sorted order while the context has unsaved changes.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    .sortingPendingChangesWithIdentifiers)

  /// A sort descriptor does not compare a persisted property. Not thrown: such orders are made in
  /// memory.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)

  /// Two configurations of one container name the same store, or a store and its copy.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)

  /// The name of a configuration is too long for a file name.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)

  /// The name of a configuration contains characters that a file name must not have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)

  /// A configuration has entities that the schema of its container lacks.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)

  /// A container could not be created: its schema is invalid or a store could not be opened.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)

  /// A model breaks a rule of its schema and was not saved.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)

  /// A model has no context, or its context no longer exists.
  public static let missingModelContext = SwiftDataError(.missingModelContext)

  /// A store is newer than the last version of the migration plan.
  public static let backwardMigration = SwiftDataError(.backwardMigration)

  /// A class or an entity is not in the schema.
  public static let unknownSchema = SwiftDataError(.unknownSchema)

  /// A store matches neither the models of its container nor a version of the migration plan.
  ///
  /// The description names the most similar version and its differences.
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)

  /// The history that a token points at has been deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)

  /// A history descriptor asks for something that transactions do not have.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    .invalidTransactionFetchRequest)
}
