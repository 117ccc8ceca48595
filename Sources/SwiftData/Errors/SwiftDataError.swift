/// An error of the framework: which rule was broken, where, and what to do about it.
///
/// Two errors are equal when they are of the same kind, so that
/// `catch SwiftDataError.unsupportedPredicate` matches whatever detail rides along; `description`
/// tells the detail.
public struct SwiftDataError: Error, Hashable {
  package let kind: Kind
  let occasion: Occasion

  /// What is known of one occasion. `SwiftDataError+Details.swift` gives it to users.
  struct Occasion: Sendable {
    var detail: String?
    var operation: String?
    var entity: String?
    var property: String?
    var underlying: (any Error)?
    /// The names of the stores that have committed a save of several, where another one failed.
    var committedStores: [String] = []
  }

  package init(_ kind: Kind) {
    self.init(kind, Occasion())
  }

  private init(_ kind: Kind, _ occasion: Occasion) {
    self.kind = kind
    self.occasion = occasion
  }

  /// The same kind of error with the details of one occasion; what is not given stays as it is.
  /// - Parameters:
  ///   - detail: What is wrong and what to do, without stored values.
  ///   - operation: What was being done, where that is more than the kind says.
  ///   - entity: The entity concerned.
  ///   - property: The property concerned, or several with commas.
  ///   - underlying: The cause. The description has it behind the detail, so the detail does not repeat it.
  package func with(
    _ detail: String, doing operation: String? = nil, entity: String? = nil,
    property: String? = nil, underlying: (any Error)? = nil
  ) -> SwiftDataError {
    SwiftDataError(
      kind,
      Occasion(
        detail: detail, operation: operation ?? occasion.operation,
        entity: entity ?? occasion.entity, property: property ?? occasion.property,
        underlying: underlying ?? occasion.underlying, committedStores: occasion.committedStores))
  }

  /// The same error of a save that some stores have committed.
  func committed(by stores: [String]) -> SwiftDataError {
    var occasion = occasion
    occasion.committedStores = stores
    return SwiftDataError(kind, occasion)
  }

  /// The same error with a place, unless it has one.
  func placed(entity: String, property: String) -> SwiftDataError {
    var occasion = occasion
    if occasion.entity == nil { (occasion.entity, occasion.property) = (entity, property) }
    return SwiftDataError(kind, occasion)
  }

  /// Compares the kinds; the details do not count.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool {
    lhs.kind == rhs.kind
  }

  /// Hashes the kind, as equality does.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
  }

  /// Whether an error is of this kind, for `catch` and `switch` patterns.
  public static func ~= (lhs: SwiftDataError, rhs: any Error) -> Bool {
    (rhs as? SwiftDataError)?.kind == lhs.kind
  }
}

// MARK: - Kinds

extension SwiftDataError {
  /// A batched fetch was asked to include unsaved changes, which it cannot.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    .includePendingChangesWithBatchSize)

  /// A predicate uses an operation, a key path or a value that cannot be evaluated.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)

  /// A key path does not name a persisted property of the model.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)

  /// Identifiers were to be fetched in an order while there are unsaved changes.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    .sortingPendingChangesWithIdentifiers)

  /// A sort descriptor does not compare a persisted property.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)

  /// Two configurations of one container name the same store.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)

  /// The name of a configuration makes a file name that no file system takes.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)

  /// The name of a configuration contains characters that a file name must not have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)

  /// A configuration has entities that the schema of its container lacks.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)

  /// A container could not be made: its schema is faulty or a store does not open.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)

  /// A model breaks a rule of its schema and was not saved.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)

  /// A model is not in a context, or its context is gone.
  public static let missingModelContext = SwiftDataError(.missingModelContext)

  /// A store is newer than the last version of the migration plan.
  public static let backwardMigration = SwiftDataError(.backwardMigration)

  /// A class or an entity is none of the schema.
  public static let unknownSchema = SwiftDataError(.unknownSchema)

  /// A store matches neither the models of its container nor a version of the migration plan.
  ///
  /// The description names the version that comes nearest and what it differs in.
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)

  /// The history that a token points at has been deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)

  /// A history descriptor asks for what transactions do not have.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    .invalidTransactionFetchRequest)
}
