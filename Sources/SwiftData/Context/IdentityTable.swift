import Synchronization

/// The models of one root entity and store by integer key.
///
/// A model is inserted and looked up on the thread of its context. It is removed there too, or on the
/// thread that drops the last reference to it; so a lock guards the entries. What is done under the lock
/// calls nobody and releases nothing, because a model that is released there would ask for
/// the lock again.
final class IdentityTable: RowRegistry {
  private let entries = Mutex(IdentityEntries())

  var count: Int { entries.withLock { $0.count } }

  subscript(key: Int64) -> LiveModel? {
    var found: _ModelStorage?
    entries.withLock { entries in
      if let place = entries.place(of: key) { found = entries.held(at: place) }
    }
    return found.flatMap(LiveModel.init)
  }

  /// Makes `storage` the one that its key leads to.
  func insert(_ storage: _ModelStorage, for key: Int64) {
    let reference = UnretainedStorage(storage)
    entries.withLock { entries in
      if let place = entries.place(of: key) {
        entries.replace(at: place, with: reference)
      } else {
        entries.insertNew(reference, for: key)
      }
    }
    storage.table = self
  }

  override func remove(_ storage: _ModelStorage, for key: Int64) {
    let reference = UnretainedStorage(storage)
    entries.withLock { $0.remove(reference, for: key) }
  }

  func reserve(_ additional: Int) { entries.withLock { $0.reserve(additional) } }

  func add(to storages: inout [_ModelStorage], where isWanted: (_ModelStorage) -> Bool) {
    entries.withLock { $0.add(to: &storages, where: isWanted) }
  }

  /// Finds the storages of several rows, with the lock taken once.
  /// - Parameters:
  ///   - storages: Takes one retained storage per row. One without a model is new.
  ///   - make: Makes the storage of a row that has none; it does nothing else.
  func resolve(
    _ rows: ArraySlice<RowBatch.Place>,
    into storages: inout ContiguousArray<Unmanaged<_ModelStorage>>,
    make: (RowBatch.Place) -> _ModelStorage
  ) {
    entries.withLock { entries in
      for row in rows {
        let place = entries.place(of: row.key)
        if let place, let held = entries.held(at: place) {
          storages.append(.passRetained(held))
          continue
        }
        let storage = make(row)
        storage.table = self
        let reference = UnretainedStorage(storage)
        if let place {
          entries.replace(at: place, with: reference)
        } else {
          entries.insertNew(reference, for: row.key)
        }
        storages.append(.passRetained(storage))
      }
    }
  }
}
