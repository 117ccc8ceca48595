import OpenSwiftDataRowStorage

/// Notes related rows in `RowChanges`: relationships whose members are stored in other tables.
extension SaveWriter {
  /// Records the old destinations of a stored row's to-one relationships, before it is written.
  mutating func noteLinks(of snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey else { return }
    try noteLinks(of: snapshot, plan(of: snapshot), snapshot.changedSlots, key: key)
  }

  mutating func noteLinks(
    of snapshot: DefaultSnapshot, _ save: EntitySave, _ slots: SlotSet, key: Int64
  ) throws {
    for link in save.changes.links where slots.contains(link.slot) {
      let old = try prepared(link.stored).integer(.integer(key))
      movedLinks.append(
        MovedLink(
          row: RowChanges.Row(root: save.changes.root, key: key), partner: link.partner, old: old,
          new: snapshot.value(link.slot)))
    }
  }

  /// Called when all new models have keys: notes related rows whose relationship has changed.
  mutating func noteMovedLinks() {
    for link in movedLinks {
      let new = destination(of: link.new)
      let isDeleted = deletion.contains(link.row)
      if new == link.old, !isDeleted { continue }
      if let new, !isDeleted { changes.note(link.partner, key: new) }
      // An old related row without an inverse does not change.
      if let old = link.old, link.partner.slot != nil { changes.note(link.partner, key: old) }
    }
  }

  /// Notes the related rows of new rows.
  mutating func noteLinks(ofNew snapshots: [DefaultSnapshot], _ saves: [EntitySave]) {
    for (index, save) in saves.enumerated() where !save.changes.links.isEmpty {
      guard changes.isNew(RowChanges.Row(root: save.changes.root, key: keys[index])) else {
        continue
      }
      for link in save.changes.links {
        guard let key = destination(of: snapshots[index].value(link.slot)) else { continue }
        changes.note(link.partner, key: key)
      }
    }
  }
}

/// A to-one relationship of a stored row that a save writes.
struct MovedLink {
  let row: RowChanges.Row
  let partner: EntityChanges.Partner
  /// The key of the stored destination.
  let old: Int64?
  let new: SnapshotValue
}
