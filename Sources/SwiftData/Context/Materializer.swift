import Foundation

/// Turns what a store found into models: the registered instance of a row where there is one, else a
/// new model over the row.
///
/// Called at the end of a fetch (`FetchOperation`, `BatchReading`, `Prefetching`) and by
/// `FaultResolver`.
extension ContextCore {
  /// The models of what a fetch found, in order.
  func materialize<T: PersistentModel>(_ rows: FetchedRows, as type: T.Type) -> [T] {
    defer { identities._invariantCheck(in: self) }
    switch rows {
    case .batch(let batch) where batch.descriptor === T._$descriptor:
      return materialize(batch, as: type)
    case .batch(let batch): return batch.snapshots.compactMap { materialize($0) as? T }
    case .snapshots(let snapshots): return snapshots.compactMap { materialize($0) as? T }
    case .partial(let batches):
      var models: [T] = []
      models.reserveCapacity(batches.reduce(0) { $0 + $1.places.count })
      for batch in batches { materialize(partial: batch, into: &models) }
      return models
    }
  }

  /// The models of rows whose class is `T` itself: per row one look-up and two allocations.
  private func materialize<T: PersistentModel>(_ batch: RowBatch, as type: T.Type) -> [T] {
    let descriptor = batch.descriptor
    guard let table = identities.table(of: batch.scope) else { return [] }
    if batch.places.count > 64 { table.reserve(batch.places.count) }
    var models: [T] = []
    models.reserveCapacity(batch.places.count)
    let maker = Materialization.Maker()
    forEachRow(of: batch, in: table) { place in
      let storage = _ModelStorage(descriptor)
      storage.row = place.row
      storage.page = place.page.takeUnretainedValue()
      storage.becomeRegistered(
        in: self, as: PersistentIdentifier(scope: batch.scope, key: place.key))
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

  /// Looks the rows of a batch up, a number of them at a time, and goes through their storages.
  /// - Parameters:
  ///   - make: Makes the storage of a row that has none; it does nothing else.
  ///   - body: Called with the place of the row in the batch, and the model if it is in memory.
  @inline(__always)
  func forEachRow(
    of batch: RowBatch, in table: IdentityTable, make: (RowBatch.Place) -> _ModelStorage,
    _ body: (Int, _ModelStorage, _ model: AnyObject?) -> Void
  ) {
    let size = 64
    // Without a reference count per element: that would be a tenth of the fetch.
    var storages: ContiguousArray<Unmanaged<_ModelStorage>> = []
    storages.reserveCapacity(min(size, batch.places.count))
    for start in stride(from: 0, to: batch.places.count, by: size) {
      let end = min(start + size, batch.places.count)
      table.resolve(batch.places[start..<end], into: &storages, make: make)
      for offset in storages.indices {
        let storage = storages[offset].takeRetainedValue()
        let model = storage.model
        if model == nil, storage.hasModel {
          // It is being deinitialised on another thread.
          let place = batch.places[start + offset]
          let fresh = make(place)
          table.insert(fresh, for: place.key)
          body(start + offset, fresh, nil)
        } else {
          body(start + offset, storage, model)
        }
      }
      storages.removeAll(keepingCapacity: true)
    }
  }

  /// The model of one snapshot, whatever its class.
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

  /// Keeps the models of rows that a store sent along with others, for a while.
  func register(related snapshots: [DefaultSnapshot]) {
    for snapshot in snapshots {
      if let model = materialize(snapshot) { keepRecent(model) }
    }
  }

  private func makeStorage(of snapshot: DefaultSnapshot) -> _ModelStorage {
    let storage = _ModelStorage(snapshot.descriptor)
    storage.row = snapshot.row
    storage.page = snapshot.page
    if snapshot.cells != nil { storage.takeCells(of: snapshot) }
    storage.becomeRegistered(in: self, as: snapshot.persistentIdentifier)
    return storage
  }

  /// Gives a model that is in memory its fresh row; unsaved changes stay on top of it.
  func update(_ storage: _ModelStorage, with snapshot: DefaultSnapshot) {
    if !storage.flags.isDisjoint(with: .isPending) {
      changes.noteFreshRow(of: storage)
      if conflictPolicy == .refuse { ConflictCheck(core: self).note(snapshot, under: storage) }
      return storage.show(page: snapshot.page, row: snapshot.row)
    }
    guard storage.observers != nil, snapshot.isNews(to: storage) else {
      storage.refresh(page: snapshot.page, row: snapshot.row)
      if snapshot.cells != nil { storage.takeCells(of: snapshot) }
      return
    }
    storage.notifyingObserversOfAll {
      storage.refresh(page: snapshot.page, row: snapshot.row)
      if snapshot.cells != nil { storage.takeCells(of: snapshot) }
    }
  }

  /// A model that is known by identifier only; its row is read on first use.
  func makeFault(_ identifier: PersistentIdentifier) -> AnyObject? {
    guard let type = coordinator.modelType(forEntity: identifier.entityName) else { return nil }
    func make<M: PersistentModel>(_ type: M.Type) -> AnyObject {
      let storage = _ModelStorage(type._$descriptor)
      storage.becomeFault(in: self, as: identifier)
      let model = Materialization.makeModel(type, over: storage)
      identities.insert(storage)
      return model
    }
    return make(type)
  }
}

extension DefaultSnapshot {
  /// Whether the row has other values than those that `storage` shows.
  fileprivate func isNews(to storage: _ModelStorage) -> Bool {
    if let old = storage.row { return !hasSameBytes(as: old) }
    return storage.partialRowDiffers(from: row)
  }

  fileprivate func hasSameBytes(as other: UnsafeRawPointer) -> Bool {
    guard let row else { return false }
    let mine = RowSize.size(of: row, layout: descriptor.layout)
    return mine == RowSize.size(of: other, layout: descriptor.layout)
      && memcmp(row, other, mine) == 0
  }
}

extension DefaultSnapshot {
  /// Whether the value of a slot stands beside the row.
  fileprivate func hasCell(of slot: Int) -> Bool {
    guard let cells, row != nil else { return true }
    if case .unset = cells[slot] { return false }
    return true
  }
}

extension _ModelStorage {
  /// Takes over values that came without a row, from a store of another kind.
  func takeCells(of snapshot: DefaultSnapshot) {
    guard let cells = snapshot.cells else { return }
    for slot in 0..<descriptor.slotCount where snapshot.hasCell(of: slot) {
      switch descriptor.properties[slot].form {
      case .attribute(.scalar), .attribute(.rawValue), .toOne: overlay(cells[slot], at: slot)
      default:
        if let value = snapshot.decodedValue(slot) { overlay(value, at: slot) }
      }
    }
  }
}
