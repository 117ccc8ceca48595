import Foundation
import OpenSwiftDataRowStorage

/// New rows under unsaved changes.
extension _ModelStorage {
  /// Takes a new row and drops what was decoded from the old one.
  /// - Parameters:
  ///   - changed: The slots that another context saved.
  ///   - kept: The slots with unsaved changes.
  func takeNewRow(_ snapshot: DefaultSnapshot, changed: SlotSet, keeping kept: SlotSet) {
    show(page: snapshot.page, row: snapshot.row)
    if overlay != nil {
      for slot in 0..<descriptor.slotCount where !descriptor.properties[slot].isEphemeral {
        if !kept.contains(slot) {
          overlay(.unset, at: slot)
        } else if changed.contains(slot), case .toMany(let value) = overlaid(slot) {
          // The list is read again and the unsaved additions and removals are applied to it.
          value.unload()
        }
      }
    }
    guard snapshot.cells != nil else { return }
    let pending = kept.isEmpty ? nil : overlay
    takeCells(of: snapshot)
    guard let pending else { return }
    for slot in 0..<descriptor.slotCount where kept.contains(slot) {
      overlay(pending[slot], at: slot)
    }
  }

  /// The slots whose stored values differ, and every to-many, which a row does not contain.
  func slots(differingFrom snapshot: DefaultSnapshot) -> SlotSet {
    guard let old = reader, let row = snapshot.row else { return .all }
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

  /// Becomes a fault and notifies the observers of every property.
  func refault() {
    notifyingObserversOfAll { becomeFault() }
  }
}
