import Foundation

/// Turns snapshots into models: the identity map first, else a new model over the same row.
extension ContextCore {
  /// The models of `snapshots`, in order.
  func materialize<T: PersistentModel>(_ snapshots: [DefaultSnapshot], as type: T.Type) -> [T] {
    guard let first = snapshots.first else { return [] }
    let descriptor = T._$descriptor
    let root = coordinator.rootEntity(of: descriptor.entityName)
    var models: [T] = []
    models.reserveCapacity(snapshots.count)
    guard let store = first.persistentIdentifier.storeIdentifier else { return [] }
    let table = identities.table(IdentityMap.TableKey(store: store, rootEntity: root))
    if snapshots.count > 64 { table.reserve(snapshots.count) }
    for snapshot in snapshots {
      if snapshot.descriptor === descriptor, let key = snapshot.persistentIdentifier.rowKey {
        if let storage = table[key], let known = storage.model {
          update(storage, with: snapshot)
          if storage.descriptor === descriptor {
            models.append(unsafeDowncast(known, to: T.self))
          } else if let model = known as? T {
            models.append(model)
          }
          continue
        }
        let storage = makeStorage(of: snapshot)
        models.append(Materialization.makeModel(T.self, over: storage))
        table.insert(storage, for: key)
        storage.flags.insert(.isRegistered)
      } else if let model = materialize(snapshot) as? T {
        models.append(model)
      }
    }
    return models
  }

  /// The model of one snapshot, whatever its class.
  func materialize(_ snapshot: DefaultSnapshot) -> AnyObject? {
    let root = coordinator.rootEntity(of: snapshot.descriptor.entityName)
    let identifier = snapshot.persistentIdentifier
    if let storage = identities.storage(for: identifier, rootEntity: root),
      let known = storage.model
    {
      update(storage, with: snapshot)
      return known
    }
    func make<M: PersistentModel>(_ type: M.Type) -> AnyObject {
      let storage = makeStorage(of: snapshot)
      let model = Materialization.makeModel(type, over: storage)
      identities.insert(storage, rootEntity: root)
      return model
    }
    return make(snapshot.descriptor.type)
  }

  private func makeStorage(of snapshot: DefaultSnapshot) -> _ModelStorage {
    let storage = _ModelStorage(snapshot.descriptor)
    storage.row = snapshot.row
    storage.page = snapshot.page
    if snapshot.cells != nil { storage.takeCells(of: snapshot) }
    storage.source = self
    storage.knownIdentifier = snapshot.persistentIdentifier
    return storage
  }

  /// Gives a model that is in memory its fresh row; unsaved changes stay on top of it.
  private func update(_ storage: _ModelStorage, with snapshot: DefaultSnapshot) {
    if !storage.flags.isDisjoint(with: [.isChanged, .isDeleted, .isInserted]) {
      storage.page = snapshot.page
      storage.row = snapshot.row
      storage.flags.remove(.isFault)
      return
    }
    guard storage.registrar != nil, let old = storage.row, !snapshot.hasSameBytes(as: old) else {
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
      storage.flags.insert(.isFault)
      storage.knownIdentifier = identifier
      storage.source = self
      let model = Materialization.makeModel(type, over: storage)
      identities.insert(storage, rootEntity: coordinator.rootEntity(of: identifier.entityName))
      return model
    }
    return make(type)
  }
}

extension DefaultSnapshot {
  fileprivate func hasSameBytes(as other: UnsafeRawPointer) -> Bool {
    guard let row else { return false }
    let mine = RowSize.size(of: row, layout: descriptor.layout)
    return mine == RowSize.size(of: other, layout: descriptor.layout)
      && memcmp(row, other, mine) == 0
  }
}

extension _ModelStorage {
  /// Takes over values that came without a row, from a store of another kind.
  func takeCells(of snapshot: DefaultSnapshot) {
    guard let cells = snapshot.cells else { return }
    for slot in 0..<descriptor.slotCount {
      switch descriptor.properties[slot].form {
      case .attribute(.scalar), .attribute(.rawValue), .toOne: overlay(cells[slot], at: slot)
      default:
        if let value = snapshot.decodedValue(slot) { overlay(value, at: slot) }
      }
    }
  }
}
