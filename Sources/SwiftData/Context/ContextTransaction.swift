/// One transaction of a context around several saves, from the lock to the commit. `ContextCore.transaction`
/// makes it.
///
/// 1. *Lock*: each store with transactions begins one, in the order of their identifiers, as saves do.
/// 2. *Refresh*: models in memory show what is stored now. What the container's other contexts have saved is
///    applied; where other containers or processes may have written since the last transaction, all models in
///    memory are read again.
/// 3. *Run*: fetches and faults read inside the transaction. Saves write to it; models count as stored, and what
///    others get to know of it is collected here.
/// 4. *Commit*: what is unsaved is saved, the changes are announced, and each store commits, in the
///    order of the configurations.
/// 5. An error undoes the stores' transactions and the models: new ones leave the context with the values that
///    they had before their save, deleted ones come back, and all others show their stored values.
///
/// Used on the thread of the context only.
final class ContextTransaction {
  private struct Inserted {
    let model: AnyObject
    let storage: _ModelStorage
    let overlay: ContiguousArray<_SlotValue>?
    /// The temporary one, where somebody has asked for it.
    let identifier: PersistentIdentifier?
  }

  private struct Deleted {
    let model: AnyObject
    let storage: _ModelStorage
  }

  fileprivate var open: [(port: any StorePort, transaction: any StoreTransaction)] = []
  /// Models that were saved for the first time, with their values before.
  private var inserted: [Inserted] = []
  private var deleted: [Deleted] = []
  /// What the saves changed, for other contexts.
  fileprivate var changes = SavedChanges()
  /// What the saves did, for notifications.
  fileprivate var saved: SaveSession.Saved?
  /// Why the whole cannot be committed: an inner transaction has failed.
  fileprivate var failure: (any Error)?

  /// Called before a save inside the transaction changes its models.
  func note(_ batches: [SaveSession.Batch]) {
    for batch in batches {
      for storage in batch.insertedStorages {
        guard let model = storage.model else { continue }
        inserted.append(
          Inserted(
            model: model, storage: storage, overlay: storage.overlay,
            identifier: storage.knownIdentifier))
      }
      for storage in batch.deletedStorages { note(deleted: storage) }
    }
  }

  /// A model whose row a save inside the transaction deletes.
  func note(deleted storage: _ModelStorage) {
    guard let model = storage.model else { return }
    deleted.append(Deleted(model: model, storage: storage))
  }

  /// What a batch deletion inside the transaction may have changed.
  func note(_ changes: SavedChanges) { self.changes.append(changes) }

  fileprivate func append(_ saved: SaveSession.Saved) {
    changes.append(saved.note)
    guard var all = self.saved else { return self.saved = saved }
    all.inserted += saved.inserted
    all.updated += saved.updated
    all.deleted += saved.deleted
    all.overwritten.merge(saved.overwritten) { $0 + $1 }
    all.discarded.merge(saved.discarded) { $0 + $1 }
    self.saved = all
  }

  /// Undoes what saves inside the transaction did to models. Unsaved changes are rolled back already.
  fileprivate func undo(in core: ContextCore) {
    for entry in inserted.reversed() where entry.storage.flags.isDisjoint(with: .isPending) {
      core.identities.remove(entry.storage)
      entry.storage.notifyingObserversOfAll {
        entry.storage.becomeUnsaved(as: entry.identifier)
        entry.storage.overlay = entry.overlay
      }
      core.weakenPartners(of: entry.storage)
    }
    let new = Set(inserted.map { ObjectIdentifier($0.storage) })
    for entry in deleted where !new.contains(ObjectIdentifier(entry.storage)) {
      guard entry.storage.flags.contains(.isGone), let identifier = entry.storage.knownIdentifier,
        core.registered(identifier) == nil
      else { continue }
      entry.storage.becomeRestored(in: core)
      core.identities.insert(entry.storage)
    }
    // Anything may have been changed by the saves, and lists may name models that are gone again.
    for live in core.identities.models(where: { $0.flags.isDisjoint(with: .isPending) }) {
      live.storage.refault()
    }
    withExtendedLifetime((inserted, deleted)) {}
  }
}

