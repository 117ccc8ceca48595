import OpenSwiftDataSQLSyntax

/// The statements that write rows of an entity.
final class EntitySave: Sendable {
  let statements: SaveStatements
  let changes: EntityChanges
  /// Updates a row that is found by its unique values, which it leaves; `nil` if there are no other columns,
  /// or if no statement both finds and writes a row.
  let upsertedUpdate: Update?
  let toMany: [ToManyStatements]
  let keySource: KeySource
  let toOnes: [ToOneLink]
  private let nullifications = BoundedMemo<SlotSet, String?>()
  private let unlinkings = BoundedMemo<SlotSet, String?>()
  private let updates = BoundedMemo<SlotSet, Update?>()
  private let groupInserts = BoundedMemo<Int, String?>()

  /// How a new model gets its key.
  enum KeySource {
    case nextFree
    /// The statement that writes the row also finds an existing row with the same unique values.
    case writing
    /// An existing row with the same unique values is looked up first.
    case lookingUp
  }

  struct Update: Sendable {
    let sql: String
    /// The same, and returns the key of the row.
    let returningSQL: String
    /// The same for many rows, if the database has such a statement.
    let listSQL: String?
    let cells: [SaveStatements.Cell]
    /// The slots that have columns.
    let slots: SlotSet

    fileprivate init(_ statements: SaveStatements, _ columns: [SaveStatements.Column]) {
      sql = statements.update(of: columns)
      returningSQL = statements.update(of: columns, returningKey: true)
      listSQL = statements.listUpdate(of: columns)
      cells = columns.map(\.source)
      var slots = SlotSet()
      for column in columns { slots.insert(column.slot) }
      self.slots = slots
    }
  }

  init(
    _ entity: EntityMapping, constraints: [[String]], mapping: SchemaMapping,
    _ changes: EntityChanges, dialect: SQLDialect
  ) {
    statements = SaveStatements(entity, constraints: constraints, in: dialect)
    self.changes = changes
    let upserted = statements.upsert?.updated ?? []
    upsertedUpdate = upserted.isEmpty ? nil : Update(statements, upserted)
    toMany = entity.properties.compactMap {
      ToManyStatements($0, of: entity, in: mapping, dialect)
    }
    toOnes = entity.properties.compactMap { ToOneLink($0, of: entity, in: mapping, dialect) }
    keySource =
      statements.lookups.isEmpty
      ? .nextFree : statements.upsert == nil ? .lookingUp : .writing
  }

  /// The number of rows that one statement inserts, if there are many. A quarter of the work of a
  /// statement with one row does not depend on the row. Databases limit the number of parameters.
  var groupSize: Int { min(16, 500 / (statements.cells.count + 1)) }

  /// Inserts a group of rows, up to one that a unique index rejects; `nil` if the database has no
  /// such statement.
  var groupInsert: String? {
    groupInserts.value(for: groupSize) { statements.insert(ofRows: groupSize) }
  }

  /// Sets the unique columns of some slots to null in one row; `nil` if there are none.
  func emptying(_ slots: SlotSet) -> String? {
    if slots.isEmpty { return nil }
    return nullifications.value(for: slots) { statements.emptying(slots) }
  }

  /// Sets the to-one relationships among some slots to null in one row; `nil` if there are none.
  func unlinking(_ slots: SlotSet) -> String? {
    unlinkings.value(for: slots) { statements.unlinking(slots) }
  }

  /// Writes the columns of some slots in one row; `nil` if there are none.
  func update(of slots: SlotSet) -> Update? {
    updates.value(for: slots) {
      let columns = statements.columns(of: slots)
      return columns.isEmpty ? nil : Update(statements, columns)
    }
  }

  /// Whether the entity has a unique constraint.
  var isConstrained: Bool { !statements.lookups.isEmpty }

  /// The slots of unique constraints among some slots.
  func uniqueSlots(among slots: SlotSet) -> SlotSet {
    var found = SlotSet()
    for column in statements.lookups.lazy.flatMap(\.columns) where slots.contains(column.slot) {
      found.insert(column.slot)
    }
    return found
  }
}
