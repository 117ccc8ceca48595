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
    nextKeys[entity.rootName] = next + 1
    return next
  }

  /// Behind the last key that a save used, and behind those that other programs used since.
  mutating func firstFreeKey(_ save: EntitySave) throws -> Int64 {
    guard let root = store.mapping.entity(named: save.statements.entity.rootName) else { return 1 }
    let stored = try prepared(store.plans.keys.last).integer(.integer(Int64(root.number))) ?? 0
    let used = try prepared(save.statements.largestKey).integer(.none) ?? 0
    let first = max(stored, used) + 1
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
