import Foundation

/// Turns rows of a store into models: the registered instance of a row if there is one, else a new
/// model with the row.
///
/// Used at the end of a fetch (`FetchOperation`, `BatchReading`, `Prefetcher`) and by
/// `FaultResolver`. Has no state; what it changes is used on the thread of the context.
struct Materializer {
  let coordinator: any StoreCoordinator
  let identities: IdentityRegistry
  let changes: ChangeTracker
  let recent: RecentlyFaultedModels
  /// The context of new models.
  let source: any _FaultSource
  /// Records rows that have changed under unsaved edits, if the context refuses conflicts.
  let conflicts: ConflictCheck

  /// The model in memory for an identifier.
  func registered(_ identifier: PersistentIdentifier) -> RetainedModel? {
    identities.model(for: identifier, in: source)
  }

  /// The models of fetched rows, in order.
  func materialize<T: PersistentModel>(_ rows: FetchedRows, as type: T.Type) -> [T] {
    defer { identities._invariantCheck(in: source) }
    switch rows {
    case .batch(let batch) where batch.descriptor === T._$descriptor:
      return materialize(batch, as: type)
    case .batch(let batch): return batch.snapshots.compactMap { materialize($0) as? T }
    case .snapshots(let snapshots): return snapshots.compactMap { materialize($0) as? T }
    case .partial(let batches):
      var models: [T] = []
      models.reserveCapacity(batches.reduce(0) { $0 + $1.entries.count })
      for batch in batches { materialize(partial: batch, into: &models) }
      return models
    }
  }

  /// The models of rows whose class is `T` itself: one look-up and two allocations per row.
  private func materialize<T: PersistentModel>(_ batch: RowBatch, as type: T.Type) -> [T] {
    let descriptor = batch.descriptor
    guard let table = identities.table(of: batch.scope) else { return [] }
    if batch.entries.count > 64 { table.reserve(batch.entries.count) }
    var models: [T] = []
    models.reserveCapacity(batch.entries.count)
    let maker = Materialization.Maker()
    forEachRow(of: batch, in: table) { row in
      let storage = _ModelStorage(descriptor)
      storage.becomeRegistered(
        in: source, as: PersistentIdentifier(scope: batch.scope, key: row.key),
        page: row.page.takeUnretainedValue(), row: row.row)
      return storage
    } _: { index, storage, known in
      guard let known else {
        return models.append(maker.makeModel(type, over: storage))
      }
      update(storage, with: batch.snapshot(at: index))
      if let model = known as? T { models.append(model) }
    }
    return models
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
  func materialize(_ snapshot: DefaultSnapshot) -> (any PersistentModel)? {
    let identifier = snapshot.persistentIdentifier
    if let live = registered(identifier), let known = live.storage.persistentModel {
      update(live.storage, with: snapshot)
      return known
    }
    func make<M: PersistentModel>(_ type: M.Type) -> any PersistentModel {
      let storage = makeStorage(of: snapshot)
      let model = Materialization.makeModel(type, over: storage)
      identities.insert(storage)
      return model
    }
    return make(snapshot.descriptor.type)
  }

  /// Keeps the models of additional rows that a store returned, for a while.
  func register(related snapshots: [DefaultSnapshot]) {
    for snapshot in snapshots {
      if let model = materialize(snapshot) { recent.keep(model) }
    }
  }

  private func makeStorage(of snapshot: DefaultSnapshot) -> _ModelStorage {
    let storage = _ModelStorage(snapshot.descriptor)
    storage.becomeRegistered(
      in: source, as: snapshot.persistentIdentifier, page: snapshot.page, row: snapshot.row)
    snapshot.putCells(into: storage)
    return storage
  }

  /// Gives a model in memory its new row; unsaved changes stay on top of it.
  func update(_ storage: _ModelStorage, with snapshot: DefaultSnapshot) {
    if !storage.flags.isDisjoint(with: .isPending) {
      changes.recordNewRow(of: storage)
      conflicts.note(snapshot, under: storage)
      return storage.show(page: snapshot.page, row: snapshot.row)
    }
    guard storage.observers != nil, snapshot.isNews(to: storage) else {
      return snapshot.refresh(storage)
    }
    storage.notifyingObserversOfAll { snapshot.refresh(storage) }
  }

  /// A model that is known by identifier only; its row is read on first use.
  func makeFault(_ identifier: PersistentIdentifier) -> AnyObject? {
    guard let type = coordinator.modelType(forEntity: identifier.entityName) else { return nil }
    func make<M: PersistentModel>(_ type: M.Type) -> AnyObject {
      let storage = _ModelStorage(type._$descriptor)
      storage.becomeFault(in: source, as: identifier)
      let model = Materialization.makeModel(type, over: storage)
      identities.insert(storage)
      return model
    }
    return make(type)
  }
}

extension DefaultSnapshot {
  /// Whether the row has other values than `storage` shows.
  fileprivate func isNews(to storage: _ModelStorage) -> Bool {
    if let old = storage.row { return !hasSameBytes(as: old) }
    return storage.rowView.partialRowDiffers(from: row, storage.descriptor)
  }

  fileprivate func hasSameBytes(as other: UnsafeRawPointer) -> Bool {
    guard let row else { return false }
    let mine = RowSize.size(of: row, layout: descriptor.layout)
    return mine == RowSize.size(of: other, layout: descriptor.layout)
      && memcmp(row, other, mine) == 0
  }
}
