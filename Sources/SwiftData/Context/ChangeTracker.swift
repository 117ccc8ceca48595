/// The changes that no save has stored yet: what a unit of work has to write.
///
/// Holds its models strongly, so that an edited model that nobody else holds is saved all the same.
struct ChangeTracker {
  private(set) var inserted = OrderedModels()
  private(set) var changed = OrderedModels()
  private(set) var deleted = OrderedModels()

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  var size: Int { inserted.size + changed.size + deleted.size }

  mutating func insert(_ storage: _ModelStorage) {
    if deleted.remove(storage) {
      storage.flags.remove(.isDeleted)
      return
    }
    guard !storage.flags.contains(.isInserted) else { return }
    storage.flags.insert(.isInserted)
    inserted.append(storage)
  }

  mutating func change(_ storage: _ModelStorage) {
    guard storage.flags.isDisjoint(with: [.isInserted, .isChanged, .isDeleted, .isGone]) else {
      return
    }
    storage.flags.insert(.isChanged)
    changed.append(storage)
  }

  /// - Returns: Whether the model was new, and so is no longer pending at all.
  mutating func delete(_ storage: _ModelStorage) -> Bool {
    if inserted.remove(storage) {
      storage.flags.remove(.isInserted)
      return true
    }
    guard !storage.flags.contains(.isDeleted) else { return false }
    if changed.remove(storage) { storage.flags.remove(.isChanged) }
    storage.flags.insert(.isDeleted)
    deleted.append(storage)
    return false
  }

  /// Forgets a change that turned out to be none.
  mutating func unchange(_ storage: _ModelStorage) {
    if changed.remove(storage) { storage.flags.remove(.isChanged) }
  }

  mutating func removeAll() {
    for storage in inserted { storage.flags.remove(.isInserted) }
    for storage in changed { storage.flags.remove(.isChanged) }
    for storage in deleted { storage.flags.remove(.isDeleted) }
    inserted.removeAll()
    changed.removeAll()
    deleted.removeAll()
  }
}

/// Storages and their models in order of arrival, each once, with constant-time removal.
///
/// A storage is in one list at a time and remembers its place there.
struct OrderedModels: Sequence {
  private var entries: [(model: AnyObject, storage: _ModelStorage)?] = []
  private(set) var size = 0

  var isEmpty: Bool { size == 0 }

  mutating func append(_ storage: _ModelStorage) {
    guard storage.pendingPlace < 0, let model = storage.model else { return }
    storage.pendingPlace = entries.count
    entries.append((model, storage))
    size += 1
  }

  @discardableResult
  mutating func remove(_ storage: _ModelStorage) -> Bool {
    let place = storage.pendingPlace
    guard place >= 0, place < entries.count, entries[place]?.storage === storage else {
      return false
    }
    storage.pendingPlace = -1
    entries[place] = nil
    size -= 1
    if size == 0 { entries = [] }
    return true
  }

  mutating func removeAll() {
    for storage in self { storage.pendingPlace = -1 }
    entries = []
    size = 0
  }

  func makeIterator() -> AnyIterator<_ModelStorage> {
    var index = 0
    return AnyIterator {
      while index < entries.count {
        defer { index += 1 }
        if let entry = entries[index] { return entry.storage }
      }
      return nil
    }
  }
}
