import OpenSwiftDataSQLSyntax

/// A query before the change: counts the values that it deletes.
struct LossCheck: Hashable, Sendable {
  let entity: String
  let property: String?
  let type: String
  /// A statement that counts the values.
  let count: String
  /// The column, if it belongs to no property.
  let object: String?

  init(
    _ entity: String, _ property: String?, _ type: String, count: String, object: String? = nil
  ) {
    self.entity = entity
    self.property = property
    self.type = type
    self.count = count
    self.object = object
  }

  /// - Parameter condition: The condition on rows of the table.
  init(
    _ entity: String, _ property: String?, _ type: String, table: String, condition: String
  ) {
    self.init(
      entity, property, type,
      count: "SELECT count(*) FROM \(table.quotedName) WHERE \(condition)")
  }

  /// - Returns: `nil` if there are none.
  func loss(_ session: any SQLSession) throws -> MigrationLoss? {
    let count = try session.integer(count) ?? 0
    if count == 0 { return nil }
    return MigrationLoss(
      entity: entity, property: property, type: type, valueCount: Int(count), object: object)
  }
}
