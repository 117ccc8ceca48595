import Foundation
import OpenSwiftDataRowStorage

/// Turns rows of a store into models: the registered instance of a row if there is one, else a new
/// model with the row.
///
/// Used at the end of a fetch (`FetchOperation`, `BatchReading`, `Prefetcher`) and by
/// `FaultResolver`. The caller passes the context that new models belong to as `source`. Has no
/// state; what it changes is used on the thread of the context.
final class Materializer {
  let coordinator: any StoreCoordinator
  let identities: IdentityRegistry
  let changes: ChangeTracker
  let recent: RecentlyFaultedModels
  /// Records rows that have changed under unsaved edits, if the context refuses conflicts.
  private let conflicts: ConflictCheck

  init(
    _ coordinator: any StoreCoordinator, _ identities: IdentityRegistry, _ changes: ChangeTracker,
    _ recent: RecentlyFaultedModels, _ conflicts: ConflictCheck
  ) {
    self.coordinator = coordinator
    self.identities = identities
    self.changes = changes
    self.recent = recent
    self.conflicts = conflicts
  }

  /// The model in memory for an identifier.
  func registered(_ identifier: PersistentIdentifier) -> RetainedModel? {
    identities.model(for: identifier)
  }

  /// The instances of the models' rows that a fetch returns beside unsaved changes.
  func shown<T: PersistentModel>(_ models: [T]) -> [T] {
    if !identities.hasDuplicates { return models }
    return models.map { model in
      guard let identifier = model._$storage.knownIdentifier else { return model }
      return identities.shownInstance(of: identifier)?.model as? T ?? model
    }
  }

  /// Which relationships in memory stay over a row that is read again.
  enum Kept {
    /// None: another model is about to retain this one, which must not lead back to it.
    case nothing
    /// Those that the row and a state of the store still have.
    case agreeing(StoreState?)
  }

  /// The models of fetched rows, in order.
  /// - Parameter keepsRelated: Whether models in memory keep the related models that they still have. Not for
  ///   rows that a relationship leads to.
  func materialize<T: PersistentModel>(
    _ rows: FetchedRows, as type: T.Type, in source: any _FaultSource, keepsRelated: Bool = false
  ) -> [T] {
    defer { identities._invariantCheck() }
    let kept = keepsRelated ? Kept.agreeing(rows.state) : .nothing
    switch rows {
    case .batch(let batch) where batch.descriptor === T._$descriptor:
      return materialize(batch, as: type, in: source, kept)
    case .batch(let batch):
      return batch.snapshots.compactMap { materialize($0, in: source, keeping: kept) as? T }
    case .snapshots(let snapshots, _):
      return snapshots.compactMap { materialize($0, in: source, keeping: kept) as? T }
    case .partial(let batches):
      var models: [T] = []
      models.reserveCapacity(rows.count)
      for batch in batches { materialize(partial: batch, into: &models, in: source) }
      return models
    }
  }

  /// The models of rows whose class is `T` itself: one look-up and two allocations per row.
  private func materialize<T: PersistentModel>(
    _ batch: RowBatch, as type: T.Type, in source: any _FaultSource, _ kept: Kept
  ) -> [T] {
    let descriptor = batch.descriptor
    guard let table = identities.table(of: batch.scope) else { return [] }
    if batch.entries.count > 64 { table.reserve(batch.entries.count) }
    var backing: any BackingData<T> = _ManagedBackingData<T>(_ModelStorage(descriptor))
    // An earlier instance may have left a record of changes by others, which a new one shows.
    let forgets = changes.hasExternalChanges
    return [T](unsafeUninitializedCapacity: batch.entries.count) { models, count in
      guard let first = models.baseAddress else { return }
      forEachRow(of: batch, in: table) {
        makeStorage(of: $0, in: batch, source)
      } _: { index, storage, known in
        let model: T
        if let known {
          update(storage, with: batch.snapshot(at: index), keeping: kept)
          guard let typed = known as? T else { return }
          model = typed
        } else {
          if forgets { changes.forgetExternalChange(of: storage) }
          model = Materialization.makeModel(type, over: storage, passing: &backing)
        }
        (first + count).initialize(to: model)
        count += 1
      }
    }
  }

