/// An open-addressing hash table from integer keys to storages, without a lock of its own.
///
/// Robin Hood hashing that keeps runs of keys together: primary keys come in runs, so a run of rows
/// occupies a run of memory, and few entries are away from their home index. A removal shifts the
/// following entries back, up to one at its home index, so there are no tombstones.
struct IdentityEntries: ~Copyable, @unchecked Sendable {
  private struct Entry {
    var key: Int64
    var storage: UnretainedStorage?
  }

  private var entries = IdentityEntries.allocate(16)
  private var mask = 15
  private(set) var count = 0

  deinit { entries.deallocate() }

  /// The index of a key, for `held(at:)` and `replace(at:with:)`; valid until the next change.
  func index(of key: Int64) -> Int? {
    var index = home(of: key)
    var distance = 0
    while entries[index].storage != nil, distance <= self.distance(at: index) {
      if entries[index].key == key { return index }
      index = (index + 1) & mask
      distance += 1
    }
    return nil
  }

  func held(at index: Int) -> _ModelStorage? { entries[index].storage?.held }

  mutating func replace(at index: Int, with storage: UnretainedStorage) {
    entries[index].storage = storage
  }

  /// Inserts a key that is known to be absent.
  mutating func insertNew(_ storage: UnretainedStorage, for key: Int64) {
    if (count + 1) * 8 > entries.count * 7 { grow(to: entries.count * 2) }
    put(Entry(key: key, storage: storage))
    count += 1
  }

  /// Removes a key, unless it leads to another storage.
  mutating func remove(_ storage: UnretainedStorage, for key: Int64) {
    guard let index = index(of: key), entries[index].storage == storage else { return }
    var gap = index
    var next = (gap + 1) & mask
    while entries[next].storage != nil, distance(at: next) > 0 {
      entries[gap] = entries[next]
      gap = next
      next = (next + 1) & mask
    }
    entries[gap].storage = nil
    count -= 1
  }

  mutating func reserve(_ additional: Int) {
    var size = entries.count
    while (count + additional) * 8 > size * 7 { size *= 2 }
    if size != entries.count { grow(to: size) }
  }

  func add(to storages: inout [_ModelStorage], where isWanted: (_ModelStorage) -> Bool) {
    for entry in entries {
      guard let storage = entry.storage, storage.satisfies(isWanted), let held = storage.held
      else { continue }
      storages.append(held)
    }
  }

  /// Inserts an entry; entries that are closer to their home index move on.
  private mutating func put(_ new: Entry) {
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

  /// A bijection that keeps runs of keys together and spreads strides.
  private func home(of key: Int64) -> Int { Int(truncatingIfNeeded: key ^ key >> 8) & mask }

  private mutating func grow(to size: Int) {
    let old = entries
    entries = IdentityEntries.allocate(size)
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
