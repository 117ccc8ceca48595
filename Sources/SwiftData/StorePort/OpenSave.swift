/// A save while the store's write lock is held.
///
/// Call `write` at most once. End the save with exactly one of `commit` and `abandon`, on the
/// thread that opened it.
package protocol OpenSave {
  /// Writes the request without a commit.
  /// - Parameter source: Finds the models that relationships refer to.
  /// - Throws: `DeletedRows`, `SwiftDataError`, or the store's error; call `abandon` then.
  func write(
    _ request: SaveRequest, _ options: SaveOptions,
    source: any _FaultSource
  ) throws -> SaveReceipt

  /// Writes some values of written rows again, in the same version: they contain identifiers that are known only
  /// when all stores have written. Not called for a store without transactions, nor without `willComplete`.
  /// - Parameter rows: Rows of this save, with the changed slots to write. None of them is named twice.
  /// - Throws: `SwiftDataError`, or the store's error; call `abandon` then.
  func complete(_ rows: [DefaultSnapshot]) throws

  /// - Throws: The store's error; nothing is stored then, and the save has ended.
  func commit() throws

  func abandon()
}

/// A store's transaction around several saves of one context, on the thread that opened it.
///
/// End it with exactly one of `commit` and `abandon`.
package protocol StoreTransaction {
  /// Differs from that of an earlier transaction if another container or process has written since;
  /// `nil` if the database does not tell whether one has.
  var externalVersion: Int64? { get }

  /// The next save is the last. It may be sent with the commit, which then throws its errors.
  func willEnd()

  /// Saves need not be undone alone: if one of them has written and fails, the store may refuse all further ones
  /// and the commit. May be called before the first save.
  func makeIndivisible()

  /// The error after which the database refuses all further statements.
  var failure: (any Error)? { get }

  /// - Throws: The store's error; nothing is stored then, and the transaction has ended.
  func commit() throws

  func abandon()
}

/// The options of a save.
package struct SaveOptions {
  /// Whether a new model with the unique values of a stored row is refused, instead of being
  /// merged.
  package var refusesUpserts = false
  /// Whether the save returns what rows were linked to before new models became them
  /// (`SaveConsequences.Merge.earlierLinks` and `newMembers`), for an undo.
  var notesEarlierLinks = false
  /// Whether `complete` follows, once.
  var willComplete = false
  /// Selects the keys of models that may lack values in memory, from the deleted rows. The save returns the last
  /// values of these.
  var needLastValues: (IdentifierScope, [Int64]) -> [Int64] = { _, _ in [] }

  package init() {}
}

/// The result of a save.
package struct SaveReceipt {
  /// The permanent identifiers of the inserted models, in the order of the request.
  package var inserted: [PersistentIdentifier]
  /// The values that the store has saved outside the rows.
  package var external = ExternalValueSlots()
  /// The values of models that the store itself changed.
  package var reregistered: [DefaultSnapshot] = []
  /// The effects of delete rules and constraints, beyond the request.
  package var consequences = SaveConsequences()
  /// The indices of changed models that were written after the others, because they waited for new models.
  var lateUpdates: Set<Int> = []
  /// The token of the end of the history after the save, if the store has a history.
  package var token: (any HistoryToken)?
}

/// The effects of a save beyond the request, which the context must apply to its models.
package struct SaveConsequences {
  /// A relationship of a row.
  package struct Link: Hashable {
    package let identifier: PersistentIdentifier
    package let slot: Int
  }

  /// Lists of a row whose members have changed through other rows.
  package struct ChangedLists {
    package let identifier: PersistentIdentifier
    package let slots: SlotSet
    /// Whether the row is known to be of the identifier's entity. If not, there is one such value for each entity
    /// of its table.
    package let isCertain: Bool
  }

  /// A member that a save took from a list without an inverse, because it gave it to another owner.
  package struct Taking: Hashable {
    /// The list that lost the member.
    package let link: Link
    /// The key of the member.
    package let member: Int64
  }

  /// A new model that became a row with its unique values.
  package struct Merge {
    /// The index of the model in the request.
    package let index: Int
    /// Whether it is the row of another new model of the save.
    package let isOfNewModel: Bool
    /// Where the row led before; `nil` if that was not requested or the store does not tell.
    var earlierLinks: EarlierLinks?
    /// Whether `newMembers` contains those of the row.
    var hasNewMembers = true
  }

  /// The destinations of a row's to-one relationships, by slot. One that is not known is missing.
  package typealias EarlierLinks = [Int: PersistentIdentifier?]

  /// A member that a list has gained.
  package struct NewMember {
    let owner: PersistentIdentifier
    let slot: Int
    let member: PersistentIdentifier
  }

  /// The rows that delete rules have removed.
  package var deleted: [PersistentIdentifier] = []
  /// Whether rows to delete did not exist any more, so that `changedLists` is incomplete.
  package var hasMissedRows = false
  /// The last values of deleted models, as requested by `needLastValues`.
  package var lastValues: [DefaultSnapshot] = []
  /// The indices, in the request, of inserted models that delete rules have removed.
  package var dropped: [Int] = []
  /// The inserted models that became a row with their unique values.
  package var merged: [Merge] = []
  /// What lists have gained that are not the other side of a to-one relationship: the members that merged
  /// models brought and that were not stored, and others. Noted like `Merge.earlierLinks`, from one side.
  package var newMembers: [NewMember] = []
  /// To-one relationships that a delete rule has set to nil.
  package var nullified: [Link] = []
  /// To-one relationships that were set to nil because the save gave their model to another one.
  package var displaced: [Link] = []
  /// Inverse to-one relationships that were set to a model of this save.
  package var answered: [Link] = []
  /// What to-many relationships without an inverse lost to other owners.
  package var taken: [Taking] = []
  /// To-many relationships that lost deleted members.
  package var changedLists: [ChangedLists] = []
  /// To-many relationships that lost a member to another owner, because a new model became its row.
  package var left: [ChangedLists] = []
}
