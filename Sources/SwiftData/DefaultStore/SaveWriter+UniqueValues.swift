import Foundation
import RowStorage
import SQLiteEngine

/// Unique values that move from one model to another in one save.
extension SaveWriter {
  /// The changed rows whose old unique value another model of this save may take.
  mutating func movingUniqueValues(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [DefaultSnapshot] {
    let changed = try request.updated.filter { snapshot in
      !uniqueSlots(snapshot, try plan(of: snapshot)).isEmpty
    }
    guard !changed.isEmpty else { return [] }
    let others = try request.inserted.contains { try isConstrained($0) }
    return others || changed.count > 1 ? changed : []
  }

  /// Empties the unique columns that a changed row is about to change.
  mutating func giveUpUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      let sql = save.emptying(uniqueSlots(snapshot, save))
    else { return }
    let statement = try prepared(sql)
    try statement.bind(key, at: 1)
    try statement.run()
  }

  /// Writes the new unique values of a changed row, so that new models meet them.
  mutating func takeUniqueValues(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    let slots = uniqueSlots(snapshot, save)
    guard let key = snapshot.persistentIdentifier.rowKey, !slots.isEmpty,
      !save.statements.columns.contains(where: {
        slots.contains($0.slot) && namesUnknown(snapshot, $0)
      })
    else { return }
    _ = try runUpdate(snapshot, save, slots, key: key)
  }

  func uniqueSlots(_ snapshot: DefaultSnapshot, _ save: EntitySave) -> SlotSet {
    var slots = SlotSet()
    for column in save.statements.lookups.lazy.flatMap(\.columns)
    where snapshot.changedSlots.contains(column.slot) {
      slots.insert(column.slot)
    }
    return slots
  }
}
