/// Which model of a context shows which row: one instance per identifier.
///
/// References are unowned. A storage takes itself out when its model dies, so models that nobody
/// holds are freed; the context holds changed ones elsewhere.
struct IdentityMap {
  /// One table per root entity and store, found once per fetch.
  private var tables: [TableKey: IdentityTable] = [:]
  /// Temporary identifiers and the textual keys of custom stores.
  private var others: [PersistentIdentifier: Unmanaged<_ModelStorage>] = [:]

  struct TableKey: Hashable {
    let store: String
    let rootEntity: String
  }

  mutating func table(_ key: TableKey) -> IdentityTable {
    if let table = tables[key] { return table }
    let table = IdentityTable()
    tables[key] = table
    return table
  }

  func storage(for identifier: PersistentIdentifier, rootEntity: String) -> _ModelStorage? {
    if let key = identifier.rowKey, let store = identifier.storeIdentifier {
      return tables[TableKey(store: store, rootEntity: rootEntity)]?[key]
    }
    return others[identifier]?.takeUnretainedValue()
  }

  mutating func insert(_ storage: _ModelStorage, rootEntity: String) {
    guard let identifier = storage.knownIdentifier else { return }
    if let key = identifier.rowKey, let store = identifier.storeIdentifier {
      table(TableKey(store: store, rootEntity: rootEntity)).insert(storage, for: key)
    } else {
      others[identifier] = Unmanaged.passUnretained(storage)
    }
    storage.flags.insert(.isRegistered)
  }

  /// Takes `storage` out; another storage under the same identifier stays.
  mutating func remove(_ storage: _ModelStorage, rootEntity: String) {
    guard let identifier = storage.knownIdentifier else { return }
    storage.flags.remove(.isRegistered)
    if let key = identifier.rowKey, let store = identifier.storeIdentifier {
      tables[TableKey(store: store, rootEntity: rootEntity)]?.remove(storage, for: key)
    } else if others[identifier]?.toOpaque() == Unmanaged.passUnretained(storage).toOpaque() {
      others[identifier] = nil
    }
  }

  func forEach(_ body: (_ModelStorage) -> Void) {
    for table in tables.values { table.forEach(body) }
    for reference in others.values { body(reference.takeUnretainedValue()) }
  }

  mutating func removeAll() {
    forEach { $0.flags.remove(.isRegistered) }
    tables = [:]
    others = [:]
  }
}

/// An open-addressing hash table from integer keys to storages, with linear probing.
///
/// Deletion shifts followers back, so there are no tombstones and look-ups stay short.
final class IdentityTable {
  private struct Entry {
    var key: Int64
    var storage: Unmanaged<_ModelStorage>?
  }

  private var entries: UnsafeMutableBufferPointer<Entry>
  private var mask: Int
  private(set) var count = 0

  init() {
    entries = IdentityTable.allocate(16)
    mask = 15
  }

  deinit { entries.deallocate() }

  subscript(key: Int64) -> _ModelStorage? {
    var index = home(of: key)
    while let storage = entries[index].storage {
      if entries[index].key == key { return storage.takeUnretainedValue() }
      index = (index + 1) & mask
    }
    return nil
  }

  func insert(_ storage: _ModelStorage, for key: Int64) {
    if (count + 1) * 4 > entries.count * 3 { grow(to: entries.count * 2) }
    var index = home(of: key)
    while entries[index].storage != nil {
      if entries[index].key == key {
        entries[index].storage = Unmanaged.passUnretained(storage)
        return
      }
      index = (index + 1) & mask
    }
    entries[index] = Entry(key: key, storage: Unmanaged.passUnretained(storage))
    count += 1
  }

  func remove(_ storage: _ModelStorage, for key: Int64) {
    var index = home(of: key)
    while let found = entries[index].storage {
      if entries[index].key == key {
        guard found.toOpaque() == Unmanaged.passUnretained(storage).toOpaque() else { return }
        close(gap: index)
        count -= 1
        return
      }
      index = (index + 1) & mask
    }
  }

  func reserve(_ additional: Int) {
    var size = entries.count
    while (count + additional) * 4 > size * 3 { size *= 2 }
    if size != entries.count { grow(to: size) }
  }

  func forEach(_ body: (_ModelStorage) -> Void) {
    for entry in entries {
      if let storage = entry.storage { body(storage.takeUnretainedValue()) }
    }
  }

  /// Moves the followers of a removed entry back over the gap where probing would miss them.
  private func close(gap: Int) {
    var gap = gap
    var index = (gap + 1) & mask
    while entries[index].storage != nil {
      let distance = (index - home(of: entries[index].key)) & mask
      if distance >= (index - gap) & mask {
        entries[gap] = entries[index]
        gap = index
      }
      index = (index + 1) & mask
    }
    entries[gap].storage = nil
  }

  private func home(of key: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
  }

  private func grow(to size: Int) {
    let old = entries
    entries = IdentityTable.allocate(size)
    mask = size - 1
    for entry in old where entry.storage != nil {
      var index = home(of: entry.key)
      while entries[index].storage != nil { index = (index + 1) & mask }
      entries[index] = entry
    }
    old.deallocate()
  }

  private static func allocate(_ size: Int) -> UnsafeMutableBufferPointer<Entry> {
    let buffer = UnsafeMutableBufferPointer<Entry>.allocate(capacity: size)
    buffer.initialize(repeating: Entry(key: 0, storage: nil))
    return buffer
  }
}
