/// Follows the history of one store from a place in it.
package protocol HistoryFollower: Sendable {
  /// Whether there are transactions of interest since the last call; the place moves behind all there are.
  ///
  /// What cannot be known, because it was deleted or never written, counts as one.
  /// - Throws: The store's error; the place stays then.
  func hasNews() throws -> Bool
}

/// Which transactions of a history are of interest.
package struct HistoryInterest: Sendable {
  /// The names of the entities whose changes count; `nil` for all.
  package var entities: Set<String>?
  /// The authors whose transactions count; all where there are none.
  package var authors: Set<String>

  package init(entities: Set<String>?, authors: Set<String>) {
    self.entities = entities
    self.authors = authors
  }

  package func concerns(_ transaction: some HistoryTransaction) -> Bool {
    if !authors.isEmpty, !(transaction.author.map(authors.contains) ?? false) { return false }
    guard let entities else { return true }
    return transaction.changes.contains {
      entities.contains($0.changedPersistentIdentifier.entityName)
    }
  }
}
