/// An open-addressing hash table from integer keys to storages, without a lock of its own.
///
/// Robin Hood hashing that keeps runs of keys together: primary keys come in runs, so a run of rows
/// lies in a run of memory, and hardly any entry is away from its home. Deletion shifts followers back until
/// one is at home, so there are no tombstones.
struct IdentityEntries: ~Copyable, @unchecked Sendable {
  private struct Entry {
    var key: Int64
    var storage: UnretainedStorage?
  }

  private var entries = IdentityEntries.allocate(16)
  private var mask = 15
  private(set) var count = 0

  deinit { entries.deallocate() }

  /// The place of a key, for `held(at:)` and `replace(at:with:)` until the next change.
  func place(of key: Int64) -> Int? {
    var index = home(of: key)
    var distance = 0
    while entries[index].storage != nil, distance <= self.distance(at: index) {
      if entries[index].key == key { return index }
      index = (index + 1) & mask
      distance += 1
    }
    return nil
  }

  func held(at place: Int) -> _ModelStorage? { entries[place].storage?.held }

  mutating func replace(at place: Int, with storage: UnretainedStorage) {
    entries[place].storage = storage
  }

  /// Inserts a key that is known not to be there.
  mutating func insertNew(_ storage: UnretainedStorage, for key: Int64) {
    if (count + 1) * 4 > entries.count * 3 { grow(to: entries.count * 2) }
    put(Entry(key: key, storage: storage))
    count += 1
  }

  /// Removes a key; where it leads to another storage it stays.
  mutating func remove(_ storage: UnretainedStorage, for key: Int64) {
    guard let place = place(of: key), entries[place].storage == storage else { return }
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

  mutating func reserve(_ additional: Int) {
    var size = entries.count
    while (count + additional) * 4 > size * 3 { size *= 2 }
    if size != entries.count { grow(to: size) }
  }

  func add(to storages: inout [_ModelStorage], where isWanted: (_ModelStorage) -> Bool) {
    for entry in entries {
      guard let storage = entry.storage, storage.satisfies(isWanted), let held = storage.held
      else { continue }
      storages.append(held)
    }
  }

  /// Puts a new key in; an entry that is closer to its home makes room.
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

  /// A bijection that keeps a run of keys together, and spreads strides.
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
