import OpenSwiftDataRowStorage

/// The unsaved changes of a context: what the unit of work has to write.
///
/// Each edit, insertion and deletion is recorded here; `SaveSession` and `PendingMerge` read it. A
/// model is in one of three lists, according to its flags (`ModelLifeCycle.swift`).
///
/// Holds its models strongly, so that an edited model without another owner is still saved. Belongs
/// to one context and is used on its thread only.
final class ChangeTracker {
  private(set) var inserted = OrderedModels(keepsSavedValues: false)
  private(set) var changed = OrderedModels(keepsSavedValues: true)
  private(set) var deleted = OrderedModels(keepsSavedValues: true)
  private var packer = NewModelPacker()
  /// One-to-one relationships of edited models that were emptied because their model was set
  /// elsewhere or deleted: by slot, that model.
  private var displacedLinks: [ObjectIdentifier: [Int: PersistentIdentifier]] = [:]
  /// What lists without an inverse gained, in the order of the edits.
  private(set) var gainsWithoutInverse: [MemberGain] = []
  /// By class, how many of `changed` have rows in a state of the store, from the first one that was appended.
  private var changedWithRows: [String: (state: StoreState, count: Int)] = [:]
  /// What other contexts have stored under the unsaved changes.
  private let feed: ExternalChangeFeed

  init(_ feed: ExternalChangeFeed) { self.feed = feed }

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  /// Copies of the three lists, which keep the models alive while changes are removed.
  var lists: [OrderedModels] { [inserted, changed, deleted] }

  var size: Int { inserted.size + changed.size + deleted.size }

  /// Adds a model without a row: a new one, or one whose row no longer exists.
  func insert(_ storage: _ModelStorage, in source: any _FaultSource) {
    defer { _invariantCheck(storage) }
    guard !storage.flags.contains(.isInserted) else { return }
    if storage.pendingIndex >= 0,
      changed.remove(storage) != nil || deleted.remove(storage) != nil
    {
      storage.clearPending()
    }
    storage.becomeInserted(in: source)
    inserted.append(storage, saved: SavedValues())
    if let earlier = inserted.storage(beforeLast: NewModelPacker.delay) { packer.pack(earlier) }
  }

  /// Edits from before or during the deletion are pending again.
  func undoDeletion(of storage: _ModelStorage) {
    defer { _invariantCheck(storage) }
    guard let saved = deleted.remove(storage) else { return }
    if storage.becomeUndeleted() { changed.append(storage, saved: saved) }
  }

  /// - Precondition: If the model is not pending, none of its slots is marked as changed.
  func change(_ storage: _ModelStorage) {
    guard storage.flags.isDisjoint(with: [.isInserted, .isChanged, .isDeleted, .hasNoRow]) else {
      if inserted.notesEdits { inserted.noteEdit(of: storage) }
      if changed.notesEdits { changed.noteEdit(of: storage) }
      return
    }
    storage.becomeChanged()
    changed.append(storage, saved: SavedValues(storage))
    _invariantCheck(storage)
  }

  /// - Returns: Whether the model was new, and so is no longer pending.
  func delete(_ storage: _ModelStorage) -> Bool {
    defer { _invariantCheck(storage) }
    if inserted.remove(storage) != nil {
      storage.clearPending()
      return true
    }
    guard !storage.flags.contains(.isDeleted) else { return false }
    let saved = changed.remove(storage)
    storage.becomeDeleted()
    deleted.append(storage, saved: saved ?? SavedValues(storage))
    return false
  }

  /// Called before a pending model gets another row under its unsaved values.
  func recordNewRow(of storage: _ModelStorage) {
    if changed.notesEdits { changed.noteEdit(of: storage) }
  }

