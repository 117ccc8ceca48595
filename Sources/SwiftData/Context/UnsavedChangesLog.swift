import Synchronization

/// Reports contexts that are released with unsaved changes, one for each container.
///
/// Called by `ContextCore.close()`. Changes of models in stores in memory are not counted: they
/// would not have outlived the container.
final class UnsavedChangesLog: Sendable {
  private let isWritten = Atomic<Bool>(false)

  func note(_ changes: ChangeTracker, hasAutosave: Bool, _ coordinator: any StoreCoordinator) {
    if changes.isEmpty || isWritten.load(ordering: .relaxed) { return }
    let (count, kinds) = changes.summary(where: coordinator.isStoredInFile)
    guard count > 0, !isWritten.exchange(true, ordering: .relaxed) else { return }
    let amount = "\(count) unsaved change\(count == 1 ? "" : "s"): \(kinds)"
    let advice =
      hasAutosave
      ? "A context with autosave was deinitialized with \(amount). Call save(), or await "
        + "ModelContainer.settle() first."
      : "A context was deinitialized with \(amount). Call save(), or rollback() to discard them; set "
        + "its reportsUnsavedChanges to false if they need not be saved."
    WarningLog.write("\(advice) Further contexts of this container are not reported.")
  }

  /// Reports edits of a `ModelWriter`'s context that belong to no unit and can't be saved.
  static func noteDiscarded(_ changes: ChangeTracker, _ error: any Error) {
    let (_, kinds) = changes.summary { _ in true }
    WarningLog.write(
      "After a unit of a ModelWriter, code such as an observer of didSave has edited its context. The unit is stored. The "
        + "edits could not be saved and were discarded: \(kinds.isEmpty ? "edits of deleted models" : kinds). "
        + "Call save() in the observer to handle errors. \(error)")
  }
}

extension ChangeTracker {
  /// The number of changed models, and their numbers by kind and class: `1 new Trip, 2 deleted Stop`.
  func summary(where isCounted: (String) -> Bool) -> (count: Int, kinds: String) {
    var count = 0
    let kinds = [("new", inserted), ("changed", changed), ("deleted", deleted)].flatMap {
      kind, storages in
      var sizes: [String: Int] = [:]
      for storage in storages {
        let entity = storage.descriptor.entityName
        guard isCounted(entity) else { continue }
        sizes[entity, default: 0] += 1
        count += 1
      }
      return sizes.sorted { $0.key < $1.key }.map { "\($0.value) \(kind) \($0.key)" }
    }
    return (count, kinds.joined(separator: ", "))
  }
}

extension ModelContext {
  /// Whether unsaved changes are reported on standard error when the context is released; `true` by
  /// default.
  ///
  /// The warning contains the classes and the numbers of models. It is written once for each
  /// container, and not for stores in memory. Turn it off for a context whose changes are meant to
  /// be dropped. Not in Apple's framework.
  public var reportsUnsavedChanges: Bool {
    get { core.reportsUnsavedChanges }
    set { core.reportsUnsavedChanges = newValue }
  }
}
