import OpenSwiftDataSQLSyntax

/// The statements for the last assigned key of each entity.
struct KeyStatements: Sendable {
  /// Reads the last key of the entity whose number is parameter 0.
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
