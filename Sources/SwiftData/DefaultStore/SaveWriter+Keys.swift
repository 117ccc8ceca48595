import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLiteEngine

/// Primary keys for new models, and the rows that have them already.
extension SaveWriter {
  mutating func assign(
    _ key: Int64, to snapshot: DefaultSnapshot, _ place: Int, _ save: EntitySave
  ) {
    keys[place] = key
    guard store.plans.hasRelationships else { return }
    keysByScope[ObjectIdentifier(snapshot.persistentIdentifier.id.scope)] = (
      key, save.statements.entity.number
    )
  }

  mutating func nextKey(_ save: EntitySave) throws -> Int64 {
    let entity = save.statements.entity
    let next = try nextKeys[entity.rootName] ?? firstFreeKey(of: entity)
    nextKeys[entity.rootName] = next + 1
    return next
  }

  func firstFreeKey(of entity: EntityMapping) throws -> Int64 {
    guard let root = store.mapping.entity(named: entity.rootName) else { return 1 }
    let stored =
      try connection.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number)") ?? 0
    let used = try connection.integer("SELECT max(Z_PK) FROM \"\(root.table)\"") ?? 0
    return max(stored, used) + 1
  }

  mutating func storeLastKeys() throws {
    for (root, next) in nextKeys {
      guard let entity = store.mapping.entity(named: root) else { continue }
      try connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(next - 1) WHERE Z_ENT = \(entity.number)")
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
    let statement = try prepared(lookup.sql)
    var hasNull = false
    for (index, column) in lookup.columns.enumerated() {
      let isNull = try bind(snapshot, column, to: statement, at: Int32(index + 1))
      hasNull = hasNull || isNull
    }
    if hasNull { return nil }
    let found = try statement.step() ? statement.int64(0) : nil
    statement.reset()
    return found
  }
}
