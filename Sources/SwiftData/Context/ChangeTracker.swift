import OpenSwiftDataRowStorage

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
    defer { _invariantCheck(storage) }
    guard !storage.flags.contains(.isInserted) else { return }
    if changed.remove(storage) != nil || deleted.remove(storage) != nil { storage.becomeSettled() }
    storage.becomeInserted(in: source)
    inserted.append(storage, saved: SavedValues())
  }

  /// Edits from before the deletion, or during it, are pending again.
  mutating func takeBackDeletion(of storage: _ModelStorage) {
    defer { _invariantCheck(storage) }
    guard let saved = deleted.remove(storage) else { return }
    if storage.becomeUndeleted() { changed.append(storage, saved: saved) }
  }

  /// - Precondition: No slot of the model is marked as changed yet when it is not pending.
  mutating func change(_ storage: _ModelStorage) {
    guard storage.flags.isDisjoint(with: [.isInserted, .isChanged, .isDeleted, .isGone]) else {
      if inserted.notesEdits { inserted.noteEdit(of: storage) }
      if changed.notesEdits { changed.noteEdit(of: storage) }
      return
    }
    storage.becomeChanged()
    changed.append(storage, saved: SavedValues(storage))
    _invariantCheck(storage)
  }

  /// - Returns: Whether the model was new, and so is no longer pending at all.
  mutating func delete(_ storage: _ModelStorage) -> Bool {
    defer { _invariantCheck(storage) }
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

  /// A pending model is about to show another row under its unsaved values.
  mutating func noteFreshRow(of storage: _ModelStorage) {
    if changed.notesEdits { changed.noteEdit(of: storage) }
  }

  /// Forgets a change that turned out to be none.
  mutating func unchange(_ storage: _ModelStorage) {
    if changed.remove(storage) != nil { storage.becomeSettled() }
    _invariantCheck(storage)
  }

  /// A store has saved the changes of a model.
  mutating func settle(_ storage: _ModelStorage) {
    if inserted.remove(storage) ?? changed.remove(storage) ?? deleted.remove(storage) != nil {
      storage.becomeSettled()
    }
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

  /// The values of an edited or deleted model as they were read or saved last.
  func savedSnapshot(of storage: _ModelStorage) -> DefaultSnapshot {
    let saved = changed.saved(of: storage) ?? deleted.saved(of: storage)
    return saved?.snapshot(of: storage) ?? DefaultSnapshot(lenient: storage)
  }

  // MARK: Pending models of a class

  /// New models that may have some values.
  mutating func inserted(
    of descriptor: _ModelDescriptor, having values: [RequiredValue]
  ) -> [_ModelStorage] { inserted.storages(of: descriptor, having: values) }

  /// Edited models that may have some values now.
  mutating func changed(
    of descriptor: _ModelDescriptor, having values: [RequiredValue] = []
  ) -> [_ModelStorage] { changed.storages(of: descriptor, having: values) }

  mutating func deleted(of descriptor: _ModelDescriptor) -> [_ModelStorage] {
    deleted.storages(of: descriptor)
  }

  /// How many models of a class are pending, by what they are.
  mutating func counts(
    of descriptor: _ModelDescriptor
  ) -> (inserted: Int, changed: Int, deleted: Int) {
    (
      inserted.count(of: descriptor), changed.count(of: descriptor), deleted.count(of: descriptor)
    )
  }

  /// Stored models of a class, or of one above or below it, with unsaved values of some properties.
  mutating func edited(
    related descriptor: _ModelDescriptor, slots: SlotSet
  ) -> [_ModelStorage] {
    var found: [_ModelStorage] = []
    func add(_ list: inout OrderedModels) {
      for kind in list.classes()
      where kind.isKind(of: descriptor) || descriptor.isKind(of: kind) {
        found += list.storages(of: kind).filter {
          $0.descriptor === kind && !$0.changedSlots.intersection(slots).isEmpty
        }
      }
    }
    add(&changed)
    add(&deleted)
    return found
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
  /// Holds the row: another one at the address of a freed row is not the same.
  private var page: RowPage?
  private var overlay: ContiguousArray<_SlotValue>?

  /// Those of a model that was never saved.
  init() {}

  init(_ storage: _ModelStorage) {
    row = storage.row
    page = storage.page
    overlay = storage.overlay
  }

  /// Gives the model these values back. The overlay is discarded where a newer row was read.
  func restore(to storage: _ModelStorage) {
    storage.changedSlots = SlotSet()
    storage.overlay = row == storage.row ? overlay : nil
    if storage.row == nil, storage.overlay == nil { storage.expectRow() }
  }

  /// The values of the model with these in place of the unsaved ones.
  func snapshot(of storage: _ModelStorage) -> DefaultSnapshot {
    let unsaved = storage.overlay
    storage.overlay = row == storage.row ? overlay : nil
    defer { storage.overlay = unsaved }
    return DefaultSnapshot(lenient: storage)
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
