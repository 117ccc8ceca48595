import Synchronization

/// The models of one entity and store by integer key.
///
/// A model is inserted and looked up on the thread of its context. It is removed there too, or on
/// the thread that releases the last reference to it; so a lock guards the entries. Code under the
/// lock makes no other calls and releases nothing, because releasing a model there would take the
/// lock again.
final class IdentityTable: RowRegistry {
  private let entries = Mutex(IdentityEntries())

  var count: Int { entries.withLock { $0.count } }

  subscript(key: Int64) -> RetainedModel? {
    var found: _ModelStorage?
    entries.withLock { entries in
      if let index = entries.index(of: key) { found = entries.held(at: index) }
    }
    return found.flatMap(RetainedModel.init)
  }

  /// The keys with an entry, in their order.
  func present(_ keys: [Int64]) -> [Int64] {
    entries.withLock { entries in
      entries.count == 0 ? [] : keys.filter { entries.index(of: $0) != nil }
    }
  }

  /// The identifiers whose key has an entry, in their order.
  func present(_ identifiers: ArraySlice<PersistentIdentifier>) -> [PersistentIdentifier] {
    entries.withLock { entries in
      entries.count == 0 ? [] : identifiers.filter { entries.index(of: $0.id.key) != nil }
    }
  }

  /// Registers `storage` under its key.
  func insert(_ storage: _ModelStorage, for key: Int64) {
    let reference = UnretainedStorage(storage)
    entries.withLock { entries in
      if let index = entries.index(of: key) {
        entries.replace(at: index, with: reference)
      } else {
        entries.insertNew(reference, for: key)
      }
    }
    storage.table = self
  }

  /// Registers `storage` under its key, if the key has no entry.
  /// - Returns: Whether it was registered.
  func insertNew(_ storage: _ModelStorage, for key: Int64) -> Bool {
    let reference = UnretainedStorage(storage)
    let isNew = entries.withLock { entries in
      if entries.index(of: key) != nil { return false }
      entries.insertNew(reference, for: key)
      return true
    }
    if isNew { storage.table = self }
    return isNew
  }

  override func remove(_ storage: _ModelStorage, for key: Int64) {
    let reference = UnretainedStorage(storage)
    entries.withLock { $0.remove(reference, for: key) }
  }

  func reserve(_ additional: Int) { entries.withLock { $0.reserve(additional) } }

  func add(to storages: inout [_ModelStorage], where isWanted: (_ModelStorage) -> Bool) {
    entries.withLock { $0.add(to: &storages, where: isWanted) }
  }

  /// Finds the storages of several rows, taking the lock once.
  /// - Parameters:
  ///   - storages: Receives one retained storage per row. A storage without a model is new.
  ///   - make: Creates the storage of a row that has none; must do nothing else.
  func resolve(
    _ rows: ArraySlice<RowBatch.Entry>,
    into storages: inout ContiguousArray<Unmanaged<_ModelStorage>>,
    make: (RowBatch.Entry) -> _ModelStorage
  ) {
    entries.withLock { entries in
      for row in rows {
        let index = entries.index(of: row.key)
        if let index, let held = entries.held(at: index) {
          storages.append(.passRetained(held))
          continue
        }
        let storage = make(row)
        storage.table = self
        let reference = UnretainedStorage(storage)
        if let index {
          entries.replace(at: index, with: reference)
        } else {
          entries.insertNew(reference, for: row.key)
        }
        storages.append(.passRetained(storage))
      }
    }
  }
}
