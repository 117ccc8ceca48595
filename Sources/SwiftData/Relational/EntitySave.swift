import OpenSwiftDataSQLSyntax
import Synchronization

/// How rows of an entity are written.
final class EntitySave: Sendable {
  let statements: SaveStatements
  let toMany: [ToManyStatements]
  let keySource: KeySource
  /// Empties the to-one columns of others that name a deleted row and have no inverse to tell them.
  let referring: [String]
  /// Frees the old partners of one-to-one relationships when an upsert brings new ones, by slot.
  let displacing: [Int: String]
  private let emptyings = Mutex<[SlotSet: String?]>([:])
  private let updates = Mutex<[SlotSet: Update?]>([:])

  /// Where the key of a new model comes from.
  enum KeySource {
    case nextFree
    /// The statement that writes the row finds the row with the same unique values.
    case writing
    /// The row with the same unique values is looked up first.
    case lookingUp
  }

  struct Update: Sendable {
    let sql: String
    let columns: [SaveStatements.Column]
  }

  init(
    _ entity: EntityMapping, constraints: [[String]], mapping: SchemaMapping, dialect: SQLDialect
  ) {
    statements = SaveStatements(entity, constraints: constraints, in: dialect)
    toMany = entity.properties.compactMap { ToManyStatements($0, in: dialect) }
    referring = ReferringColumns(to: entity, in: mapping, dialect: dialect).emptying
    displacing = DisplacingColumns(of: entity, in: mapping, dialect: dialect).emptying
    keySource =
      statements.lookups.isEmpty
      ? .nextFree : statements.upsert == nil ? .lookingUp : .writing
  }

  /// Sets the unique columns of some slots to null in one row; `nil` when there are none.
  func emptying(_ slots: SlotSet) -> String? {
    if slots.isEmpty { return nil }
    return emptyings.withLock { known in
      if let sql = known[slots] { return sql }
      let made = statements.emptying(slots)
      known[slots] = .some(made)
      return made
    }
  }

  func update(of slots: SlotSet) -> Update? {
    updates.withLock { known in
      if let update = known[slots] { return update }
      let made = statements.update(of: slots).map { Update(sql: $0.sql, columns: $0.columns) }
      known[slots] = .some(made)
      return made
    }
  }
}
