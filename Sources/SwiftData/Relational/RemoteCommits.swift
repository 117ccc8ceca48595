/// What others have committed to a store since the last look, as far as the history tells.
package struct RemoteCommits: Sendable {
  package var inserted: [PersistentIdentifier] = []
  /// With the slots of the changed properties.
  package var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
  package var deleted: [PersistentIdentifier] = []
  /// Any row may be changed, inserted or deleted.
  package var isEverything = false
  /// The number of the last transaction.
  package var last: Int64 = 0

  package init() {}
}