  @inline(__always)
  func makeStorage(
    of row: RowBatch.Entry, in batch: RowBatch, _ source: any _FaultSource
  ) -> _ModelStorage {
    let storage = _ModelStorage(batch.descriptor)
    storage.becomeRegistered(
      in: source, as: PersistentIdentifier(scope: batch.scope, key: row.key),
      page: row.page.takeUnretainedValue(), row: row.row)
    return storage
  }

  /// Looks up the rows of a batch, several at a time, and iterates over their storages.
  /// - Parameters:
  ///   - make: Creates the storage of a row that has none; must do nothing else.
  ///   - body: Called with the index of the row in the batch, and the model if it is in memory.
  @inline(__always)
  func forEachRow(
    of batch: RowBatch, in table: IdentityTable, make: (RowBatch.Entry) -> _ModelStorage,
    _ body: (Int, _ModelStorage, _ model: AnyObject?) -> Void
  ) {
    let size = 64
    // Unmanaged: a reference count per element would cost a tenth of the fetch.
    var storages: ContiguousArray<Unmanaged<_ModelStorage>> = []
    storages.reserveCapacity(min(size, batch.entries.count))
    for start in stride(from: 0, to: batch.entries.count, by: size) {
      let end = min(start + size, batch.entries.count)
      table.resolve(batch.entries[start..<end], into: &storages, make: make)
      for offset in storages.indices {
        let storage = storages[offset].takeRetainedValue()
        let model = storage.model
        if model == nil, storage.hasModel {
          // The model is being deinitialised on another thread.
          let row = batch.entries[start + offset]
          let fresh = make(row)
          table.insert(fresh, for: row.key)
          body(start + offset, fresh, nil)
        } else {
          body(start + offset, storage, model)
        }
      }
      storages.removeAll(keepingCapacity: true)
    }
  }

  /// The model of one snapshot of any class.
  func materialize(
    _ snapshot: DefaultSnapshot, in source: any _FaultSource, shown: Set<ObjectIdentifier> = [],
    keeping kept: Kept = .nothing
  ) -> any PersistentModel {
    let identifier = snapshot.persistentIdentifier
    if let live = registered(identifier), let known = live.storage.persistentModel {
      update(live.storage, with: snapshot, shown: shown, keeping: kept)
      return known
    }
    func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel {
      let storage = makeStorage(of: snapshot, in: source)
      changes.forgetExternalChange(of: storage)
      let model = Materialization.makeModel(type, over: storage)
      identities.insert(storage)
      return model
    }
    return make(snapshot.descriptor.type)
  }

  /// Keeps the models of additional rows that a store returned, for a while.
  func register(related snapshots: [DefaultSnapshot], in source: any _FaultSource) {
    for snapshot in snapshots {
      recent.keep(materialize(snapshot, in: source))
    }
  }

  private func makeStorage(
    of snapshot: DefaultSnapshot, in source: any _FaultSource
  ) -> _ModelStorage {
    let storage = _ModelStorage(snapshot.descriptor)
    storage.becomeRegistered(
      in: source, as: snapshot.persistentIdentifier, page: snapshot.page, row: snapshot.row)
    snapshot.putCells(into: storage)
    return storage
  }

  /// Gives the models in memory their new row; unsaved changes stay on top of it.
  /// - Parameter shown: Models that keep their relationships if the row has no other values.
  func update(
    _ storage: _ModelStorage, with snapshot: DefaultSnapshot, shown: Set<ObjectIdentifier> = [],
    keeping kept: Kept = .nothing
  ) {
    if shown.contains(ObjectIdentifier(storage)), storage.flags.isDisjoint(with: .isPending),
      storage.row != nil || snapshot.cells == nil, !isNews(snapshot, to: storage),
      !leadsElsewhere(snapshot, from: storage)
    {
      storage.show(page: snapshot.page, row: snapshot.row)
    } else {
      updateOne(storage, with: snapshot, kept)
    }
    for other in identities.otherInstances(of: storage) {
      updateOne(other.storage, with: snapshot, kept)
    }
  }

