import OpenSwiftDataRowStorage

/// Primary keys for new models.
extension SaveWriter {
  mutating func assign(
    _ key: Int64, to snapshot: DefaultSnapshot, _ place: Int, _ save: EntitySave
  ) {
    keys[place] = key
    guard store.plans.hasRelationships else { return }
    insertedKeys.assign(
      key, entity: save.statements.entity.number, to: snapshot.persistentIdentifier)
  }

  mutating func nextKey(_ save: EntitySave) throws -> Int64 {
    let entity = save.statements.entity
    let next = try nextKeys[entity.rootName] ?? firstFreeKey(save)
    guard next <= PackedKey.largestKey else { throw KeySpace.exhausted(entity.rootName) }
    nextKeys[entity.rootName] = next + 1
    return next
  }

  /// Behind the last key that a save used, and behind those that other programs used since.
  mutating func firstFreeKey(_ save: EntitySave) throws -> Int64 {
    guard let root = store.mapping.entity(named: save.statements.entity.rootName) else { return 1 }
    let stored = try prepared(store.plans.keys.last).integer(.integer(Int64(root.number))) ?? 0
    let used = try prepared(save.statements.largestKey).integer(.none) ?? 0
    let first = try KeySpace.next(after: max(stored, used), of: save.statements.entity.rootName)
    changes.noteNewRows(of: root.number, from: first)
    return first
  }

  /// Ends the books of the save.
  mutating func storeLastKeys() throws {
    var ends: [Int: Int64] = [:]
    for (root, next) in nextKeys {
      guard let entity = store.mapping.entity(named: root) else { continue }
      ends[entity.number] = next
      try prepared(store.plans.keys.storeLast).run(.pair(next - 1, Int64(entity.number)))
    }
    try changes.finish(newKeys: ends)
  }
}

/// The keys that there are for new rows.
enum KeySpace {
  /// - Parameter last: The last key that was used; what is below 0 another program has written.
  /// - Throws: `SwiftDataError.storeWriteFailure` behind the largest one.
  static func next(after last: Int64, of entity: String? = nil) throws -> Int64 {
    guard last < PackedKey.largestKey else { throw exhausted(entity) }
    return max(last, 0) + 1
  }

  static func exhausted(_ entity: String?) -> SwiftDataError {
    .storeWriteFailure.with(
      "No key is left for new rows; nothing of this save was stored. Another program has given the largest "
        + "one to a row, or noted it as the last one (Z_MAX in Z_PRIMARYKEY): correct it there.",
      doing: "choosing keys for new rows", entity: entity)
  }
}
