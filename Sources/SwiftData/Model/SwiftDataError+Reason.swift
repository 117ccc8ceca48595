// None of this is in Apple's framework.

extension SwiftDataError {
  /// Why a call failed, as a value to switch over, for example to choose the status of an HTTP
  /// answer.
  ///
  /// ```swift
  /// func status(of error: SwiftDataError) -> Int {
  ///   switch error.reason {
  ///   case .invalidIdentifier(.unsaved): 500
  ///   case .notFound, .invalidIdentifier: 404
  ///   case .uniqueValueTaken, .conflict, .deletionDenied: 409
  ///   case let reason: reason.isTransient ? 503 : 500
  ///   }
  /// }
  /// ```
  ///
  /// New releases may add cases, so end a `switch` over them with `default`. The article
  /// <doc:Errors> has a table with a status for each case.
  public enum Reason: Hashable, Sendable {
    /// Another model has the unique value or the unique combination of values.
    ///
    /// `holder` is the stored model that has it, if the store named it; `nil` for another model of
    /// the same save. `properties` is empty for an index of an administrator over other columns or
    /// expressions, and `entity` for one of a table without models.
    case uniqueValueTaken(entity: String, properties: [String], holder: PersistentIdentifier?)

    /// The rows of these models do not exist, or another writer has deleted them.
    case notFound([PersistentIdentifier])

    /// A text is not the identifier of a model of this container.
    case invalidIdentifier(IdentifierProblem)

    /// A required relationship has no model.
    case requiredValueMissing(entity: String, properties: [String])

    /// A to-many relationship has `count` members, and must have at least `minimum`.
    case tooFewMembers(entity: String, property: String, minimum: Int, count: Int)

    /// A to-many relationship has `count` members, and may have at most `maximum`.
    case tooManyMembers(entity: String, property: String, maximum: Int, count: Int)

    /// Related models prevent a deletion: by the delete rule `.deny`, or because they require the
    /// deleted model.
    ///
    /// The entity and the property are those of the relationship.
    case deletionDenied(entity: String, property: String)

    /// A value can't be stored, such as a date that is not a number.
    case invalidValue(entity: String?, property: String?)

    /// Another writer has changed or deleted the models since the context read them.
    case conflict([SaveConflict])

    /// The code asks for something that is not possible, such as a predicate without a translation,
    /// a model of another context, or an unknown entity.
    case invalidRequest

    /// The history after a token has been deleted.
    case historyExpired

    /// Another writer, or too many readers, kept the store in use for longer than the busy timeout.
    case busy

    /// The database took longer than the time limit.
    case timedOut

    /// The database interrupted the statement, for example because an administrator asked for it.
    ///
    /// Reads and units whose task is cancelled throw `CancellationError`.
    case cancelled

    /// The store can't be reached at the moment: a lost connection, a failing volume, a missing
    /// file.
    case unavailable

    /// The container was closed.
    case closed

    /// The store, or the user's right to it, is for reading only.
    case readOnly

    /// There is no space left for the change.
    case diskFull

    /// The store's file is damaged, or is not a store.
    case storeDamaged

    /// The tables of the store do not fit the models, or the store is not at its address or path any more.
    ///
    /// Another program has migrated the store, or it was replaced, moved or deleted while it was open. Open a new
    /// container: the open one can be used again only when its store is back.
    case schemaMismatch

    /// The connection was lost during the commit, so it is not known whether the changes are stored.
    case outcomeUnknown

    /// The save of several stores was committed by these, and by the others not.
    case partiallySaved(committedStores: [String])

    /// None of the other cases.
    case other
  }

  /// What is wrong with the text of an identifier.
  public enum IdentifierProblem: Hashable, Sendable {
    /// The text was truncated or changed, or is no identifier at all.
    case malformed
    /// The identifier belongs to a store that the container does not have.
    case otherStore
    /// The container has no entity of the identifier.
    case unknownEntity
    /// The identifier belongs to a model of another class than the requested one.
    case otherModel
    /// The model has not been saved, so its identifier is temporary.
    case unsaved
  }
}

extension SwiftDataError.Reason {
  /// Whether the same call may succeed when it is repeated later, without another change.
  ///
  /// True for ``SwiftDataError/Reason/busy``, ``SwiftDataError/Reason/timedOut``,
  /// ``SwiftDataError/Reason/cancelled``, ``SwiftDataError/Reason/unavailable`` and
  /// ``SwiftDataError/Reason/diskFull``. A conflict is not among them: the models must be read again
  /// first.
  public var isTransient: Bool {
    switch self {
    case .busy, .timedOut, .cancelled, .unavailable, .diskFull: true
    default: false
    }
  }
}

/// An error of a database that knows the reason for which it stands.
package protocol ReasonedError: Error {
  /// - Parameters:
  ///   - entity: The entity that the failed call concerned.
  ///   - properties: The properties that it concerned.
  func reason(entity: String?, properties: [String]) -> SwiftDataError.Reason
}

extension SwiftDataError {
  /// Why the call failed.
  ///
  /// If one save breaks several rules, it is the reason of the first; ``failures`` has all.
  public var reason: Reason {
    if !committedStores.isEmpty { return .partiallySaved(committedStores: committedStores) }
    if let known = occasion.reason { return known }
    if let first = occasion.failures.first { return first.reason }
    switch occasion.underlying {
    case let error as SwiftDataError: return error.reason
    case let error as any ReasonedError:
      return error.reason(entity: entity, properties: properties)
    default: return kindReason
    }
  }

  /// The failures that one error reports: all rules that a save breaks; otherwise this error alone.
  public var failures: [SwiftDataError] { occasion.failures.isEmpty ? [self] : occasion.failures }

  private var properties: [String] { property?.split(separator: ", ").map(String.init) ?? [] }

  private var kindReason: Reason {
    switch kind {
    case .modelValidationFailure: .invalidValue(entity: entity, property: property)
    case .uniquenessViolation:
      .uniqueValueTaken(entity: entity ?? "", properties: properties, holder: holder)
    case .saveConflict: .conflict(conflicts)
    case .historyTokenExpired: .historyExpired
    case .backwardMigration, .unknownDataStoreSchema: .schemaMismatch
    case .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
      .sortingPendingChangesWithIdentifiers, .unsupportedSortDescriptor, .duplicateConfiguration,
      .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
      .configurationSchemaNotFoundInContainerSchema, .missingModelContext, .unknownSchema,
      .invalidTransactionFetchRequest:
      .invalidRequest
    case .modelNotFound: .notFound([])
    case .invalidIdentifier: .invalidIdentifier(.malformed)
    case .containerClosed: .closed
    // Without a cause it is about the schema, the plan or the configuration.
    case .loadIssueModelContainer: underlyingError == nil ? .invalidRequest : .other
    case .storeReadFailure, .storeWriteFailure: .other
    }
  }
}
