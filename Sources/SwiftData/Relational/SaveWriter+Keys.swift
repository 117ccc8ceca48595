import OpenSwiftDataSQLSyntax

/// Primary keys for new models, and the rows that have them already.
extension SaveWriter {
  mutating func assign(
    _ key: Int64, to snapshot: DefaultSnapshot, _ place: Int, _ save: EntitySave
  ) {
    keys[place] = key
    guard store.plans.hasRelationships else { return }
    newKeys.assign(
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
    return max(stored, used) + 1
  }

  mutating func storeLastKeys() throws {
    for (root, next) in nextKeys {
      guard let entity = store.mapping.entity(named: root) else { continue }
      try prepared(store.plans.keys.storeLast).run(.pair(next - 1, Int64(entity.number)))
    }
  }

  /// The row that has the same values in a uniqueness constraint; constraints in their order.
  mutating func existingRow(
    like snapshot: DefaultSnapshot, _ save: EntitySave
  ) throws -> Int64? {
    for lookup in save.statements.lookups {
      if let found = try row(like: snapshot, lookup) { return found }
    }
    return nil
  }

  /// The row that has the same values in one uniqueness constraint; a null equals nothing.
  mutating func row(
    like snapshot: DefaultSnapshot, _ lookup: SaveStatements.Lookup
  ) throws -> Int64? {
    let values = RowValues(snapshot: snapshot, columns: lookup.columns, keys: newKeys)
    return values.hasNull ? nil : try prepared(lookup.sql).integer(.row(values))
  }
}

/// The statements on the table that keeps the last used key of each entity.
struct KeyStatements: Sendable {
  /// The last key of the entity whose number is parameter 0.
  let last: String
  /// Stores parameter 0 as the last key of the entity whose number is parameter 1.
  let storeLast: String

  init(in dialect: SQLDialect) {
    func isEntity(_ parameter: Int) -> SQLExpression {
      .binary(.column(table: nil, name: EntityTable.number), .equal, .parameter(parameter))
    }
    last =
      Select(
        [.column(table: nil, name: EntityTable.lastKey)],
        from: TableReference(EntityTable.name), where: isEntity(0)
      ).rendered(in: dialect).sql
    storeLast =
      Update(
        EntityTable.name, set: [Assignment(EntityTable.lastKey, .parameter(0))],
        where: isEntity(1)
      ).rendered(in: dialect).sql
  }
}
