import OpenSwiftDataSQLSyntax

/// A query before the change: finds rows that would lose values or be invalid.
struct ChangeCheck: Hashable, Sendable {
  let entity: String
  let property: String?
  let from: String
  let to: String
  let reason: String
  let advice: String
  /// A query for the keys of these rows.
  let keys: String
  /// A faster query that returns a row if there are any; `nil` if there is none.
  let probe: String?
  let remedy: MigrationProblem.Remedy
  /// The entity of the file that has the rows; `nil` for the counterpart of `entity`.
  let storedEntity: String?

  /// - Parameter condition: The condition on rows of the table.
  init(
    _ entity: String, _ property: String?, from: String, to: String, reason: String,
    advice: String, _ remedy: MigrationProblem.Remedy, table: String, condition: String,
    probe: String? = nil
  ) {
    self.init(
      entity, property, from: from, to: to, reason: reason, advice: advice, remedy,
      keys: "SELECT \(RowTerms.key) FROM \(table.quotedName) WHERE \(condition)", probe: probe)
  }

  init(
    _ entity: String, _ property: String?, from: String, to: String, reason: String,
    advice: String, _ remedy: MigrationProblem.Remedy, keys: String, probe: String? = nil,
    storedEntity: String? = nil
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
    self.storedEntity = storedEntity
  }

  /// The same for rows that another check does not find.
  func besides(_ other: ChangeCheck) -> ChangeCheck {
    ChangeCheck(
      entity, property, from: from, to: to, reason: reason, advice: advice, remedy,
      keys: "SELECT \(RowTerms.key) FROM (\(keys) EXCEPT \(other.keys)) AS R", probe: probe,
      storedEntity: storedEntity)
  }

  /// - Parameter counterpart: The name of the entity in the file.
  /// - Returns: `nil` if there are no such rows.
  func problem(
    _ session: any SQLSession, counterpart: String
  ) throws -> MigrationProblem? {
    if let probe, try session.integer(probe) == nil { return nil }
    guard let rows = try FoundRows(keys, in: session) else { return nil }
    return MigrationProblem(
      entity: entity, property: property, from: from, to: to, reason: reason, rowCount: rows.count,
      examples: rows.examples, advice: advice, remedy: remedy,
      storedEntity: storedEntity ?? counterpart)
  }
}
