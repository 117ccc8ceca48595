/// The changes that no save has stored yet: what a unit of work has to write.
///
/// Holds its models strongly, so that an edited model that nobody else holds is saved all the same.
struct ChangeTracker {
  private(set) var inserted = OrderedModels()
  private(set) var changed = OrderedModels()
  private(set) var deleted = OrderedModels()

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  var size: Int { inserted.size + changed.size + deleted.size }

  /// Makes a new model pending, or takes a deletion back: edits from before it, or during it, are
  /// pending again.
  mutating func insert(_ storage: _ModelStorage) {
    defer { _invariantCheck(storage) }
    if let saved = deleted.remove(storage) {
      storage.flags.remove(.isDeleted)
      guard !storage.changedSlots.isEmpty else { return }
      storage.flags.insert(.isChanged)
      changed.append(storage, saved: saved)
      return
    }
    guard !storage.flags.contains(.isInserted) else { return }
    storage.flags.insert(.isInserted)
    inserted.append(storage, saved: SavedValues())
  }

  /// - Precondition: No slot of the model is marked as changed yet when it is not pending.
  mutating func change(_ storage: _ModelStorage) {
    guard storage.flags.isDisjoint(with: [.isInserted, .isChanged, .isDeleted, .isGone]) else {
      return
    }
    storage.flags.insert(.isChanged)
    changed.append(storage, saved: SavedValues(storage))
    _invariantCheck(storage)
  }

  /// - Returns: Whether the model was new, and so is no longer pending at all.
  mutating func delete(_ storage: _ModelStorage) -> Bool {
    defer { _invariantCheck(storage) }
    if inserted.remove(storage) != nil {
      storage.flags.remove(.isInserted)
      return true
    }
    guard !storage.flags.contains(.isDeleted) else { return false }
    let saved = changed.remove(storage)
    storage.flags.remove(.isChanged)
    storage.flags.insert(.isDeleted)
    deleted.append(storage, saved: saved ?? SavedValues(storage))
    return false
  }

  /// Forgets a change that turned out to be none.
  mutating func unchange(_ storage: _ModelStorage) {
    if changed.remove(storage) != nil { storage.flags.remove(.isChanged) }
    _invariantCheck(storage)
  }

  /// Forgets the changes of a model whose values are those of the last save again; of one that was
  /// restored in part, the changes that were taken back.
  mutating func unchangeIfRestored(_ storage: _ModelStorage) {
    guard let saved = changed.saved(of: storage) else { return }
    let left = saved.changedSlots(of: storage)
    saved.settle(storage, leaving: left)
    if left.isEmpty { unchange(storage) }
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

extension ChangeTracker {
  /// A model is in one list at most, and its flags say in which.
  private func _invariantCheck(_ storage: _ModelStorage) {
    #if OPENSWIFTDATA_INVARIANTS
      let isInserted = inserted.saved(of: storage) != nil
      let isChanged = changed.saved(of: storage) != nil
      let isDeleted = deleted.saved(of: storage) != nil
      precondition(
        [isInserted, isChanged, isDeleted].count { $0 } <= 1, "A model is pending twice.")
      precondition(
        isInserted == storage.flags.contains(.isInserted)
          && isChanged == storage.flags.contains(.isChanged)
          && isDeleted == storage.flags.contains(.isDeleted),
        "The flags of \(storage.descriptor.entityName) disagree with the pending changes.")
      precondition(
        isInserted || isChanged || isDeleted || storage.pendingPlace < 0,
        "A model that is not pending has a place.")
      for list in [inserted, changed, deleted] { list._invariantCheck() }
    #endif
  }
}

/// The values of a model at its last save, beside those in its row.
///
/// Taken at the first change after it; sharing the overlay costs a copy at the next write only.
struct SavedValues {
  private var row: UnsafeRawPointer?
  private var overlay: ContiguousArray<_SlotValue>?

  /// Those of a model that was never saved.
  init() {}

  init(_ storage: _ModelStorage) {
    row = storage.row
    overlay = storage.overlay
  }

  /// Gives the model these values back. A row that was read since knows better than the overlay.
  func restore(to storage: _ModelStorage) {
    storage.changedSlots = SlotSet()
    storage.overlay = row == storage.row ? overlay : nil
    if storage.row == nil, storage.overlay == nil { storage.flags.insert(.isFault) }
  }

  /// The slots that are left to save, of those that count as changed.
  func changedSlots(of storage: _ModelStorage) -> SlotSet {
    var slots = SlotSet()
    for slot in 0..<storage.descriptor.slotCount
    where storage.changedSlots.contains(slot) && isChanged(slot, storage) {
      slots.insert(slot)
    }
    return slots
  }

  private func isChanged(_ slot: Int, _ storage: _ModelStorage) -> Bool {
    let property = storage.descriptor.properties[slot]
    if property.isEphemeral { return false }
    let now = storage.overlaid(slot)
    switch property.form {
    case .toMany:
      switch now {
      case .toMany(let value): return value.isChanged
      case .unset, .null: return false
      case .model, .identifier, .weakPartners: return true
      case .integer, .real, .text, .blob, .uuid, .boxed: return true
      }
    case .toOne:
      return partner(now, slot, storage) != partner(value(slot, storage), slot, storage)
    case .attribute, .transformable: return !agrees(slot, storage)
    }
  }

  /// The overlay is over the row that it was taken with only.
  private func value(_ slot: Int, _ storage: _ModelStorage) -> _SlotValue {
    guard let overlay, row == storage.row, slot < overlay.count else { return .unset }
    return overlay[slot]
  }

  private func partner(
    _ value: _SlotValue, _ slot: Int, _ storage: _ModelStorage
  ) -> PersistentIdentifier? {
    switch value {
    case .model(let model): return model._$storage.identifier
    case .identifier(let identifier): return identifier.resolved
    case .unset:
      let kept = storage.overlaid(slot)
      storage.overlay(.unset, at: slot)
      defer { storage.overlay(kept, at: slot) }
      return storage.partner(slot)?._$storage.identifier
    case .null, .toMany, .weakPartners: return nil
    case .integer, .real, .text, .blob, .uuid, .boxed: return nil
    }
  }

  private func agrees(_ slot: Int, _ storage: _ModelStorage) -> Bool {
    let now = storage.overlaid(slot)
    let saved = value(slot, storage)
    if now.isSame(as: saved) { return true }
    storage.overlay(saved, at: slot)
    defer { storage.overlay(now, at: slot) }
    let before = storage.explicitValue(slot)
    if now.isSame(as: before) { return true }
    // Values that are encoded are equal when their stored forms are.
    guard case .boxed = now, let old = try? DefaultSnapshot(storage) else { return false }
    storage.overlay(now, at: slot)
    guard let new = try? DefaultSnapshot(storage) else { return false }
    let leaves = storage.descriptor.properties[slot].leafCells
    return ([slot] + leaves).allSatisfy { old.value($0).isSame(as: new.value($0)) }
  }

  /// To-one relationships that were restored hold no partner; loaded lists keep their order.
  /// - Parameter left: The slots that are still changed.
  func settle(_ storage: _ModelStorage, leaving left: SlotSet) {
    let restored = storage.changedSlots.subtracting(left)
    storage.changedSlots = left
    for slot in storage.descriptor.relationshipSlots
    where storage.overlay != nil && restored.contains(slot)
      && storage.descriptor.properties[slot].isToOne
    {
      storage.overlay(value(slot, storage), at: slot)
    }
  }
}

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
    if size == 0 { entries = [] }
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
