import Foundation

/// One save: born when it starts, gone when it is done.
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
    do {
      try rules.apply()
      try Validation(core: core).check()
      let batches = try collect()
      return finalise(batches, try emit(batches[...]))
    } catch {
      rules.undo()
      throw error
    }
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

  private func emit(_ batches: ArraySlice<Batch>) throws -> [StoredChanges] {
    guard let batch = batches.first else { return [] }
    guard let store = batch.store as? any OrderedSaving else {
      return [try emit(batch, to: batch.store)] + (try emit(batches.dropFirst()))
    }
    var rest: [StoredChanges] = []
    let inserted = try store.saveInOrder(
      DataStoreSaveChangesRequest(
        inserted: batch.inserted, updated: batch.updated, deleted: batch.deleted,
        editingState: core.editingState),
      beforeCommit: { rest = try emit(batches.dropFirst()) })
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

  private func finalise(_ batches: [Batch], _ results: [StoredChanges]) -> Saved {
    var saved = Saved()
    let changes = core.changes
    core.changes.removeAll()
    for (batch, result) in zip(batches, results) {
      for (storage, permanent) in zip(batch.insertedStorages, result.inserted) {
        if let permanent {
          core.makePermanent(storage, permanent)
          saved.inserted.append(permanent)
        }
        storage.acceptChanges()
      }
    }
    for storage in changes.changed {
      saved.updated.append(storage.identifier)
      storage.acceptChanges()
    }
    for storage in changes.deleted {
      saved.deleted.append(storage.identifier)
      core.unregister(storage)
      storage.acceptChanges()
      storage.flags.insert(.isGone)
      storage.source = nil
    }
    for (identifier, snapshot) in results.flatMap(\.reregistered) {
      core.reregister(identifier, snapshot)
    }
    return saved
  }
}

extension ContextCore {
  /// Replaces a temporary identifier by the permanent one, in place.
  ///
  /// An upsert can lead to a row that another instance shows already. That instance stays the one in
  /// the identity map and takes the values that were saved.
  func makePermanent(_ storage: _ModelStorage, _ permanent: PersistentIdentifier) {
    storage.knownIdentifier?.temporaryScope?.end(permanent: permanent)
    storage.knownIdentifier = permanent
    if let known = registered(permanent), known !== storage {
      known.notifyingObserversOfAll { known.becomeFault() }
    } else {
      register(storage)
    }
  }

  func reregister(_ identifier: PersistentIdentifier, _ snapshot: DefaultSnapshot) {
    guard let storage = registered(identifier) else { return }
    storage.notifyingObserversOfAll {
      storage.refresh(page: snapshot.page, row: snapshot.row)
      if snapshot.cells != nil { storage.takeCells(of: snapshot) }
    }
  }
}

extension _ModelStorage {
  /// What is in the overlay is stored now. Relationships let go of their models, which are found by
  /// identifier from here on.
  func acceptChanges() {
    changedSlots = SlotSet()
    guard overlay != nil else { return }
    for slot in descriptor.relationshipSlots {
      guard case .object(let object) = overlaid(slot) else { continue }
      if object is ToManyValue {
        overlay(.unset, at: slot)
      } else if let model = object as? any PersistentModel {
        overlay(.object(IdentifierBox(model._$storage.identifier)), at: slot)
      }
    }
  }
}
