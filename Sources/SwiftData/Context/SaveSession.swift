import Foundation

/// One save: made when it starts, discarded when it is done.
///
/// 1. *Organise*: delete rules find what else changes or goes; validation judges the pending set.
/// 2. *Collect*: snapshots of everything pending become one request per store.
/// 3. *Emit*: each store writes its request in one transaction. Transactions of several stores are
///    nested, so that none commits before all have written; a custom store is asked last.
/// 4. *Finalise*: temporary identifiers become permanent in place, changes count as stored.
///
/// A throw in 1 to 3 undoes what the delete rules did in memory and leaves the context as it was.
struct SaveSession {
  let core: ContextCore
  private var rules: DeleteRules

  init(core: ContextCore) {
    self.core = core
    rules = DeleteRules(core: core)
  }

  struct Saved {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
    /// What others had saved since this context read it, and this save replaced.
    var overwritten: [PersistentIdentifier: [String]] = [:]

    var userInfo: [AnyHashable: Any] {
      [
        ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
        ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated,
        ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
      ]
    }
  }

  /// What one store has to write.
  private struct Batch {
    let store: any DataStore
    var insertedStorages: [_ModelStorage] = []
    var inserted: [DefaultSnapshot] = []
    var updated: [DefaultSnapshot] = []
    var deleted: [DefaultSnapshot] = []
  }

  mutating func run() throws -> Saved {
    var announced: Int?
    do {
      core.dropLostPartners()
      let denied = rules.apply()
      try SwiftDataError.throwAll(
        denied + Validation(core: core).failures(shrunk: rules.shrunk))
      let batches = try collect()
      let others = core.externalChanges
      let results = try emit(batches[...]) {
        if others.hasReaders { announced = others.announce(pendingNote()) }
      }
      let overwritten = contestedNames()
      var note = announced == nil ? SavedChanges() : pendingNote()
      var saved = finalise(batches, results, noting: &note)
      saved.overwritten = overwritten
      if let announced { others.complete(announced, with: note) }
      return saved
    } catch {
      if let announced { core.externalChanges.withdraw(announced) }
      rules.undo()
      throw error
    }
  }

  /// What this save changes, for the other contexts of the container.
  private func pendingNote() -> SavedChanges {
    var note = SavedChanges()
    note.updated = core.changes.changed.map { ($0.identifier, $0.changedSlots) }
    note.deleted = core.changes.deleted.map(\.identifier)
    return note
  }

  /// The names of the contested properties that this save wrote.
  private func contestedNames() -> [PersistentIdentifier: [String]] {
    let contested = core.externalChanges.contested
    if contested.isEmpty { return [:] }
    core.externalChanges.forgetContested()
    var names: [PersistentIdentifier: [String]] = [:]
    func add(_ storage: _ModelStorage, _ slots: SlotSet?) {
      let slots = slots?.intersection(contested[storage.identifier] ?? SlotSet())
      let written = storage.descriptor.names(of: slots ?? SlotSet(), includingToMany: false)
      if !written.isEmpty { names[storage.identifier] = written }
    }
    for storage in core.changes.changed { add(storage, storage.changedSlots) }
    for storage in core.changes.deleted { add(storage, .all) }
    return names
  }

  private func collect() throws -> [Batch] {
    var batches: [Batch] = []
    var places: [ObjectIdentifier: Int] = [:]
    func place(_ storage: _ModelStorage) throws -> Int {
      guard let store = core.store(of: storage) else {
        throw SwiftDataError.unknownSchema.with(
          "No store keeps this entity.", entity: storage.descriptor.entityName)
      }
      if let place = places[ObjectIdentifier(store)] { return place }
      places[ObjectIdentifier(store)] = batches.count
      batches.append(Batch(store: store))
      return batches.count - 1
    }
    for storage in core.changes.inserted {
      let place = try place(storage)
      batches[place].insertedStorages.append(storage)
      batches[place].inserted.append(try DefaultSnapshot(storage))
    }
    for storage in core.changes.changed {
      let place = try place(storage)
      batches[place].updated.append(
        try DefaultSnapshot(storage, changedSlots: storage.changedSlots))
    }
    for storage in core.changes.deleted {
      let place = try place(storage)
      batches[place].deleted.append(DefaultSnapshot(lenient: storage))
    }
    return batches.filter { $0.store is any OrderedSaving }
      + batches.filter { !($0.store is any OrderedSaving) }
  }

  /// What a store answered.
  private struct StoredChanges {
    /// In the order of the request's inserted models; nil for one that the store did not take.
    var inserted: [PersistentIdentifier?]
    var reregistered: [PersistentIdentifier: DefaultSnapshot] = [:]
  }

  /// - Parameter whenWritten: Runs when all stores have written and the default stores are about to
  ///   commit.
  private func emit(
    _ batches: ArraySlice<Batch>, whenWritten: () -> Void
  ) throws -> [StoredChanges] {
    guard let batch = batches.first else {
      whenWritten()
      return []
    }
    guard let store = batch.store as? any OrderedSaving else {
      return [try emit(batch, to: batch.store)]
        + (try emit(batches.dropFirst(), whenWritten: whenWritten))
    }
    var rest: [StoredChanges] = []
    let inserted = try store.saveInOrder(
      DataStoreSaveChangesRequest(
        inserted: batch.inserted, updated: batch.updated, deleted: batch.deleted,
        editingState: core.editingState),
      beforeCommit: { rest = try emit(batches.dropFirst(), whenWritten: whenWritten) })
    return [StoredChanges(inserted: inserted)] + rest
  }

  private func emit<S: DataStore>(_ batch: Batch, to store: S) throws -> StoredChanges {
    func converted(_ snapshots: [DefaultSnapshot]) -> [S.Snapshot] {
      (snapshots as? [S.Snapshot]) ?? snapshots.map { core.snapshot(of: $0, as: S.Snapshot.self) }
    }
    let result = try store.save(
      DataStoreSaveChangesRequest(
        inserted: converted(batch.inserted), updated: converted(batch.updated),
        deleted: converted(batch.deleted), editingState: core.editingState))
    return StoredChanges(
      inserted: batch.inserted.map { result.remappedIdentifiers[$0.persistentIdentifier] },
      reregistered: try result.snapshotsToReregister.mapValues {
        try ($0 as? DefaultSnapshot) ?? DefaultSnapshot(converting: $0, core: core)
      })
  }

  private func finalise(
    _ batches: [Batch], _ results: [StoredChanges], noting note: inout SavedChanges
  ) -> Saved {
    var saved = Saved()
    let changes = core.changes
    core.changes.removeAll()
    for (batch, result) in zip(batches, results) {
      for (storage, permanent) in zip(batch.insertedStorages, result.inserted) {
        guard let permanent else { continue }
        core.makePermanent(storage, permanent)
        saved.inserted.append(permanent)
        // An upsert may have changed a row that others show.
        if storage.descriptor.isConstrained {
          note.updated.append((permanent, .all))
          core.forgetEmptyToOnes(of: storage)
        }
      }
    }
    for storage in changes.inserted { storage.acceptChanges() }
    for storage in changes.changed {
      saved.updated.append(storage.identifier)
      storage.acceptChanges()
    }
    for storage in changes.changed { core.refreshDuplicates(of: storage) }
    for storage in changes.deleted {
      saved.deleted.append(storage.identifier)
      core.finishDeletion(of: storage)
    }
    core.hasLostModels = false
    if core.leavesUnseenMembers(changes.deleted) { core.dropGoneMembers() }
    for (identifier, snapshot) in results.flatMap(\.reregistered) {
      core.reregister(identifier, snapshot)
    }
    return saved
  }
}
