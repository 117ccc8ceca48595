import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

/// A question to the file before it is changed: are there rows that the change would lose values of?
struct ChangeCheck: Hashable, Sendable {
  let entity: String
  let property: String?
  let from: String
  let to: String
  let reason: String
  let advice: String
  /// A statement that gives the keys of the rows that stand in the way.
  let keys: String
  /// A cheaper statement that gives a row where there are any; `nil` where there is none.
  let probe: String?
  let remedy: MigrationProblem.Remedy

  /// - Parameter condition: The condition on rows of the table.
  init(
    _ entity: String, _ property: String?, from: String, to: String, reason: String,
    advice: String, _ remedy: MigrationProblem.Remedy, table: String, condition: String
  ) {
    self.init(
      entity, property, from: from, to: to, reason: reason, advice: advice, remedy,
      keys: "SELECT \(RowColumns.key) FROM \(table.quotedName) WHERE \(condition)")
  }

  init(
    _ entity: String, _ property: String?, from: String, to: String, reason: String,
    advice: String, _ remedy: MigrationProblem.Remedy, keys: String, probe: String? = nil
  ) {
    self.entity = entity
    self.property = property
    self.from = from
    self.to = to
    self.reason = reason
    self.advice = advice
    self.keys = keys
    self.probe = probe
    self.remedy = remedy
  }

  /// - Parameter storedEntity: What the file calls the entity.
  /// - Returns: `nil` where no row stands in the way.
  func problem(_ connection: Connection, storedEntity: String) throws -> MigrationProblem? {
    if let probe, try connection.integer(probe) == nil { return nil }
    let rows = try connection.prepare(keys)
    defer { rows.reset() }
    var count = 0
    var examples: [String] = []
    while try rows.step() {
      count += 1
      if examples.count < 3 { examples.append("p\(rows.int64(0))") }
    }
    if count == 0 { return nil }
    return MigrationProblem(
      entity: entity, property: property, from: from, to: to, reason: reason, rowCount: count,
      examples: examples, advice: advice, remedy: remedy, storedEntity: storedEntity)
  }
}
