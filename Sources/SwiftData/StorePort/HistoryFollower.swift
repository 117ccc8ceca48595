/// Follows the history of one store from a position.
package protocol HistoryFollower: Sendable {
  /// Whether there are matching transactions since the last call; moves the position to the end.
  ///
  /// Transactions that are unknown, because they were deleted or never written, count as matching.
  /// - Throws: Any error of the store; the position does not change then.
  func hasNewTransactions() throws -> Bool
}

/// Selects transactions of a history.
package struct HistoryFilter: Sendable {
  /// The names of the entities whose changes match; `nil` for all.
  package var entities: Set<String>?
  /// The authors whose transactions match; empty for all.
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
