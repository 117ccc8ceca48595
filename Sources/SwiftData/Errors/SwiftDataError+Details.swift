// Everything in this file, and `SwiftDataError.DatabaseFailure`, is ours: Apple's errors have the
// constants only.

extension SwiftDataError {
  /// A store's database did not give the rows that were asked for.
  ///
  /// `database` says why. Not in Apple's framework, where the database's own error is thrown.
  public static let storeReadFailure = SwiftDataError(.storeReadFailure)

  /// A store's database did not take a change; nothing of the save or the deletion was stored.
  ///
  /// `database` says why, the context keeps its changes, and the save can be tried again. Not in
  /// Apple's framework, where the database's own error is thrown.
  public static let storeWriteFailure = SwiftDataError(.storeWriteFailure)

  /// A context with ``ConflictPolicy/refuse`` did not save, because others have changed or deleted its models since
  /// it read them; nothing was saved.
  ///
  /// `conflicts` names the models and properties. Not in Apple's framework.
  public static let saveConflict = SwiftDataError(.saveConflict)

  /// A context with ``UniquenessPolicy/refuse`` did not save a new model, because a row has its unique value;
  /// nothing was saved.
  ///
  /// `holder` is that row's identifier. Not in Apple's framework.
  public static let uniquenessViolation = SwiftDataError(.uniquenessViolation)

  /// The name of the constant that the error equals, such as `modelValidationFailure`, for logs.
  ///
  /// Not in Apple's framework.
  public var code: String { kind.rawValue }

  /// What was being done, such as `saving` or `inserting rows of Trip`. Not in Apple's framework.
  public var operation: String { occasion.operation ?? kind.operation }

  /// The name of the entity that the error is about. Not in Apple's framework.
  public var entity: String? { occasion.entity }

  /// The name of the property that the error is about; several are separated by commas.
  ///
  /// Not in Apple's framework.
  public var property: String? { occasion.property }

  /// The error that caused this one. Not in Apple's framework.
  public var underlyingError: (any Error)? { occasion.underlying }

  /// The names of the stores that have committed, where a save of several stores failed in a later one.
  ///
  /// Empty for all other errors: nothing was stored then. The models of these stores are saved, the changes
  /// for the other stores are still pending; saving again writes nothing twice. Not in Apple's framework.
  public var committedStores: [String] { occasion.committedStores }

  /// What the database reported, with the statement, where a database is the cause.
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
