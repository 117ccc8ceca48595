extension SwiftDataError {
  /// The rule that was broken. The raw value is the name of the public constant. The last seven
  /// are not in Apple's framework.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case includePendingChangesWithBatchSize
    case unsupportedPredicate
    case unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers
    case unsupportedSortDescriptor
    case duplicateConfiguration
    case configurationFileNameTooLong
    case configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema
    case loadIssueModelContainer
    case modelValidationFailure
    case missingModelContext
    case backwardMigration
    case unknownSchema
    case unknownDataStoreSchema
    case historyTokenExpired
    case invalidTransactionFetchRequest
    case storeReadFailure
    case storeWriteFailure
    case saveConflict
    case uniquenessViolation
    case modelNotFound
    case invalidIdentifier
    case containerClosed
  }
}

extension SwiftDataError.Kind {
  /// What went wrong, as a sentence without its full stop.
  package var summary: String {
    switch self {
    case .includePendingChangesWithBatchSize:
      "A fetch in batches cannot include unsaved changes"
    case .unsupportedPredicate:
      "The predicate cannot be evaluated"
    case .unsupportedKeyPath:
      "The key path does not refer to a persisted property"
    case .sortingPendingChangesWithIdentifiers:
      "Identifiers cannot be sorted while there are unsaved changes"
    case .unsupportedSortDescriptor:
      "The sort descriptor cannot be used in a fetch"
    case .duplicateConfiguration:
      "Two configurations name the same store"
    case .configurationFileNameTooLong:
      "The name of the configuration is too long for a file name"
    case .configurationFileNameContainsInvalidCharacters:
      "The name of the configuration has characters that are not allowed in a file name"
    case .configurationSchemaNotFoundInContainerSchema:
      "The configuration has entities that the schema of the container lacks"
    case .loadIssueModelContainer:
      "The model container could not be created"
    case .modelValidationFailure:
      "The model cannot be saved"
    case .missingModelContext:
      "The model has no context"
    case .backwardMigration:
      "The store is newer than the migration plan"
    case .unknownSchema:
      "The models do not match the schema"
    case .unknownDataStoreSchema:
      "The store matches neither the models nor a version of a migration plan"
    case .historyTokenExpired:
      "The history after the token is not available"
    case .invalidTransactionFetchRequest:
      "The history descriptor cannot be evaluated"
    case .storeReadFailure:
      "The models could not be read from their store"
    case .storeWriteFailure:
      "The changes could not be written to their store"
    case .saveConflict:
      "The models were changed elsewhere after they were read"
    case .uniquenessViolation:
      "Two models have the same unique value"
    case .modelNotFound:
      "The model does not exist"
    case .invalidIdentifier:
      "The identifier leads to no model"
    case .containerClosed:
      "The model container is closed"
    }
  }

  /// What to do, for errors without a detail.
  package var advice: String {
    switch self {
    case .includePendingChangesWithBatchSize:
      "Set includePendingChanges to false, or save first and fetch without a batch size."
    case .unsupportedPredicate:
      "Compare persisted properties with values captured outside of the predicate."
    case .unsupportedKeyPath:
      "Use a stored property that is not marked @Transient."
    case .sortingPendingChangesWithIdentifiers:
      "Save first, set includePendingChanges to false, or fetch without an order."
    case .unsupportedSortDescriptor:
      "Sort by a persisted property, or sort the fetched array."
    case .duplicateConfiguration:
      "Give each configuration a different name and a different URL."
    case .configurationFileNameTooLong:
      "Use a shorter name."
    case .configurationFileNameContainsInvalidCharacters:
      "Use a name without '/' and control characters that is neither empty nor starts with a dot."
    case .configurationSchemaNotFoundInContainerSchema:
      "List the models of the configuration in the schema of the container too."
    case .loadIssueModelContainer:
      "Check the models of the schema and the location of the store."
    case .modelValidationFailure:
      "Give each required property a value that its rules allow, then save again."
    case .missingModelContext:
      "Insert the model into a context and keep the model container alive."
    case .backwardMigration:
      "Open the store with a program that knows its version."
    case .unknownSchema:
      "List the class in the schema of the container."
    case .unknownDataStoreSchema:
      "Add the version that wrote the store to the schemas of the migration plan."
    case .historyTokenExpired:
      "Fetch the models again and continue from the newest token."
    case .invalidTransactionFetchRequest:
      "Filter by token, author, timestamp or store identifier."
    case .storeReadFailure:
      "Fix the cause, then fetch again; the context and the file are unchanged."
    case .storeWriteFailure:
      "Fix the cause, then save again; the context keeps its changes."
    case .saveConflict:
      "Roll back and make the changes again, or set conflictPolicy to .laterSaveWins."
    case .uniquenessViolation:
      "Give the new model another value, or change the stored model instead."
    case .modelNotFound:
      "Fetch the model by other properties; another writer may have deleted it."
    case .invalidIdentifier:
      "Use a text that urlText has returned for a saved model of the same store."
    case .containerClosed:
      "Open a new container for its stores."
    }
  }

  /// What was being done, for errors that do not say it themselves.
  package var operation: String {
    switch self {
    case .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
      .sortingPendingChangesWithIdentifiers, .unsupportedSortDescriptor, .storeReadFailure:
      "fetching"
    case .duplicateConfiguration, .configurationFileNameTooLong,
      .configurationFileNameContainsInvalidCharacters,
      .configurationSchemaNotFoundInContainerSchema, .loadIssueModelContainer:
      "opening a container"
    case .modelValidationFailure, .storeWriteFailure, .saveConflict, .uniquenessViolation:
      "saving"
    case .missingModelContext:
      "using a model"
    case .modelNotFound, .invalidIdentifier:
      "looking up a model"
    case .containerClosed:
      "using a closed container"
    case .backwardMigration, .unknownSchema, .unknownDataStoreSchema:
      "matching models with a schema"
    case .historyTokenExpired, .invalidTransactionFetchRequest:
      "fetching history"
    }
  }
}
