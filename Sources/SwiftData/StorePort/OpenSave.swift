/// A save between taking the store's write lock and giving it back.
///
/// `write` is called at most once. Exactly one of `commit` and `abandon` ends the save, on the thread that
/// opened it.
package protocol OpenSave {
  /// Writes the request without committing it.
  /// - Parameter source: Finds the models that relationships name.
  /// - Throws: `DeletedRows`, `SwiftDataError`, or the store's error; `abandon` follows.
  func write(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ options: SaveOptions,
    source: any _FaultSource
  ) throws -> SaveReceipt

  /// - Throws: The store's error; nothing is stored then, and the save has ended.
  func commit() throws

  func abandon()
}

/// A transaction of a store around several saves of one context, on the thread that opened it.
///
/// Exactly one of `commit` and `abandon` ends it.
package protocol StoreTransaction {
  /// Differs from that of an earlier transaction when others than this container have written since.
  var externalVersion: Int64 { get }

  /// - Throws: The store's error; nothing is stored then, and the transaction has ended.
  func commit() throws

  func abandon()
}

/// How a save is to be written, besides the values.
package struct SaveOptions {
  /// Whether a new model that has the unique values of a row is refused, instead of becoming that row.
  package var refusesUpserts = false
  /// Which rows the context shows without having read them: it gets the last values of those that delete
  /// rules remove.
  package var needsLastValues: (PersistentIdentifier) -> Bool = { _ in false }

  package init() {}
}

/// What a store answers to a save.
package struct SaveReceipt {
  /// The permanent identifiers of the inserted models, in the order of the request.
  package var inserted: [PersistentIdentifier]
  /// Which values the store put outside of the rows.
  package var external = ExternalPlaces()
  /// The values of models that the store changed on its own account.
  package var reregistered: [DefaultSnapshot] = []
  /// What the store did by the rules of the schema, besides what the request says.
  package var consequences = SaveConsequences()
  /// The end of the history after the save, in stores that keep one.
  package var token: (any HistoryToken)?
}

/// What a store did in a save by the rules of the schema, for the context to show.
package struct SaveConsequences {
  /// A to-one relationship of a row.
  package struct Link {
    package let identifier: PersistentIdentifier
    package let slot: Int
  }

  /// Rows that delete rules removed.
  package var deleted: [PersistentIdentifier] = []
  /// Whether others had deleted rows that were to be deleted, so that `changedLists` does not tell of them.
  package var hasMissedRows = false
  /// The last values of those the context asked for.
  package var lastValues: [DefaultSnapshot] = []
  /// Places in the request of inserted models that delete rules removed again.
  package var dropped: [Int] = []
  /// To-one relationships that a delete rule emptied.
  package var emptied: [Link] = []
  /// To-one relationships that lost their model to this save, because the relationship is one-to-one.
  package var displaced: [Link] = []
  /// To-one relationships that lead to a model of this save now, which leads to them.
  package var answered: [Link] = []
  /// Lists that have other members now, by row.
  package var changedLists: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
}
