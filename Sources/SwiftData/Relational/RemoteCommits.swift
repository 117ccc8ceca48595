/// The commits of other writers to a store since the last check, according to the history.
package struct RemoteCommits: Sendable {
  package var inserted: [PersistentIdentifier] = []
  /// Each with the slots of the changed properties.
  package var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
  package var deleted: [PersistentIdentifier] = []
  /// Whether any row may have been changed, inserted or deleted.
  package var isEverything = false
  /// The number of the last transaction.
  package var last: Int64 = 0

  package init() {}
}
