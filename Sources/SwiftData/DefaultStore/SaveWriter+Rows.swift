import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLiteEngine

/// Inserting, updating and deleting single rows.
extension SaveWriter {
  mutating func insert(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64
  ) throws {
    try bindRow(snapshot, save, key: key, to: prepared(save.statements.insert)).run()
  }

  @discardableResult
  func bindRow(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64, to statement: Statement
  ) throws -> Statement {
    try statement.bind(key, at: 1)
    var index: Int32 = 2
    for column in save.statements.columns {
      _ = try bind(snapshot, column, to: statement, at: index)
      index += 1
    }
    return statement
  }

  /// Writes a model with unique values in one statement.
  ///
  /// While models are new, an insert that does nothing on a conflict is the cheapest; once one met
  /// its row, the statement that updates it and tells its key is.
  /// - Returns: The key of the row that was written.
  mutating func upsert(_ snapshot: DefaultSnapshot, _ save: EntitySave) throws -> Int64 {
    guard let sql = save.statements.upsert else { return 0 }
    let next = try nextKey(save)
    if !expectsUpsert {
      try bindRow(snapshot, save, key: next, to: prepared(sql.insertOnly)).run()
      if connection.changes > 0 { return next }
      expectsUpsert = true
    }
    let statement = try bindRow(snapshot, save, key: next, to: prepared(sql.insertOrUpdate))
    let key = try statement.step() ? statement.int64(0) : next
    try statement.run()
    expectsUpsert = key != next
    if expectsUpsert { nextKeys[save.statements.entity.rootName] = next }
    return key
  }

  mutating func update(_ snapshot: DefaultSnapshot) throws {
    let save = try plan(of: snapshot)
    guard let key = snapshot.persistentIdentifier.rowKey,
      let found = try runUpdate(snapshot, save, snapshot.changedSlots, key: key)
    else { return }
    if !found {
      throw SwiftDataError.modelValidationFailure.with(
        "The model \(snapshot.persistentIdentifier) was deleted in the store meanwhile. Delete it "
          + "in this context too, or roll back. Nothing of this save was stored.",
        entity: snapshot.descriptor.entityName)
    }
  }

  /// - Returns: Whether the row was there; nil when no column has to be written.
  mutating func runUpdate(
    _ snapshot: DefaultSnapshot, _ save: EntitySave, _ slots: SlotSet, key: Int64
  ) throws -> Bool? {
    guard let update = save.update(of: slots) else { return nil }
    let statement = try prepared(update.sql)
    var index: Int32 = 1
    for column in update.columns {
      _ = try bind(snapshot, column, to: statement, at: index)
      index += 1
    }
    try statement.bind(key, at: index)
    do {
      try statement.run()
    } catch let error as SQLiteError where error.isUniquenessViolation {
      statement.reset()
      throw try collision(of: snapshot, save, key: key) ?? error
    }
    return connection.changes > 0
  }

  /// Old partners of one-to-one relationships forget the row that an upsert leads to.
  mutating func displacePartners(
    of snapshot: DefaultSnapshot, _ save: EntitySave, key: Int64
  ) throws {
    for (slot, sql) in save.displacing where snapshot.setReferences.contains(slot) {
      let statement = try prepared(sql)
      try statement.bind(key, at: 1)
      try statement.run()
    }
  }

  mutating func delete(_ snapshot: DefaultSnapshot) throws {
    guard let key = snapshot.persistentIdentifier.rowKey else { return }
    let save = try plan(of: snapshot)
    for toMany in save.toMany {
      let statement = try prepared(toMany.unlinkAll)
      try statement.bind(key, at: 1)
      try statement.run()
    }
    for sql in save.referring + [save.statements.delete] {
      let statement = try prepared(sql)
      try statement.bind(key, at: 1)
      try statement.run()
    }
  }
}
