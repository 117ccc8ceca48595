/// Storages and their models in the order of insertion, each once, with removal in constant time.
///
/// A storage is in one list at a time and stores its position there.
struct OrderedModels: Sequence {
  /// The model is retained; its storage belongs to it.
  fileprivate struct Entry {
    let model: AnyObject
    let storage: _ModelStorage
  }

  private var entries: [Entry?] = []
  /// The saved values of the models, at the same positions. New models have none, so their list is
  /// empty.
  private var saved: [SavedValues] = []
  private let keepsSavedValues: Bool
  private(set) var size = 0
  /// How many models were ever appended.
  private(set) var appendedCount = 0
  /// Created by the first fetch that asks for some of many models.
  private var index: PendingIndex?

  init(keepsSavedValues: Bool) {
    self.keepsSavedValues = keepsSavedValues
  }

  var isEmpty: Bool { size == 0 }

  mutating func append(_ storage: _ModelStorage, saved: SavedValues) {
    guard storage.pendingIndex < 0, let model = storage.model else { return }
    storage.pendingIndex = Int32(truncatingIfNeeded: entries.count)
    entries.append(Entry(model: model, storage: storage))
    if keepsSavedValues { self.saved.append(saved) }
    size += 1
    appendedCount += 1
  }

  /// The models that were appended after the first `count` ones.
  func storages(after count: Int) -> [_ModelStorage] {
    entries.suffix(appendedCount - count).compactMap { $0?.storage }
  }

  /// - Returns: The saved values of the model; nil if it is not in this list.
  mutating func remove(_ storage: _ModelStorage) -> SavedValues? {
    guard let position = position(of: storage), let entry = entries[position] else { return nil }
    storage.pendingIndex = -1
    entries[position] = nil
    var removed = SavedValues()
    if keepsSavedValues { swap(&removed, &saved[position]) }
    size -= 1
    index?.noteRemoval(from: Int32(position), of: storage.descriptor)
    if size == 0 {
      entries = []
      saved = []
      index = nil
    }
    // The model is released after the list has changed: its deinitialiser may call back.
    return withExtendedLifetime(entry) { removed }
  }

  /// The model some positions before the end of the list; `nil` if it was removed.
  func storage(beforeLast count: Int) -> _ModelStorage? {
    let position = entries.count - 1 - count
    return position < 0 ? nil : entries[position]?.storage
  }

  func saved(of storage: _ModelStorage) -> SavedValues? {
    guard let position = position(of: storage) else { return nil }
    return keepsSavedValues ? saved[position] : SavedValues()
  }

  /// Does nothing for a model that is not in this list.
  mutating func replaceSaved(of storage: _ModelStorage, by values: SavedValues) {
    guard keepsSavedValues, let position = position(of: storage) else { return }
    saved[position] = values
  }

  private func position(of storage: _ModelStorage) -> Int? {
    let position = Int(storage.pendingIndex)
    guard position >= 0, position < entries.count, let entry = entries[position],
      entry.storage === storage
    else { return nil }
    return position
  }

  /// The models with their saved values.
  var savedValues: [(storage: _ModelStorage, saved: SavedValues)] {
    zip(entries, saved).compactMap { entry, saved in entry.map { ($0.storage, saved) } }
  }

  /// - Parameter settle: Called for each model; must only change its flags.
  mutating func removeAll(_ settle: (_ModelStorage) -> Void) {
    if entries.isEmpty { return }
    for storage in self {
      storage.pendingIndex = -1
      settle(storage)
    }
    entries = []
    saved = []
    size = 0
    index = nil
  }

  /// Entries agree with the positions that the storages have.
  func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      guard entries.count <= 64 || entries.count & (entries.count - 1) == 0 else { return }
      precondition(entries.count { $0 != nil } == size, "Pending models: the count is wrong.")
      precondition(
        saved.count == (keepsSavedValues ? entries.count : 0),
        "Pending models: saved values are missing.")
      for (position, entry) in entries.enumerated() {
        precondition(
          entry.map { Int($0.storage.pendingIndex) == position } ?? true,
          "Pending models: a position is wrong.")
      }
    #endif
  }

  // MARK: Queries

  /// Whether edits of these models have to be recorded.
  var notesEdits: Bool { index?.hasValues ?? false }

  /// Called before an edit of one of these models.
  mutating func noteEdit(of storage: _ModelStorage) {
    if contains(storage) { index?.noteEdit(at: storage.pendingIndex, of: storage.descriptor) }
  }

  private func contains(_ storage: _ModelStorage) -> Bool {
    let position = Int(storage.pendingIndex)
    return entries.indices.contains(position) && entries[position]?.storage === storage
  }

  /// The models of a class and of its subclasses, in order.
  ///
  /// - Parameter values: If there are many models, those without one of these values may be left
  ///   out.
  mutating func storages(
    of descriptor: _ModelDescriptor, having values: [RequiredValue] = []
  ) -> [_ModelStorage] {
    if isEmpty { return [] }
    var index = takeIndex()
    defer { self.index = index }
    let positions = index.positions(of: descriptor, having: values) { entries[Int($0)]?.storage }
    return positions.compactMap { entries[Int($0)]?.storage }
  }

  /// The number of models of a class and of its subclasses.
  mutating func count(of descriptor: _ModelDescriptor) -> Int {
    if isEmpty { return 0 }
    let index = takeIndex()
    defer { self.index = index }
    return index.count(of: descriptor)
  }

  /// The classes of these models; some may have no model any more.
  mutating func classes() -> [_ModelDescriptor] {
    if isEmpty { return [] }
    let index = takeIndex()
    defer { self.index = index }
    return index.descriptors
  }

  /// The index with all models, moved out of its property so that changing it copies nothing.
  private mutating func takeIndex() -> PendingIndex {
    var index = index.take() ?? PendingIndex()
    index.take(from: entries.count) { entries[$0]?.storage.descriptor }
    return index
  }

  func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }

  struct Iterator: IteratorProtocol {
    fileprivate var entries: IndexingIterator<[Entry?]>

    mutating func next() -> _ModelStorage? {
      while let entry = entries.next() {
        if let entry { return entry.storage }
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
