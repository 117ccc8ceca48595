/// What a save checks and changes in memory before the stores write: the second step of a
/// `SaveSession`, under the write locks.
///
/// 1. A context that refuses conflicts looks for them (`ConflictCheck`).
/// 2. Changes that concern models without a row are dropped (`LostReferences`).
/// 3. Members that several lists without an inverse gained stay in one (`ListDisplacement`).
/// 4. For stores that implement the public protocol, `DeleteRules` finds what else is changed or
///    deleted.
/// 5. `Validation` checks what only the context knows. If a read failed that these steps need, the
///    save throws.
struct SavePreparation {
  /// The broken rules of the schema.
  struct Failures {
    /// Deletions that a delete rule denies.
    let denied: [SwiftDataError]
    let all: [SwiftDataError]
  }

  private let externalChanges: ExternalChangeApplication
  private let conflictCheck: ConflictCheck
  private let recorder: ChangeRecorder
  private let lostReferences: LostReferences
  private let failedReads: FailedReads
  private let validation: Validation
  private var displacement: ListDisplacement
  private var rules: DeleteRules

  init(
    _ externalChanges: ExternalChangeApplication, _ conflictCheck: ConflictCheck,
    _ recorder: ChangeRecorder, _ lostReferences: LostReferences, _ failedReads: FailedReads,
    _ displacement: ListDisplacement, _ rules: DeleteRules, _ coordinator: any StoreCoordinator
  ) {
    self.externalChanges = externalChanges
    self.conflictCheck = conflictCheck
    self.recorder = recorder
    self.lostReferences = lostReferences
    self.failedReads = failedReads
    self.displacement = displacement
    self.rules = rules
    validation = Validation(changes: recorder.changes, coordinator: coordinator)
  }

  /// - Parameter access: How the stores are locked. Beside other writers the transaction sees an earlier
  ///   state, so that changes of other contexts are not applied during it; the rows that it edits
  ///   are compared with that state, and the store detects what changes after it.
  /// - Returns: The broken rules. They may be settled by the stores, which may also delete the models
  ///   that break them.
  /// - Throws: `SwiftDataError.saveConflict`, `SwiftDataError.storeReadFailure`, or
  ///   `SwiftDataError.modelValidationFailure` if nothing is deleted.
  mutating func run(_ access: WriteAccess) throws -> Failures {
    if externalChanges.feed.conflictPolicy == .refuse {
      if access == .exclusive { externalChanges.applyNew() }
      try conflictCheck.run(deleted: recorder.rowsToDelete)
    }
    lostReferences.dropAll()
    failedReads.removeAll()
    displacement.apply()
    let denied = rules.apply()
    let failures = Failures(
      denied: denied, all: denied + validation.failures())
    try failedReads.throwFirst(
      "saving",
      "Nothing was saved, because models for the delete rules or the validation could not be read. Save again."
    )
    if recorder.changes.deleted.isEmpty { try SwiftDataError.throwAll(failures.all) }
    return failures
  }

  /// Called when stores have applied the delete rules.
  /// - Parameter deleted: Pending models that the stores have deleted.
  /// - Throws: `SwiftDataError.modelValidationFailure` for what is still wrong.
  func recheck(_ failures: Failures, besides deleted: Set<ObjectIdentifier>) throws {
    let left = validation.failures(besides: deleted)
    try SwiftDataError.throwAll(failures.denied + left)
  }

  /// What lists without an inverse have lost to other owners in memory; known after the save.
  var takings: [SaveConsequences.Taking] { displacement.takings }

  /// Undoes what `run` changed in memory.
  mutating func undo() {
    rules.undo()
    displacement.undo()
  }
}