extension ContextCore {
  /// - Parameter limit: How long to wait for other writers; `nil` for the stores' own limits.
  func transaction(within limit: Duration?, _ block: () throws -> Void) throws {
    if let transaction { return try runInside(transaction, block) }
    try requireNoSnapshot()
    let transaction = ContextTransaction()
    do {
      for port in coordinator.ports.sorted(by: { $0.identifier < $1.identifier }) {
        guard let opened = try port.openTransaction(for: editingState, within: limit) else {
          continue
        }
        transaction.open.append((port, opened))
      }
    } catch {
      for (_, opened) in transaction.open.reversed() { opened.abandon() }
      throw error
    }
    self.transaction = transaction
    do {
      try refresh(in: transaction)
      try block()
      try save()
      if let failure = transaction.failure { throw failure }
    } catch {
      for (_, opened) in transaction.open.reversed() { opened.abandon() }
      end(transaction)
      throw error
    }
    try commit(transaction)
  }

  /// A transaction inside another one is a part of it.
  private func runInside(_ transaction: ContextTransaction, _ block: () throws -> Void) throws {
    do {
      try block()
      try save()
    } catch {
      transaction.failure = transaction.failure ?? error
      rollback()
      throw error
    }
  }

  private func refresh(in transaction: ContextTransaction) throws {
    // An announced save of another context is committed: this thread has the lock.
    var isOutdated = externalChanges.hasAnnouncedSaves
    applyExternalChanges()
    for (port, opened) in transaction.open {
      let version = opened.externalVersion
      if seenVersions[port.identifier] != version { isOutdated = true }
      seenVersions[port.identifier] = version
    }
    if isOutdated { ExternalChangeApplication(core: self).apply(.everything) }
    guard externalChanges.hasUnappliedChanges else { return }
    throw SwiftDataError.storeReadFailure.with(
      "The transaction has not begun: models in memory could not be read again. Try again.",
      doing: "beginning a transaction")
  }

  private func commit(_ transaction: ContextTransaction) throws {
    let announced = externalChanges.announce(transaction.changes)
    var committed: [any StorePort] = []
    for (port, opened) in inOrderOfConfigurations(transaction.open) {
      do {
        try opened.commit()
        committed.append(port)
      } catch {
        for (later, opened) in transaction.open
        where later !== port && !committed.contains(where: { $0 === later }) {
          opened.abandon()
        }
        let pending = transaction.open.map(\.port.name)
          .filter { name in !committed.contains { $0.name == name } }
        end(transaction)
        if committed.isEmpty {
          externalChanges.withdraw(announced)
          throw error
        }
        externalChanges.complete(announced, with: .everything)
        throw SwiftDataError.storedInPart(
          by: committed.map(\.name), pending: pending, error)
      }
    }
    self.transaction = nil
    externalChanges.complete(announced, with: transaction.changes)
    if !transaction.changes.isEmpty { coordinator.commits.fire() }
    if let saved = transaction.saved { post(saved) }
  }

  /// The end of a transaction that was undone.
  private func end(_ transaction: ContextTransaction) {
    self.transaction = nil
    rollback()
    transaction.undo(in: self)
    for watcher in watchers.all { watcher.didRollBack() }
    identities._invariantCheck(in: self)
  }

  /// A save has ended: others learn of it now, or at the end of the transaction.
  func didSave(_ saved: SaveSession.Saved) {
    if let transaction { transaction.append(saved) } else { post(saved) }
  }

  /// - Throws: `SwiftDataError.storeWriteFailure` inside a snapshot, which could not see what is written.
  func requireNoSnapshot() throws {
    guard isReadingSnapshot else { return }
    throw SwiftDataError.storeWriteFailure.with(
      "A snapshot reads one state of the store, so nothing can be saved or deleted inside it. Do that after it, "
        + "or use transaction(block:). Nothing was stored.")
  }

  func inOrderOfConfigurations(_ batches: [SaveSession.Batch]) -> [SaveSession.Batch] {
    if batches.count < 2 { return batches }
    return coordinator.ports.flatMap { port in batches.filter { $0.port === port } }
  }

  private func inOrderOfConfigurations(
    _ open: [(port: any StorePort, transaction: any StoreTransaction)]
  ) -> [(port: any StorePort, transaction: any StoreTransaction)] {
    coordinator.ports.flatMap { port in open.filter { $0.port === port } }
  }
}
