import Synchronization

/// Reports contexts that are released with unsaved changes, one for each container.
///
/// Called by `ContextCore.close()`. Changes of models in stores in memory are not counted: they
/// would not have outlived the container.
final class UnsavedChangesLog: Sendable {
  private let isWritten = Atomic<Bool>(false)

  func note(_ changes: ChangeTracker, hasAutosave: Bool, _ coordinator: any StoreCoordinator) {
    if changes.isEmpty || isWritten.load(ordering: .relaxed) { return }
    var count = 0
    let kinds = [
      ("new", changes.inserted), ("changed", changes.changed), ("deleted", changes.deleted),
    ].flatMap { kind, storages in
      var sizes: [String: Int] = [:]
      for storage in storages {
        let entity = storage.descriptor.entityName
        guard coordinator.isStoredInFile(entity) else { continue }
        sizes[entity, default: 0] += 1
        count += 1
      }
      return sizes.sorted { $0.key < $1.key }.map { "\($0.value) \(kind) \($0.key)" }
    }
    guard count > 0, !isWritten.exchange(true, ordering: .relaxed) else { return }
    let amount = "\(count) unsaved change\(count == 1 ? "" : "s"): \(kinds.joined(separator: ", "))"
    let advice =
      hasAutosave
      ? "A context with autosave was deinitialized with \(amount). Call save(), or await "
        + "ModelContainer.settle() first."
      : "A context was deinitialized with \(amount). Call save(), or rollback() to discard them; set "
        + "its reportsUnsavedChanges to false if they need not be saved."
    WarningLog.write("\(advice) Further contexts of this container are not reported.")
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
