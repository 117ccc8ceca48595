/// What holds between two calls of the context's API; checked in test builds only.
///
/// Called after each batch of changes: a fetch, a save, a rollback, an undo, external changes. It
/// looks at every instance, so a large registry is checked ever more seldom: otherwise a loop of
/// fetches would take quadratic time.
extension IdentityRegistry {
  func _invariantCheck(in context: ContextCore) {
    #if OPENSWIFTDATA_INVARIANTS
      checkCount += 1
      guard count <= 256 || checkCount & (checkCount - 1) == 0 else { return }
      var models: [AnyObject] = []  // released after the walk, because that changes the registry
      forEach { storage in
        check(storage, in: context)
        if let model = storage.model { models.append(model) }
      }
      for (identifier, storage) in allDuplicates where storage.model != nil {
        let isKnown = storage.knownIdentifier == identifier
        precondition(isKnown, "a duplicate of \(identifier) shows another row")
      }
      withExtendedLifetime(models) {}
    #endif
  }

  #if OPENSWIFTDATA_INVARIANTS
    private func check(_ storage: _ModelStorage, in context: ContextCore) {
      let name = storage.descriptor.entityName
      guard let identifier = storage.knownIdentifier else {
        preconditionFailure("\(name): a registered instance has no identifier")
      }
      precondition(!identifier.isTemporary, "\(identifier): a new model is registered as a row")
      precondition(storage.model != nil, "\(identifier): no model is left")
      precondition(storage.source === context, "\(identifier): belongs to another context, or none")
      precondition(!storage.flags.contains(.isInserted), "\(identifier): is new and has a row")
      let found = self.storage(for: identifier, in: context)
      precondition(found === storage, "\(identifier): leads to another instance")
      let isNoted = storage.table != nil || storage.flags.contains(.isRegistered)
      precondition(isNoted, "\(identifier): can't remove itself")
    }
  #endif
}
