/// Saves, in one transaction each.
extension RelationalStore {
  /// - Parameter beforeCommit: Runs when everything is written; nothing is stored when it throws.
  /// - Returns: The permanent identifiers of the inserted models, in their order.
  package func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, beforeCommit: () throws -> Void = {}
  ) throws -> [PersistentIdentifier] {
    try driver.write { session in
      try session.transaction {
        var writer = SaveWriter(store: self, session: session)
        let identifiers = try writer.write(request)
        try beforeCommit()
        return identifiers
      }
    }
  }
}
