/// The changes that no save has stored yet: what a unit of work has to write.
///
/// Each edit, insertion and deletion ends here; `SaveSession` and `PendingMerge` read it. A model is
/// in one of three lists, as its flags say (`ModelLifeCycle.swift`).
///
/// Holds its models strongly, so that an edited model without another owner is saved all the same.
struct ChangeTracker {
  private(set) var inserted = OrderedModels()
  private(set) var changed = OrderedModels()
  private(set) var deleted = OrderedModels()

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  var size: Int { inserted.size + changed.size + deleted.size }

  /// Makes a model that has no row pending: a new one, or one whose row is gone.
  mutating func insert(_ storage: _ModelStorage, in source: any _FaultSource) {
    guard !storage.flags.contains(.isInserted) else { return }
    if changed.remove(storage) != nil || deleted.remove(storage) != nil { storage.becomeSettled() }
    storage.becomeInserted(in: source)
    inserted.append(storage, saved: SavedValues())
  }

  /// Edits from before the deletion, or during it, are pending again.
  mutating func takeBackDeletion(of storage: _ModelStorage) {
    guard let saved = deleted.remove(storage) else { return }
    if storage.becomeUndeleted() { changed.append(storage, saved: saved) }
  }

  /// - Precondition: No slot of the model is marked as changed yet when it is not pending.
  mutating func change(_ storage: _ModelStorage) {
    guard storage.flags.isDisjoint(with: [.isInserted, .isChanged, .isDeleted, .isGone]) else {
      return
    }
    storage.becomeChanged()
    changed.append(storage, saved: SavedValues(storage))
  }

  /// - Returns: Whether the model was new, and so is no longer pending at all.
  mutating func delete(_ storage: _ModelStorage) -> Bool {
    if inserted.remove(storage) != nil {
      storage.becomeSettled()
      return true
    }
    guard !storage.flags.contains(.isDeleted) else { return false }
    let saved = changed.remove(storage)
    storage.becomeDeleted()
    deleted.append(storage, saved: saved ?? SavedValues(storage))
    return false
  }

  /// Forgets a change that turned out to be none.
  mutating func unchange(_ storage: _ModelStorage) {
    if changed.remove(storage) != nil { storage.becomeSettled() }
  }

  /// Forgets the changes of a model whose values are those of the last save again.
  mutating func unchangeIfRestored(_ storage: _ModelStorage) {
    guard let saved = changed.saved(of: storage), saved.agree(with: storage) else { return }
    unchange(storage)
    saved.settle(storage)
  }

  mutating func removeAll() {
    for storage in inserted { storage.becomeSettled() }
    for storage in changed { storage.becomeSettled() }
    for storage in deleted { storage.becomeSettled() }
    inserted.removeAll()
    changed.removeAll()
    deleted.removeAll()
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

  /// Gives the model these values back. The overlay is discarded where a newer row was read.
  func restore(to storage: _ModelStorage) {
    storage.changedSlots = SlotSet()
    storage.overlay = row == storage.row ? overlay : nil
    if storage.row == nil, storage.overlay == nil { storage.expectRow() }
  }

  /// Whether nothing of the model is left to save.
  func agree(with storage: _ModelStorage) -> Bool {
    for slot in 0..<storage.descriptor.slotCount where storage.changedSlots.contains(slot) {
      let property = storage.descriptor.properties[slot]
      if property.isEphemeral { continue }
      let now = storage.overlaid(slot)
      if property.isToMany {
        guard case .object(let object) = now else { continue }
        if (object as? ToManyValue)?.isChanged ?? true { return false }
      } else if property.isToOne {
        guard partner(now, slot, storage) == partner(value(slot, storage), slot, storage) else {
          return false
        }
      } else if !agrees(slot, storage) {
        return false
      }
    }
    return true
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
    case .object(let object):
      if let box = object as? IdentifierBox { return box.identifier.resolved }
      return (object as? any PersistentModel)?._$storage.identifier
    case .unset:
      let kept = storage.overlaid(slot)
      storage.overlay(.unset, at: slot)
      defer { storage.overlay(kept, at: slot) }
      return storage.partner(slot)?._$storage.identifier
    default: return nil
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
    guard case .object = now, let old = try? DefaultSnapshot(storage) else { return false }
    storage.overlay(now, at: slot)
    guard let new = try? DefaultSnapshot(storage) else { return false }
    let leaves = storage.descriptor.properties[slot].leafCells
    return ([slot] + leaves).allSatisfy { old.value($0).isSame(as: new.value($0)) }
  }

  /// To-one relationships of a restored model hold no partner; loaded lists keep their order.
  func settle(_ storage: _ModelStorage) {
    storage.changedSlots = SlotSet()
    for slot in storage.descriptor.relationshipSlots
    where storage.overlay != nil && !storage.descriptor.properties[slot].isToMany {
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
    storage.pendingPlace = entries.count
    entries.append(Entry(model: model, storage: storage, saved: saved))
    size += 1
  }

  /// - Returns: The saved values of the model; nil when it is not in this list.
  mutating func remove(_ storage: _ModelStorage) -> SavedValues? {
    let place = storage.pendingPlace
    guard place >= 0, place < entries.count, let entry = entries[place], entry.storage === storage
    else { return nil }
    storage.pendingPlace = -1
    entries[place] = nil
    size -= 1
    if size == 0 { entries = [] }
    return entry.saved
  }

  func saved(of storage: _ModelStorage) -> SavedValues? {
    let place = storage.pendingPlace
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
