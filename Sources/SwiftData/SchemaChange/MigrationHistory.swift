import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Records the effects of a migration in the history: removed rows as deletions, changed values as
/// updates, in one transaction of the history.
///
/// It reads the tables before the change, so rows have their old keys and entity numbers.
/// `HistoryAdjustment` converts these together with those of earlier changes. Only the bits of
/// properties refer to the changed model immediately.
struct MigrationHistory {
  private let change: SchemaChange

  init(_ change: SchemaChange) { self.change = change }

  /// - Returns: The number of the transaction; `nil` if nothing changes, or the file has no
  ///   history.
  func write(_ session: any SQLSession) throws -> Int64? {
    guard let tables = HistoryTables(in: change.stored.columns) else { return nil }
    var writer = HistoryWriter(
      HistoryStatements(tables, in: change.stored.dialect), session,
      keepsChanges: change.options.keepsHistory, by: EditingState(contextName: contextName))
    var bits = ConditionalBits(change.sql)
    for rows in removedRows { try add(rows, to: &writer, session) }
    for values in change.plan.changedValues where !values.properties.isEmpty {
      try add(updatedRows(values, &bits), to: &writer, session) { try bits.register(on: $0) }
    }
    try writer.finish()
    if let transaction = writer.transaction { try bits.resolve(session, in: transaction) }
    return writer.transaction
  }

  private var contextName: String {
    HistoryTables.Text.migration + (change.options.version.map { " to \($0)" } ?? "")
  }

  // MARK: Rows

  /// Rows of one table of the file for which changes are recorded.
  private struct Rows {
    let type: HistoryTables.ChangeType
    /// The source of the rows in the statement.
    let origin: String
    /// The expression for the bits of changed properties.
    var columns = "NULL"
  }

  private var removedRows: [Rows] {
    change.plan.sources.removed.sorted { $0.key < $1.key }.compactMap { table, numbers in
      guard change.stored.columns[table] != nil else { return nil }
      let list = numbers.sorted().map(String.init).joined(separator: ", ")
      return Rows(
        type: .deleted, origin: "\(table.quotedName) WHERE \(RowTerms.entity) IN (\(list))")
    }
  }

  private func updatedRows(_ values: ChangedValues, _ bits: inout ConditionalBits) -> Rows {
    let condition =
      values.condition == ChangedValues.all ? "" : " AND (\(values.condition))"
    return Rows(
      type: .updated,
      origin: "\(values.table.quotedName) WHERE \(values.rows.condition)\(condition)",
      columns: bits.term(for: values, in: change.new.model))
  }

  private func add(
    _ rows: Rows, to writer: inout HistoryWriter, _ session: any SQLSession,
    preparing prepare: (any SQLSession) throws -> Void = { _ in }
  ) throws {
    guard change.options.keepsHistory else {
      let found = try session.integer("SELECT 1 FROM \(rows.origin) LIMIT 1")
      if found != nil { writer.recordGap() }
      return
    }
    try prepare(session)
    // SQLite continues the keys of a table itself.
    let continues = change.stored.dialect.nextKey != nil
    let first = change.sql.parameter(1)
    let key = continues ? "NULL" : "\(first) + row_number() OVER ()"
    try writer.add(
      """
      INSERT INTO \(HistoryTerms.table) (\(RowTerms.key), \(RowTerms.entity), \
      \(HistoryTerms.type), \(HistoryTerms.entity), \(HistoryTerms.key), \
      \(HistoryTerms.transaction), \(HistoryTerms.columns)) \
      SELECT \(key), \(HistoryTables.Entity.change.rawValue), \
      \(rows.type.rawValue), \(RowTerms.entity), \(RowTerms.key), \
      \(continues ? first : change.sql.parameter(2)), \(rows.columns) \
      FROM \(rows.origin)
      """, [])
  }
}

/// The bits of the changed properties, if they depend on the row.
private struct ConditionalBits {
  /// By entity, the bits of each property.
  private var entities: [[Data]] = []
  /// The entity numbers for which a database without functions has digits in place of the bits.
  private var unresolved: [(number: Int, entity: Int)] = []
  private let sql: ChangeSQL

  init(_ sql: ChangeSQL) { self.sql = sql }

  /// - Returns: A literal if all rows have the same bits, otherwise a call of the function.
  mutating func term(for values: ChangedValues, in model: ModelDescription) -> String {
    let bits = HistoryAdjustment.bits(of: values.rows.current.name, in: model)
    let columns = values.properties.map { property in
      var columns = Data(count: (bits.count + 7) / 8)
      for (index, bit) in bits.enumerated() where bit.property == property.name {
        columns[index / 8] |= 0x80 >> UInt8(index % 8)
      }
      return columns
    }
    if values.properties.count == 1 || values.properties.allSatisfy(\.isInAllRows) {
      return sql.literal(.blob(ConditionalBits.union(columns)), of: .binary)
    }
    entities.append(columns)
    if sql.dialect == .postgreSQL {
      unresolved.append((values.rows.storedNumber, entities.count - 1))
      let digits = values.properties
        .map { "CASE WHEN (\($0.condition)) THEN '1' ELSE '0' END" }.joined(separator: " || ")
      return "convert_to(\(digits), 'UTF8')"
    }
    let digits = values.properties.map { "(\($0.condition))" }.joined(separator: " || ")
    return "\(MigrationFunction.changedBits)(\(entities.count - 1), \(digits))"
  }

  /// The arguments of the function are the index of an entity, and a digit for each property.
  func register(on session: any SQLSession) throws {
    guard let connection = session as? Connection else { return }
    try connection.register(
      function: MigrationFunction.changedBits, argumentCount: 2, deterministic: true
    ) { [entities] arguments in
      .blob(ConditionalBits.bits(arguments.data(1), of: entities[Int(arguments.int64(0))]))
    }
  }

  private static func bits(_ digits: Data, of columns: [Data]) -> Data {
    union(zip(columns, digits).filter { $0.1 == UInt8(ascii: "1") }.map(\.0))
  }

  /// Replaces digits by bits, in the changes of the migration.
  func resolve(_ session: any SQLSession, in transaction: Int64) throws {
    for (number, entity) in unresolved {
      let condition = """
        \(HistoryTerms.transaction) = \(transaction) AND \(HistoryTerms.entity) = \(number) \
        AND \(HistoryTerms.type) = \(HistoryTables.ChangeType.updated.rawValue)
        """
      try HistoryAdjustment.replaceBits(session, sql, where: condition) {
        ConditionalBits.bits($0, of: entities[entity])
      }
    }
  }

  private static func union(_ columns: [Data]) -> Data {
    columns.dropFirst().reduce(columns.first ?? Data()) { union, other in
      Data(zip(union, other).map { $0 | $1 })
    }
  }
}
