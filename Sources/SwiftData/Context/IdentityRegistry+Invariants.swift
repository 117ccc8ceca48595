/// Conditions that hold between two calls of the context's API; checked in test builds only.
///
/// Called after each batch of changes: a fetch, a save, a rollback, an undo, external changes. It
/// looks at every instance, so a large registry is checked less and less often: otherwise a loop of
/// fetches would take quadratic time.
extension IdentityRegistry {
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      checkCount += 1
      guard count <= 256 || checkCount & (checkCount - 1) == 0 else { return }
      for live in models(where: { _ in true }) { check(live) }
      for (identifier, live) in allDuplicates {
        let isKnown = live.storage.knownIdentifier == identifier
        precondition(isKnown, "a duplicate of \(identifier) shows another row")
      }
    #endif
  }

  #if OPENSWIFTDATA_INVARIANTS
    private func check(_ live: RetainedModel) {
      let storage = live.storage
      let name = storage.descriptor.entityName
      guard let identifier = storage.knownIdentifier else {
        preconditionFailure("\(name): a registered instance has no identifier")
      }
      precondition(!identifier.isTemporary, "\(identifier): a new model is registered as a row")
      precondition(context.owns(storage), "\(identifier): belongs to another context, or none")
      precondition(!storage.flags.contains(.isInserted), "\(identifier): is new and has a row")
      let found = model(for: identifier)
      precondition(found?.storage === storage, "\(identifier): leads to another instance")
      let isNoted = storage.table != nil || storage.flags.contains(.isRegistered)
      precondition(isNoted, "\(identifier): can't remove itself")
    }
  #endif
}
