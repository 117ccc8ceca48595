/// The values of a model that are not read from its row: changed ones, decoded ones, and
/// relationships that are in memory. Records which slots differ from the store.
///
/// Part of a `_ModelStorage`, whose getters read the overlay first. `RelationshipValues` gives the
/// values of relationship slots their meaning.
///
/// Invariants: there are no values, or one for each slot. A slot of a stored model with an unsaved
/// value is in `changedSlots`; in a new model all slots are, and in one without a context none.
@usableFromInline
struct SlotOverlay {
  /// One value for each slot, `.unset` if the row has it; nil while the row has all of them.
  @usableFromInline private(set) var values: ContiguousArray<_SlotValue>?
  /// Slots that differ from the store.
  private(set) var changedSlots = SlotSet()

  /// Whether the row has all values.
  var isEmpty: Bool { values == nil }

  /// Whether the row has all values of the other slots.
  func isEmpty(besides slots: SlotSet) -> Bool {
    guard let values else { return true }
    if slots.isEmpty { return false }
    return values.indices.allSatisfy { slot in
      if case .unset = values[slot] { true } else { slots.contains(slot) }
    }
  }

  // MARK: Values

  /// - Parameter slotCount: The number of slots of the model, needed for the first value.
  mutating func set(_ value: consuming _SlotValue, at slot: Int, slotCount: Int) {
    if values == nil { values = ContiguousArray(repeating: .unset, count: slotCount) }
    values?[slot] = value
  }

  /// Drops all values: those of another row, or of a model that has left its context.
  mutating func clear() { values = nil }

  /// Removes the values of some slots.
  mutating func clear(_ slots: SlotSet) {
    guard let count = values?.count else { return }
    for slot in 0..<count where slots.contains(slot) { values?[slot] = .unset }
  }

  /// Removes the values of all other slots.
  mutating func clear(keeping kept: SlotSet) {
    guard !kept.isEmpty, var values else { return clear() }
    if isEmpty(besides: kept) { return }
    for slot in values.indices where !kept.contains(slot) { values[slot] = .unset }
    self.values = values
  }

  /// Takes the values of an earlier time; `changedSlots` stays as it is.
  /// - Returns: The values until now.
  @discardableResult
  mutating func exchange(_ earlier: ContiguousArray<_SlotValue>?) -> ContiguousArray<_SlotValue>? {
    #if OPENSWIFTDATA_INVARIANTS
      let counts = [values, earlier].compactMap { $0?.count }
      precondition(Set(counts).count < 2, "A model gets values of another class.")
    #endif
    defer { values = earlier }
    return values
  }

  /// Drops values that were decoded from a row that is no longer shown; unsaved values and related
  /// models stay.
  mutating func dropDecodedAttributes(_ descriptor: _ModelDescriptor) {
    guard let count = values?.count else { return }
    for slot in 0..<count where !changedSlots.contains(slot) {
      if descriptor.properties[slot].destination == nil { values?[slot] = .unset }
    }
  }

  /// Whether freeing the values may free other models.
  /// - Parameter slots: The slots of relationships.
  func retainsModels(in slots: [Int]) -> Bool {
    guard let values else { return false }
    return slots.contains { slot in
      guard slot < values.count else { return false }
      return switch values[slot].relationship {
      case .model, .toMany: true
      case .unset, .null, .identifier, .weakReferences: false
      }
    }
  }

  // MARK: Changes

  /// An edit puts another value into a slot.
  mutating func markChanged(_ slot: Int) { changedSlots.insert(slot) }

  /// The model is new: a save writes every slot.
  mutating func markAllChanged() { changedSlots = .all }

  /// Some edits turned out to be none.
  /// - Parameter slots: The slots that remain changed.
  mutating func keepChanged(_ slots: SlotSet) { changedSlots = slots }

  /// No slot differs from the store any more: after a save, a rollback, or for a model that has left
  /// its context.
  mutating func forgetChanges() { changedSlots = SlotSet() }
}
