/// Storages and their models in order of arrival, each once, with constant-time removal.
///
/// A storage is in one list at a time and remembers its place there.
struct OrderedModels: Sequence {
  private struct Entry {
    let model: AnyObject
    let storage: _ModelStorage
    let saved: SavedValues
  }

  private var entries: [Entry?] = []
  private(set) var size = 0
  /// Made by the first fetch that asks for some of many.
  private var index: PendingIndex?

  var isEmpty: Bool { size == 0 }

  mutating func append(_ storage: _ModelStorage, saved: SavedValues) {
    guard storage.pendingPlace < 0, let model = storage.model else { return }
    storage.pendingPlace = Int32(truncatingIfNeeded: entries.count)
    entries.append(Entry(model: model, storage: storage, saved: saved))
    size += 1
  }

  /// - Returns: The saved values of the model; nil when it is not in this list.
  mutating func remove(_ storage: _ModelStorage) -> SavedValues? {
    let place = Int(storage.pendingPlace)
    guard place >= 0, place < entries.count, let entry = entries[place], entry.storage === storage
    else { return nil }
    storage.pendingPlace = -1
    entries[place] = nil
    size -= 1
    index?.noteRemoval(from: Int32(place), of: storage.descriptor)
    if size == 0 {
      entries = []
      index = nil
    }
    return entry.saved
  }

  func saved(of storage: _ModelStorage) -> SavedValues? {
    let place = Int(storage.pendingPlace)
    guard place >= 0, place < entries.count, let entry = entries[place], entry.storage === storage
    else { return nil }
    return entry.saved
  }

  /// The models with their saved values.
  var savedValues: [(storage: _ModelStorage, saved: SavedValues)] {
    entries.compactMap { $0.map { ($0.storage, $0.saved) } }
  }

  mutating func removeAll() {
    for storage in self { storage.pendingPlace = -1 }
    entries = []
    size = 0
    index = nil
  }

  /// Entries agree with the places that storages remember.
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      guard entries.count <= 64 || entries.count & (entries.count - 1) == 0 else { return }
      precondition(entries.count { $0 != nil } == size, "A list of pending models lost its count.")
      for (place, entry) in entries.enumerated() {
        precondition(
          entry.map { Int($0.storage.pendingPlace) == place } ?? true,
          "A pending model is at another place.")
      }
    #endif
  }

  // MARK: Some of them

  /// Whether edits of these models have to be noted.
  var notesEdits: Bool { index?.hasValues ?? false }

  /// An edit of one of these models is about to be made.
  mutating func noteEdit(of storage: _ModelStorage) {
    if contains(storage) { index?.noteEdit(at: storage.pendingPlace, of: storage.descriptor) }
  }

  private func contains(_ storage: _ModelStorage) -> Bool {
    let place = Int(storage.pendingPlace)
    return entries.indices.contains(place) && entries[place]?.storage === storage
  }

  /// Those of a class and of its subclasses, in order.
  ///
  /// - Parameter values: Where there are many, those without one of these values may be left out.
  mutating func storages(
    of descriptor: _ModelDescriptor, having values: [RequiredValue] = []
  ) -> [_ModelStorage] {
    if isEmpty { return [] }
    var index = takeIndex()
    defer { self.index = index }
    let places = index.places(of: descriptor, having: values) { entries[Int($0)]?.storage }
    return places.compactMap { entries[Int($0)]?.storage }
  }

  /// How many there are of a class and of its subclasses.
  mutating func count(of descriptor: _ModelDescriptor) -> Int {
    if isEmpty { return 0 }
    let index = takeIndex()
    defer { self.index = index }
    return index.count(of: descriptor)
  }

  /// The classes of these models; some may have none left.
  mutating func classes() -> [_ModelDescriptor] {
    if isEmpty { return [] }
    let index = takeIndex()
    defer { self.index = index }
    return index.descriptors
  }

  /// The index with all models, out of its place so that changing it copies nothing.
  private mutating func takeIndex() -> PendingIndex {
    var index = index.take() ?? PendingIndex()
    index.take(from: entries.count) { entries[$0]?.storage.descriptor }
    return index
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

extension Sequence where Element == _ModelStorage {
  /// The classes of the models, each once.
  var descriptors: [_ModelDescriptor] {
    var found: [_ModelDescriptor] = []
    // Models of one class mostly follow each other.
    for storage in self where found.last !== storage.descriptor {
      if !found.contains(where: { $0 === storage.descriptor }) { found.append(storage.descriptor) }
    }
    return found
  }
}
