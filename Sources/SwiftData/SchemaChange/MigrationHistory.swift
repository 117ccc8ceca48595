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
  func write(_ connection: Connection) throws -> Int64? {
    guard let tables = HistoryTables(in: change.stored.columns) else { return nil }
    var writer = HistoryWriter(
      HistoryStatements(tables, in: .sqlite), connection,
      keepsChanges: change.options.keepsHistory, by: EditingState(contextName: contextName))
    var bits = ConditionalBits()
    for rows in removedRows { try add(rows, to: &writer, connection) }
    for values in change.plan.changedValues where !values.properties.isEmpty {
      try add(updatedRows(values, &bits), to: &writer, connection) { try bits.register(on: $0) }
    }
    try writer.finish()
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
        type: .deleted, origin: "\(table.quotedName) WHERE \(RowColumns.entity) IN (\(list))")
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
    _ rows: Rows, to writer: inout HistoryWriter, _ connection: Connection,
    preparing prepare: (Connection) throws -> Void = { _ in }
  ) throws {
    guard change.options.keepsHistory else {
      let found = try connection.integer("SELECT 1 FROM \(rows.origin) LIMIT 1")
      if found != nil { writer.recordGap() }
      return
    }
    try prepare(connection)
    typealias Change = HistoryTables.Change
    try writer.add(
      """
      INSERT INTO \(HistoryTables.Entity.change.table) (\(RowColumns.key), \(RowColumns.entity), \
      \(Change.type), \(Change.entity), \(Change.key), \(Change.transaction), \(Change.columns)) \
      SELECT NULL, \(HistoryTables.Entity.change.rawValue), \
      \(rows.type.rawValue), \(RowColumns.entity), \(RowColumns.key), ?1, \(rows.columns) \
      FROM \(rows.origin)
      """, [])
  }
}

/// The bits of the changed properties, if they depend on the row.
private struct ConditionalBits {
  /// By entity, the bits of each property.
  private var entities: [[Data]] = []

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
      return _StoredValue.blob(ConditionalBits.union(columns)).literal
    }
    entities.append(columns)
    let digits = values.properties.map { "(\($0.condition))" }.joined(separator: " || ")
    return "\(MigrationFunction.changedBits)(\(entities.count - 1), \(digits))"
  }

  /// The arguments of the function are the index of an entity, and a digit for each property.
  func register(on connection: Connection) throws {
    try connection.register(
      function: MigrationFunction.changedBits, argumentCount: 2, deterministic: true
    ) { [entities] arguments in
      let changed = zip(entities[Int(arguments.int64(0))], arguments.data(1))
        .filter { $0.1 == UInt8(ascii: "1") }
      return .blob(ConditionalBits.union(changed.map(\.0)))
    }
  }

  private static func union(_ columns: [Data]) -> Data {
    columns.dropFirst().reduce(columns.first ?? Data()) { union, other in
      Data(zip(union, other).map { $0 | $1 })
    }
  }
}
