/// The stores of a context, and what the context tells them about itself.
///
/// Belongs to one context and is used on its thread only.
final class ContextStores {
  let coordinator: any StoreCoordinator
  /// Identifies the context in each request.
  var editingState = EditingState()
  /// Whether reads see one state of the stores, so that newer changes are not applied.
  var isReadingSnapshot = false
  /// Whether a transaction is open that sees an earlier state than other writers make, so that their changes
  /// are not applied.
  var isBesideWriters = false
  /// Whether a save of the context runs, which may call code of the app.
  var isSaving = false
  /// The port of the last look-up, which is usually that of the next one too.
  private var lastScope: IdentifierScope?
  private var lastPort: (any StorePort)?

  init(_ coordinator: any StoreCoordinator) {
    self.coordinator = coordinator
    for port in coordinator.ports { port.begin(editingState) }
  }

  func close() {
    for port in coordinator.ports { port.end(editingState) }
  }

  /// The port to the store that contains a model.
  func port(of storage: _ModelStorage) -> (any StorePort)? {
    coordinator.port(forEntity: storage.descriptor.entityName)
  }

  /// The stored row of a model; `nil` if it does not exist.
  func snapshot(for identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try coordinator.requireOpen()
    return try port(of: identifier)?.snapshot(for: identifier, editingState)
  }

  /// The port to the store of an identifier.
  func port(of identifier: PersistentIdentifier) -> (any StorePort)? {
    let scope = identifier.id.scope
    guard case .row = scope.kind else { return coordinator.port(forEntity: scope.entityName) }
    if lastScope !== scope {
      lastPort = coordinator.port(forEntity: scope.entityName)
      lastScope = scope
    }
    return lastPort
  }

  /// The rows of some models of one class, read with one statement for 5000 of them.
  func rows(
    of identifiers: [PersistentIdentifier], _ descriptor: _ModelDescriptor, in port: any StorePort
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for start in stride(from: 0, to: identifiers.count, by: 5000) {
      let chunk = Array(identifiers[start..<min(start + 5000, identifiers.count)])
      let rows = try port.rows(
        at: .identifiers(chunk), in: chunk.indices, of: descriptor, slots: nil, editingState)
      for snapshot in rows.snapshots { found[snapshot.persistentIdentifier] = snapshot }
    }
    return found
  }

  /// - Throws: `SwiftDataError.storeWriteFailure` inside a snapshot, whose reads would not see the
  ///   write, and inside a save.
  func requireIdle() throws {
    if isSaving {
      throw SwiftDataError.storeWriteFailure.with(
        "A save of this context is running, and has called this code. Save, delete by predicate or begin a "
          + "transaction after it. Edits made now stay unsaved. Nothing was stored.",
        because: .invalidRequest)
    }
    guard isReadingSnapshot else { return }
    throw SwiftDataError.storeWriteFailure.with(
      "Inside a snapshot nothing can be saved or deleted. Save after the snapshot, "
        + "or use transaction(block:). Nothing was stored.", because: .invalidRequest)
  }

  /// The stores of pending changes, in the order in which they are locked.
  func ports(of changes: ChangeTracker) throws -> [any StorePort] {
    if changes.isEmpty { return [] }
    try coordinator.requireOpen()
    if coordinator.ports.count == 1 { return coordinator.ports }
    var found: [any StorePort] = []
    for descriptor in (Array(changes.inserted) + changes.changed + changes.deleted).descriptors {
      guard let port = coordinator.port(forEntity: descriptor.entityName) else {
        throw SwiftDataError.notStored(entity: descriptor.entityName)
      }
      if !found.contains(where: { $0 === port }) { found.append(port) }
    }
    return found.filter(\.isTransactional).sorted { $0.identifier < $1.identifier }
      + coordinator.ports.filter { port in
        !port.isTransactional && found.contains { $0 === port }
      }
  }

  /// What has to be committed, in the order of the configurations.
  func inOrderOfConfigurations<Work>(
    _ work: [Work], port: (Work) -> any StorePort
  ) -> [Work] {
    if work.count < 2 { return work }
    return coordinator.ports.flatMap { own in work.filter { port($0) === own } }
  }
}

/// A unit of work as other contexts see it: by its stores.
protocol StoreOwning: AnyObject {
  var coordinator: any StoreCoordinator { get }
}