  /// Called after a pending model got the row of a snapshot under its unsaved values. To-one relationships of
  /// a store of the app are in the snapshot only, not in its row.
  func recordSavedValues(of snapshot: DefaultSnapshot, under storage: _ModelStorage) {
    guard snapshot.cells != nil else { return }
    let earlier = changed.saved(of: storage) ?? deleted.saved(of: storage)
    let ephemeral = earlier?.ephemeralValues(of: storage.descriptor) ?? []
    let saved = storage.withValues(nil) {
      snapshot.putCells(into: storage)
      for (slot, value) in ephemeral { storage.overlay(value, at: slot) }
      return SavedValues(storage)
    }
    changed.replaceSaved(of: storage, by: saved)
    deleted.replaceSaved(of: storage, by: saved)
  }

  /// Removes a change that turned out to be none. The model may have no other owner, so it is
  /// released after the change.
  func forget(_ storage: _ModelStorage) {
    let model = storage.model
    unchange(storage)
    withExtendedLifetime(model) {}
  }

  /// Removes a model whose values turned out to be unchanged.
  func unchange(_ storage: _ModelStorage) {
    if changed.remove(storage) != nil {
      storage.clearPending()
      clearConflicts(of: storage)
    }
    _invariantCheck(storage)
  }

  /// Called at the end of an operation that takes back deletions: until then, it may change the
  /// restored models.
  func clearConflictsIfUnchanged(of storage: _ModelStorage) {
    if storage.flags.isDisjoint(with: .isPending) { clearConflicts(of: storage) }
  }

  /// Whether `forgetExternalChange` may have something to forget.
  var hasExternalChanges: Bool { !feed.externalChanges.isEmpty }

  /// Called when a model takes a row or becomes a fault.
  /// - Parameter slots: What it takes.
  func forgetExternalChange(of storage: _ModelStorage, _ slots: @autoclosure () -> SlotSet = .all) {
    guard !feed.externalChanges.isEmpty, storage.flags.isDisjoint(with: .isPending),
      let identifier = storage.knownIdentifier, feed.externalChanges[identifier] != nil
    else { return }
    // Another instance of the row may have unsaved changes.
    let isPending = [changed, deleted].contains { models in
      models.contains { $0.knownIdentifier == identifier }
    }
    if !isPending { feed.forgetExternalChange(identifier, slots()) }
  }

  private func clearConflicts(of storage: _ModelStorage) {
    if let identifier = storage.knownIdentifier { feed.clearConflicts(of: identifier) }
  }

  /// Removes a model whose changes have been saved.
  func settle(_ storage: _ModelStorage) {
    defer { if inserted.isEmpty { packer.removeAll() } }
    if inserted.remove(storage) ?? changed.remove(storage) ?? deleted.remove(storage) != nil {
      storage.clearPending()
    }
    _invariantCheck(storage)
  }

  /// Removes a model that has the values of the last save again. If only some values are restored,
  /// only their slots count as unchanged.
  func unchangeIfRestored(_ storage: _ModelStorage) {
    guard let saved = changed.saved(of: storage) else { return }
    let left = saved.changedSlots(of: storage)
    saved.settle(storage, leaving: left)
    if left.isEmpty { unchange(storage) }
  }

  /// Gives one property of an edited model the value of the last save again, because another instance of the row gets
  /// the edit. So conflicts of the row stay.
  func takeBack(_ storage: _ModelStorage, slot: Int) {
    forgetDisplacement(of: storage, slot)
    guard let saved = changed.saved(of: storage) else { return }
    let left = storage.changedSlots.subtracting(SlotSet(slot))
    saved.settle(storage, leaving: left)
    guard left.isEmpty else { return }
    // It may have no other owner.
    let model = storage.model
    settle(storage)
    withExtendedLifetime(model) {}
  }

  /// The values of an edited or deleted model as they were last read or saved.
  func savedSnapshot(of storage: _ModelStorage) -> DefaultSnapshot {
    let saved = changed.saved(of: storage) ?? deleted.saved(of: storage)
    return saved?.snapshot(of: storage) ?? DefaultSnapshot(lenient: storage)
  }

  // MARK: Relationships

  /// Called when a list without an inverse gains a member.
  func noteGain(_ gain: MemberGain) { gainsWithoutInverse.append(gain) }

