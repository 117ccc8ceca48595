/// Which model of a context shows which row: one instance per identifier.
///
/// References are unowned. A storage removes itself while it is deinitialised, so models without
/// another owner are freed; the change tracker owns the changed ones.
struct IdentityMap {
  /// One table per root entity and store, found once per fetch.
  private var tables: [TableKey: IdentityTable] = [:]
  /// The textual keys of custom stores.
  private var others: [PersistentIdentifier: Unmanaged<_ModelStorage>] = [:]

  struct TableKey: Hashable {
    let store: String
    let rootEntity: String
  }

  /// The table of the scope that was asked for last, which is mostly the one that is asked for next.
  private var lastScope: IdentifierScope?
  private var lastTable: IdentityTable?

  mutating func table(_ key: TableKey) -> IdentityTable {
    if let table = tables[key] { return table }
    let table = IdentityTable()
    tables[key] = table
    return table
  }

  /// The table for rows of `scope`; `nil` where identifiers have no integer key.
  mutating func table(of scope: IdentifierScope, rootEntity: () -> String) -> IdentityTable? {
    if lastScope === scope { return lastTable }
    guard case .row = scope.kind, let store = scope.storeIdentifier else { return nil }
    let table = table(TableKey(store: store, rootEntity: rootEntity()))
    lastScope = scope
    lastTable = table
    return table
  }

  mutating func storage(
    for identifier: PersistentIdentifier, rootEntity: () -> String
  ) -> _ModelStorage? {
    if let table = table(of: identifier.id.scope, rootEntity: rootEntity) {
      return table[identifier.id.key]
    }
    return others[identifier]?.takeUnretainedValue()
  }

  mutating func insert(_ storage: _ModelStorage, rootEntity: () -> String) {
    guard let identifier = storage.knownIdentifier else { return }
    if let table = table(of: identifier.id.scope, rootEntity: rootEntity) {
      table.insert(storage, for: identifier.id.key)
    } else {
      others[identifier] = Unmanaged.passUnretained(storage)
      storage.flags.insert(.isRegistered)
    }
  }

  /// Takes `storage` out; another storage under the same identifier stays.
  mutating func remove(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier else { return }
    if let table = storage.table {
      table.remove(storage, for: identifier.id.key)
      storage.table = nil
    } else if others[identifier]?.toOpaque() == Unmanaged.passUnretained(storage).toOpaque() {
      storage.flags.remove(.isRegistered)
      others[identifier] = nil
    }
  }

  func forEach(_ body: (_ModelStorage) -> Void) {
    for table in tables.values { table.forEach(body) }
    for reference in others.values { body(reference.takeUnretainedValue()) }
  }
}

/// An open-addressing hash table from integer keys to storages.
///
/// Robin Hood hashing that keeps runs of keys together: primary keys come in runs, so a run of rows
/// lies in a run of memory, and hardly any entry is away from its home. Deletion shifts followers back until
/// one is at home, so there are no tombstones.
final class IdentityTable: RowRegistry {
  private struct Entry {
    var key: Int64
    var storage: Unmanaged<_ModelStorage>?
  }

  private var entries: UnsafeMutableBufferPointer<Entry>
  private var mask: Int
  private(set) var count = 0

  override init() {
    entries = IdentityTable.allocate(16)
    mask = 15
  }

  deinit { entries.deallocate() }

  subscript(key: Int64) -> _ModelStorage? {
    place(of: key).flatMap { entries[$0].storage?.takeUnretainedValue() }
  }

  private func place(of key: Int64) -> Int? {
    var index = home(of: key)
    var distance = 0
    while entries[index].storage != nil, distance <= self.distance(at: index) {
      if entries[index].key == key { return index }
      index = (index + 1) & mask
      distance += 1
    }
    return nil
  }

  func insert(_ storage: _ModelStorage, for key: Int64) {
    if let place = place(of: key) {
      entries[place].storage?.takeUnretainedValue().table = nil
      entries[place].storage = Unmanaged.passUnretained(storage)
      storage.table = self
      return
    }
    insertNew(storage, for: key)
  }

  /// Inserts a key that is known not to be there.
  func insertNew(_ storage: _ModelStorage, for key: Int64) {
    if (count + 1) * 4 > entries.count * 3 { grow(to: entries.count * 2) }
    put(Entry(key: key, storage: Unmanaged.passUnretained(storage)))
    count += 1
    storage.table = self
  }

  override func remove(_ storage: _ModelStorage, for key: Int64) {
    guard let place = place(of: key),
      entries[place].storage?.toOpaque() == Unmanaged.passUnretained(storage).toOpaque()
    else { return }
    var gap = place
    var next = (gap + 1) & mask
    while entries[next].storage != nil, distance(at: next) > 0 {
      entries[gap] = entries[next]
      gap = next
      next = (next + 1) & mask
    }
    entries[gap].storage = nil
    count -= 1
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

  /// Puts a new key in; an entry that is closer to its home makes room.
  private func put(_ new: Entry) {
    var entry = new
    var index = home(of: entry.key)
    var distance = 0
    while entries[index].storage != nil {
      let other = self.distance(at: index)
      if other < distance {
        swap(&entry, &entries[index])
        distance = other
      }
      index = (index + 1) & mask
      distance += 1
    }
    entries[index] = entry
  }

  private func distance(at index: Int) -> Int { (index - home(of: entries[index].key)) & mask }

  /// A bijection that keeps a run of keys together, and spreads strides.
  private func home(of key: Int64) -> Int { Int(truncatingIfNeeded: key ^ key >> 8) & mask }

  private func grow(to size: Int) {
    let old = entries
    entries = IdentityTable.allocate(size)
    mask = size - 1
    for entry in old where entry.storage != nil { put(entry) }
    old.deallocate()
  }

  private static func allocate(_ size: Int) -> UnsafeMutableBufferPointer<Entry> {
    let buffer = UnsafeMutableBufferPointer<Entry>.allocate(capacity: size)
    buffer.initialize(repeating: Entry(key: 0, storage: nil))
    return buffer
  }
}
