import OpenSwiftDataRowStorage

/// What a save tells `RowChanges`, besides the rows that it writes: relationships that have members or partners
/// in other tables.
extension SaveWriter {
  /// Notes where the to-one relationships of a stored row lead before it is written.
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

  /// Once all new models have keys: a partner changes where it was not the partner before.
  mutating func noteMovedLinks() {
    for link in movedLinks {
      let new = destination(of: link.new)
      let isDeleted = deletion.contains(link.row)
      if new == link.old, !isDeleted { continue }
      if let new, !isDeleted { changes.note(link.partner, key: new) }
      // Without a relationship of its own, an old partner has lost nothing.
      if let old = link.old, link.partner.slot != nil { changes.note(link.partner, key: old) }
    }
  }

  /// The partners of new rows.
  mutating func noteLinks(ofNew snapshots: [DefaultSnapshot], _ saves: [EntitySave]) {
    for (place, save) in saves.enumerated() where !save.changes.links.isEmpty {
      guard changes.isNew(RowChanges.Row(root: save.changes.root, key: keys[place])) else {
        continue
      }
      for link in save.changes.links {
        guard let key = destination(of: snapshots[place].value(link.slot)) else { continue }
        changes.note(link.partner, key: key)
      }
    }
  }
}

/// A to-one relationship of a stored row that a save writes.
struct MovedLink {
  let row: RowChanges.Row
  let partner: EntityChanges.Partner
  /// The key of the partner that was stored.
  let old: Int64?
  let new: SnapshotValue
}