  /// Called when a one-to-one relationship is emptied because its model was set elsewhere or deleted.
  func noteDisplacement(
    of storage: _ModelStorage, _ slot: Int, from identifier: PersistentIdentifier
  ) {
    displacedLinks[ObjectIdentifier(storage), default: [:]][slot] = identifier
  }

  /// Called when a one-to-one relationship is set: the save has to write it.
  func forgetDisplacement(of storage: _ModelStorage, _ slot: Int) {
    guard !displacedLinks.isEmpty, var left = displacedLinks[ObjectIdentifier(storage)] else {
      return
    }
    left[slot] = nil
    displacedLinks[ObjectIdentifier(storage)] = left.isEmpty ? nil : left
  }

  func displacedLinks(of storage: _ModelStorage) -> [Int: PersistentIdentifier] {
    displacedLinks.isEmpty ? [:] : displacedLinks[ObjectIdentifier(storage)] ?? [:]
  }

  /// Forgets what was noted about relationships. Called after a save and by `removeAll`.
  func forgetNotes() {
    displacedLinks = [:]
    gainsWithoutInverse = []
  }

  // MARK: Pending models of a class

  /// New models that may have the given values.
  func inserted(
    of descriptor: _ModelDescriptor, having values: [RequiredValue]
  ) -> [_ModelStorage] { inserted.storages(of: descriptor, having: values) }

  /// Edited models that may now have the given values.
  func changed(
    of descriptor: _ModelDescriptor, having values: [RequiredValue] = []
  ) -> [_ModelStorage] { changed.storages(of: descriptor, having: values) }

  /// Edited models, without those that are known to have rows in a state of the store.
  func changed(
    of descriptor: _ModelDescriptor, unknownIn state: StoreState?
  ) -> [_ModelStorage] {
    guard let known = changedWithRows[descriptor.entityName], known.state == state else {
      return changed(of: descriptor)
    }
    return changed.storages(after: known.count).filter { $0.descriptor.isKind(of: descriptor) }
  }

  /// Called when all edited models of a class have rows in a state of the store.
  func noteRowsOfChanged(of descriptor: _ModelDescriptor, in state: StoreState) {
    changedWithRows[descriptor.entityName] = (state, changed.appendedCount)
  }

  func deleted(of descriptor: _ModelDescriptor) -> [_ModelStorage] {
    deleted.storages(of: descriptor)
  }

  /// The number of pending models of a class, by kind of change.
  func counts(
    of descriptor: _ModelDescriptor
  ) -> (inserted: Int, changed: Int, deleted: Int) {
    (
      inserted.count(of: descriptor), changed.count(of: descriptor), deleted.count(of: descriptor)
    )
  }

  /// Stored models of a class, its superclasses or its subclasses, with unsaved values of `slots`.
  func edited(
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

  /// - Returns: The removed models. The caller releases them when its own changes are complete: their
  ///   deinitialisers may call back.
  @discardableResult
  func removeAll() -> [OrderedModels] {
    let removed = lists
    forgetNotes()
    packer.removeAll()
    inserted.removeAll { $0.clearPending() }
    changed.removeAll { $0.clearPending() }
    deleted.removeAll { $0.clearPending() }
    return removed
  }
}

extension ChangeTracker {
  /// The stored members of a list without those that an unsaved change has moved to another owner.
  func withoutReassigned(
    _ members: [any PersistentModel], of storage: _ModelStorage, inverse: Int?
  ) -> [any PersistentModel] {
    guard !isEmpty, let inverse else { return members }
    return members.filter { model in
      let member = model._$storage
      guard !member.descriptor.properties[inverse].isToMany, member.changedSlots.contains(inverse)
      else { return true }
      return member.relationships.refers(inverse, to: storage)
    }
  }

  /// A model is in at most one list, and its flags say in which.
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
        isInserted || isChanged || isDeleted || storage.pendingIndex < 0,
        "A model without pending changes has a position.")
      for list in [inserted, changed, deleted] { list._invariantCheck() }
    #endif
  }
}

