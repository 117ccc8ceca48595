import OpenSwiftDataRowStorage

/// How a model takes the values of a snapshot: its row, and over it the values that came without
/// one, from a store of another kind.
///
/// Called for fetched rows (`Materializer`, `FaultResolver`), for changes of other contexts
/// (`ExternalChangeApplication`), and for snapshots that a store of another kind saves.
extension DefaultSnapshot {
  /// Gives a model the row, and puts the values without a row over it.
  func fill(_ storage: _ModelStorage) {
    storage.show(page: page, row: row)
    putCells(into: storage)
  }

  /// Gives a model the snapshot in place of all its values.
  /// - Parameter kept: Relationships that stay as they are.
  func refresh(_ storage: _ModelStorage, keeping kept: SlotSet = SlotSet()) {
    storage.refresh(page: page, row: row, keeping: kept)
    putCells(into: storage)
  }

  /// Gives a model the row, and drops what was decoded from the old one.
  /// - Parameters:
  ///   - changed: The slots that another context saved.
  ///   - kept: The slots with unsaved changes.
  func refresh(_ storage: _ModelStorage, changed: SlotSet, keeping kept: SlotSet) {
    let descriptor = storage.descriptor
    storage.show(page: page, row: row)
    if !storage.overlay.isEmpty {
      for slot in 0..<descriptor.slotCount where !descriptor.properties[slot].isEphemeral {
        if !kept.contains(slot) {
          storage.overlay(.unset, at: slot)
        } else if changed.contains(slot), case .toMany(let value) = storage.overlaid(slot) {
          // The list is read again and the unsaved additions and removals are applied to it.
          value.unload()
        }
      }
    }
    guard cells != nil else { return }
    let pending = kept.isEmpty ? nil : storage.overlay.values
    putCells(into: storage)
    guard let pending else { return }
    for slot in 0..<descriptor.slotCount where kept.contains(slot) {
      storage.overlay(pending[slot], at: slot)
    }
  }

  /// Puts values that came without a row over the row of a model.
  func putCells(into storage: _ModelStorage) {
    guard let cells else { return }
    for slot in 0..<storage.descriptor.slotCount where hasCell(of: slot) {
      switch storage.descriptor.properties[slot].form {
      case .attribute(.scalar), .attribute(.rawValue), .toOne:
        storage.overlay(cells[slot], at: slot)
      default:
        if let value = decodedValue(slot) { storage.overlay(value, at: slot) }
      }
    }
  }

  /// Whether the snapshot has the value of a slot outside the row.
  private func hasCell(of slot: Int) -> Bool {
    guard let cells, row != nil else { return true }
    if case .unset = cells[slot] { return false }
    return true
  }

  /// The slots whose stored values differ from those that a model shows, and every to-many, which a
  /// row does not contain.
  func slotsDiffering(from storage: _ModelStorage) -> SlotSet {
    let descriptor = storage.descriptor
    guard let old = storage.reader, let row else { return .all }
    let new = RowReader(row: row, cellsOffset: descriptor.cellsOffset)
    var slots = SlotSet()
    for slot in 0..<descriptor.slotCount {
      let property = descriptor.properties[slot]
      let differs =
        property.isToMany || !descriptor.layout.agrees(slot, old, new)
        || property.leafCells.contains { !descriptor.layout.agrees($0, old, new) }
      if differs { slots.insert(slot) }
    }
    return slots
  }
}
