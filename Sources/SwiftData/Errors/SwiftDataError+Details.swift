// Everything in this file, and `SwiftDataError.DatabaseFailure`, is an addition: Apple's errors
// have only the constants.

extension SwiftDataError {
  /// A store's database failed to read the requested rows.
  ///
  /// `database` has the reason. Not in Apple's framework, where the database's own error is thrown.
  public static let storeReadFailure = SwiftDataError(.storeReadFailure)

  /// A store's database failed to write; nothing of the save or the deletion was stored.
  ///
  /// `database` has the reason. The context keeps its changes, so the save can be repeated. Not in
  /// Apple's framework, where the database's own error is thrown.
  public static let storeWriteFailure = SwiftDataError(.storeWriteFailure)

  /// A context with ``ModelContext/ConflictPolicy/refuse`` did not save: another writer changed or
  /// deleted its models since it read them.
  ///
  /// Nothing was saved. `conflicts` names the models and properties. Not in Apple's framework.
  public static let saveConflict = SwiftDataError(.saveConflict)

  /// A context with ``ModelContext/UniquenessPolicy/refuse`` did not save a new model: a stored row
  /// has its unique value.
  ///
  /// Nothing was saved. `holder` is the identifier of that row. Not in Apple's framework.
  public static let uniquenessViolation = SwiftDataError(.uniquenessViolation)

  /// There is no row with the identifier, or it belongs to a model of another class.
  ///
  /// Thrown by ``ModelContext/existingModel(_:for:)`` and ``ModelContext/model(_:urlText:)``. Not in
  /// Apple's framework.
  public static let modelNotFound = SwiftDataError(.modelNotFound)

  /// A text is not the identifier of a model of this container.
  ///
  /// ``reason`` says what is wrong with it. Not in Apple's framework.
  public static let invalidIdentifier = SwiftDataError(.invalidIdentifier)

  /// The container was closed with ``ModelContainer/close()``.
  ///
  /// Thrown by each later use of its stores; nothing is read or stored. Not in Apple's framework.
  public static let containerClosed = SwiftDataError(.containerClosed)

  /// The name of the constant that this error equals, such as `modelValidationFailure`, for logs.
  ///
  /// Not in Apple's framework.
  public var code: String { kind.rawValue }

  /// The operation that failed, such as `saving` or `inserting rows of Trip`. Not in Apple's
  /// framework.
  public var operation: String { occasion.operation ?? kind.operation }

  /// The name of the entity that the error is about. Not in Apple's framework.
  public var entity: String? { occasion.entity }

  /// The name of the property that the error is about; several are separated by commas.
  ///
  /// Not in Apple's framework.
  public var property: String? { occasion.property }

  /// The error that caused this one. Not in Apple's framework.
  public var underlyingError: (any Error)? { occasion.underlying }

  /// The names of the stores that committed before another store of the same save failed.
  ///
  /// Empty for all other errors: then nothing was stored. Models in the committed stores are saved;
  /// changes for the other stores are still pending. Saving again writes no change twice. After
  /// ``ModelContainer/erase()`` these stores are erased. Not in Apple's framework.
  public var committedStores: [String] { occasion.committedStores }

  /// What the database reported, with the statement, if a database caused the error.
  ///
  /// ```swift
  /// do {
  ///   try context.save()
  /// } catch let error as SwiftDataError where error.database?.name == "SQLITE_FULL" {
  ///   askToFreeSpace()
  /// }
  /// ```
  ///
  /// Not in Apple's framework.
  public var database: DatabaseFailure? {
    switch occasion.underlying {
    case let failure as DatabaseFailure: failure
    case let error as SwiftDataError: error.database
    default: nil
    }
  }
}