  private func updateOne(
    _ storage: _ModelStorage, with snapshot: DefaultSnapshot, _ kept: Kept
  ) {
    if !storage.flags.isDisjoint(with: .isPending) {
      changes.recordNewRow(of: storage)
      conflicts.note(snapshot, under: storage)
      defer { changes.recordSavedValues(of: snapshot, under: storage) }
      // A model that this context has inserted has no row yet.
      guard storage.row == nil || isNews(snapshot, to: storage) else {
        return storage.show(page: snapshot.page, row: snapshot.row)
      }
      // Lists are not part of the row.
      var kept = storage.changedSlots
      kept.formUnion(storage.descriptor.toManySlots)
      let changed = snapshot.slotsDiffering(from: storage).subtracting(kept)
      var shown = changed
      shown.formUnion(storage.descriptor.toManySlots)
      return storage.notifyingObservers(of: shown) {
        snapshot.refresh(storage, changed: changed, keeping: kept)
        for slot in storage.descriptor.relationshipSlots {
          storage.relationships.forgetMembers(slot)
        }
      }
    }
    changes.forgetExternalChange(of: storage)
    let kept = slots(kept, of: storage, snapshot)
    guard storage.observers != nil, isNews(snapshot, to: storage) else {
      return snapshot.refresh(storage, keeping: kept)
    }
    storage.notifyingObserversOfAll { snapshot.refresh(storage, keeping: kept) }
  }

  private func slots(
    _ kept: Kept, of storage: _ModelStorage, _ snapshot: DefaultSnapshot
  ) -> SlotSet {
    guard !storage.overlay.isEmpty, case .agreeing(let state) = kept, snapshot.cells == nil,
      let row = snapshot.row
    else { return SlotSet() }
    let reader = RowReader(row: row, cellsOffset: storage.descriptor.cellsOffset)
    return storage.relationships.agreeing(with: reader, in: state)
  }

  /// A model that is known by identifier only; its row is read on first use.
  func makeFault(
    _ identifier: PersistentIdentifier, in source: any _FaultSource
  ) -> (any PersistentModel)? {
    guard let type = coordinator.modelType(forEntity: identifier.entityName) else { return nil }
    func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel {
      let storage = _ModelStorage(type._$descriptor)
      storage.becomeFault(in: source, as: identifier)
      let model = Materialization.makeModel(type, over: storage)
      identities.insert(storage)
      return model
    }
    return make(type)
  }

  /// Whether a to-one relationship outside the row, from a store of another kind, leads to another
  /// model than before.
  private func leadsElsewhere(_ snapshot: DefaultSnapshot, from storage: _ModelStorage) -> Bool {
    guard let cells = snapshot.cells else { return false }
    return storage.descriptor.relationshipSlots.contains { slot in
      switch (cells[slot].relationship, storage.relationships.value(slot)) {
      case (.identifier(let new), .model(let old)):
        new.resolved != old._$storage.identifier.resolved
      case (.identifier(let new), .identifier(let old)): new.resolved != old.resolved
      case (.identifier, _): true
      case (.null, .model), (.null, .identifier): true
      default: false
      }
    }
  }

  /// Whether the row of a snapshot has other values than the model shows.
  private func isNews(_ snapshot: DefaultSnapshot, to storage: _ModelStorage) -> Bool {
    guard let old = storage.row else {
      return storage.rowView.partialRowDiffers(from: snapshot.row, storage.descriptor)
    }
    guard let new = snapshot.row else { return true }
    let layout = snapshot.descriptor.layout
    let size = RowSize.size(of: new, layout: layout)
    return size != RowSize.size(of: old, layout: layout) || memcmp(new, old, size) != 0
  }
}
