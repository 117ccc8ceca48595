// What a save of a context does where other writers have changed or added rows since.

extension ModelContext {
  /// What a save does if another writer has changed or deleted its models since the context read
  /// them.
  ///
  /// Not in Apple's framework, where the later save wins.
  public enum ConflictPolicy: Sendable {
    /// The later save wins, property by property. It posts ``ModelContext/didOverwrite``.
    case laterSaveWins

    /// The save throws ``SwiftDataError/saveConflict`` and stores nothing.
    ///
    /// A model counts as changed if any attribute or to-one relationship has another stored value
    /// than the one that the context read. The rows are checked under the write lock, so changes
    /// made by other containers and processes count too. The check costs one statement for each
    /// entity with edited or deleted models. Stores that implement the public ``DataStore``
    /// protocol have no lock: what they store between the check and their own write is not
    /// detected. A large value in a file counts as changed if another writer has stored the same
    /// bytes again and the file that was read is gone.
    case refuse
  }

  /// What a save does with a new model that has the unique values of a stored one.
  ///
  /// Not in Apple's framework, which updates the stored model.
  public enum UniquenessPolicy: Sendable {
    /// The save updates the stored row with the values of the new model, which becomes that row's
    /// model.
    case upsert

    /// The save throws ``SwiftDataError/uniquenessViolation`` and stores nothing.
    ///
    /// Two new models of one save with equal values are refused too. A store of an app is told
    /// (``DataStoreSaveChangesRequest/refusesUpserts``), and may ignore it.
    case refuse
  }

  /// What a save does if another writer has changed or deleted its models since this context read
  /// them.
  ///
  /// ```swift
  /// context.conflictPolicy = .refuse
  /// trip.name = "Porto"
  ///
  /// do {
  ///   try context.save()
  /// } catch let error as SwiftDataError where error == .saveConflict {
  ///   context.rollback()
  /// }
  /// ```
  ///
  /// After such an error the context keeps its changes, and each further save throws until they are
  /// rolled back or the policy is ``ConflictPolicy/laterSaveWins``. ``rollback()`` reads the models of
  /// the conflict again, so the changes can be repeated on the stored values. See <doc:Concurrency>.
  /// Not in Apple's framework.
  public var conflictPolicy: ConflictPolicy {
    get { core.externalChanges.feed.conflictPolicy }
    set { core.externalChanges.feed.conflictPolicy = newValue }
  }

  /// What a save does with a new model that has the unique values of a stored one.
  ///
  /// ```swift
  /// context.uniquenessPolicy = .refuse
  /// context.insert(Trip(name: "Lisbon", start: .now))
  /// do {
  ///   try context.save()
  /// } catch let error as SwiftDataError where error == .uniquenessViolation {
  ///   print(error.holder ?? "another new model")
  ///   context.rollback()
  /// }
  /// ```
  ///
  /// See <doc:Concurrency>. Not in Apple's framework.
  public var uniquenessPolicy: UniquenessPolicy {
    get { core.uniquenessPolicy }
    set { core.uniquenessPolicy = newValue }
  }
}
