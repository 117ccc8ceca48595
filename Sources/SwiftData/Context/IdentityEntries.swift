/// An open-addressing hash table from integer keys to storages, without a lock of its own.
///
/// Robin Hood hashing that keeps runs of keys together: primary keys come in runs, so a run of rows
/// occupies a run of memory, and few entries are away from their home index. Runs with holes can meet in
/// the same part of the table. Once an entry is far away from its home index, the keys are mixed instead. A
/// removal shifts the following entries back, up to one at its home index, so there are no tombstones.
struct IdentityEntries: ~Copyable, @unchecked Sendable {
  private struct Entry {
    var key: Int64
    var storage: UnretainedStorage?
  }

  private var entries = IdentityEntries.allocate(16)
  private var mask = 15
  private(set) var count = 0
  /// Whether home indices do not keep runs of keys together.
  private var mixesKeys = false

  /// From this distance on, an entry is far away from its home index.
  private static let largestDistance = 256

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
    if (count + 1) * 8 > entries.count * 7 { rebuild(size: entries.count * 2) }
    let isClose = put(Entry(key: key, storage: storage))
    count += 1
    if !isClose {
      mixesKeys = true
      rebuild(size: entries.count)
    }
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
    if size != entries.count { rebuild(size: size) }
  }

  func add(to storages: inout [_ModelStorage], where isWanted: (_ModelStorage) -> Bool) {
    // The capacity is that of the largest read.
    if count == 0 { return }
    for entry in entries {
      guard let storage = entry.storage, storage.satisfies(isWanted), let held = storage.held
      else { continue }
      storages.append(held)
    }
  }

  /// Inserts an entry; entries that are closer to their home index move on.
  /// - Returns: Whether none of them is far away from it, or keys are mixed already.
  private mutating func put(_ new: Entry) -> Bool {
    var entry = new
    var index = home(of: entry.key)
    var (distance, largest) = (0, 0)
    while entries[index].storage != nil {
      let other = self.distance(at: index)
      if other < distance {
        swap(&entry, &entries[index])
        distance = other
      }
      index = (index + 1) & mask
      distance += 1
      largest = max(largest, distance)
    }
    entries[index] = entry
    return largest < IdentityEntries.largestDistance || mixesKeys
  }

  private func distance(at index: Int) -> Int { (index - home(of: entries[index].key)) & mask }

  /// A bijection that keeps runs of keys together and spreads strides, or one that mixes all bits.
  private func home(of key: Int64) -> Int {
    guard mixesKeys else { return Int(truncatingIfNeeded: key ^ key >> 8) & mask }
    var bits = UInt64(bitPattern: key)
    bits = (bits ^ bits >> 32) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 29) &* 0xBF58_476D_1CE4_E5B9
    return Int(truncatingIfNeeded: bits ^ bits >> 32) & mask
  }

  /// Moves all entries to a new table. If one is far away from its home index there, keys are mixed.
  private mutating func rebuild(size: Int) {
    let old = entries
    while true {
      entries = IdentityEntries.allocate(size)
      mask = size - 1
      if old.allSatisfy({ $0.storage == nil || put($0) }) { break }
      entries.deallocate()
      mixesKeys = true
    }
    old.deallocate()
  }

  private static func allocate(_ size: Int) -> UnsafeMutableBufferPointer<Entry> {
    let buffer = UnsafeMutableBufferPointer<Entry>.allocate(capacity: size)
    buffer.initialize(repeating: Entry(key: 0, storage: nil))
    return buffer
  }
}
