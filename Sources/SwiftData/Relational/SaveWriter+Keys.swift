import OpenSwiftDataRowStorage

/// Assigns primary keys to new models.
extension SaveWriter {
  mutating func assign(
    _ key: Int64, to snapshot: DefaultSnapshot, _ index: Int, _ save: EntitySave
  ) {
    keys[index] = key
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

  /// The key after the last one that a save assigned, and after those that other programs assigned
  /// since.
  mutating func firstFreeKey(_ save: EntitySave) throws -> Int64 {
    guard let root = store.mapping.entity(named: save.statements.entity.rootName) else { return 1 }
    let stored = try prepared(store.plans.keys.last).integer(.integer(Int64(root.number))) ?? 0
    let used = try prepared(save.statements.largestKey).integer(.none) ?? 0
    let first = try KeySpace.next(after: max(stored, used), of: save.statements.entity.rootName)
    changes.noteNewRows(of: root.number, from: first)
    return first
  }

  /// Stores the last assigned keys, and completes versions and history.
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

/// The valid keys for new rows.
enum KeySpace {
  /// - Parameter last: The last assigned key; negative keys were written by another program.
  /// - Throws: `SwiftDataError.storeWriteFailure` if the largest key has been reached.
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