/// The values of a model at its last save: its row and the overlay over it.
///
/// Taken before the first change after the save. The overlay is shared and copied only at the next
/// write.
struct SavedValues {
  private var row: UnsafeRawPointer?
  /// Keeps the row alive, so that no other row can get its address.
  private var page: RowPage?
  private var values: ContiguousArray<_SlotValue>?

  /// The values of a model that was never saved.
  init() {}

  init(_ storage: _ModelStorage) {
    row = storage.row
    page = storage.page
    values = storage.overlay.values
  }

  /// Restores these values. If a newer row has been read, only those are restored that no row has.
  func restore(to storage: _ModelStorage) {
    let hasOtherRow = row != storage.row
    storage.overlay.forgetChanges()
    storage.forgetUndoneEdits()
    storage.overlay.exchange(values)
    if hasOtherRow { storage.overlay.clear(keeping: storage.descriptor.ephemeralSlots) }
    if storage.row == nil, hasOtherRow || storage.overlay.isEmpty { storage.expectRow() }
  }

  /// The values that no row has.
  func ephemeralValues(of descriptor: _ModelDescriptor) -> [(slot: Int, value: _SlotValue)] {
    descriptor.properties.indices.filter(descriptor.ephemeralSlots.contains).map { slot in
      guard let values, slot < values.count else { return (slot, .unset) }
      return (slot, values[slot])
    }
  }

  /// A snapshot of the model with these values instead of the unsaved ones.
  func snapshot(of storage: _ModelStorage) -> DefaultSnapshot {
    storage.withValues(row == storage.row ? values : nil) { DefaultSnapshot(lenient: storage) }
  }

  /// The slots that still have to be saved, of those that are marked as changed.
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
      switch now.relationship {
      case .toMany(let value): return value.isChanged
      case .unset, .null: return false
      case .model, .identifier, .weakReferences: return true
      }
    case .toOne:
      return partner(now, slot, storage) != partner(value(slot, storage), slot, storage)
    case .attribute, .transformable: return !agrees(slot, storage)
    }
  }

  /// The overlay is valid only with the row that it was taken with.
  private func value(_ slot: Int, _ storage: _ModelStorage) -> _SlotValue {
    guard let values, row == storage.row, slot < values.count else { return .unset }
    return values[slot]
  }

  private func partner(
    _ value: _SlotValue, _ slot: Int, _ storage: _ModelStorage
  ) -> PersistentIdentifier? {
    switch value.relationship {
    case .model(let model): return model._$storage.identifier
    case .identifier(let identifier): return identifier.resolved
    case .unset:
      let kept = storage.overlaid(slot)
      storage.overlay(.unset, at: slot)
      defer { storage.overlay(kept, at: slot) }
      return storage.relationships.partner(slot)?._$storage.identifier
    case .null, .toMany, .weakReferences: return nil
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
    // Encoded values are equal if their stored forms are equal.
    let slots = SlotSet(slot)
    guard case .boxed = now, let old = try? DefaultSnapshot(storage, storing: slots) else {
      return false
    }
    storage.overlay(now, at: slot)
    guard let new = try? DefaultSnapshot(storage, storing: slots) else { return false }
    let leaves = storage.descriptor.properties[slot].leafCells
    return ([slot] + leaves).allSatisfy { old.value($0).isSame(as: new.value($0)) }
  }

  /// Restored to-one relationships hold no model; loaded lists keep their order.
  /// - Parameter left: The slots that remain changed.
  func settle(_ storage: _ModelStorage, leaving left: SlotSet) {
    let restored = storage.changedSlots.subtracting(left)
    storage.overlay.keepChanged(left)
    storage.forgetUndoneEdits()
    for slot in storage.descriptor.relationshipSlots
    where !storage.overlay.isEmpty && restored.contains(slot)
      && storage.descriptor.properties[slot].isToOne
    {
      storage.overlay(value(slot, storage), at: slot)
    }
  }
}
