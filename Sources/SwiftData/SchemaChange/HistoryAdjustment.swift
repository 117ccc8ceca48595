import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Adjusts the history of a file after its tables have changed: entity numbers, keys of rows, bits
/// of changed properties, and preserved values.
struct HistoryAdjustment {
  private let change: SchemaChange
  /// The transaction of the change itself, whose bits already refer to the changed model.
  private let migration: Int64?

  init(_ change: SchemaChange, except migration: Int64?) {
    self.change = change
    self.migration = migration
  }

  /// - Returns: The entities that only the history contains now, by their numbers there.
  func run(_ session: any SQLSession) throws -> [Int: String] {
    var removed = change.stored.modelMetadata?.removedEntities ?? [:]
    if HistoryTables.areMissing(in: change.stored.columns) {
      try change.target.creation.createHistory(session, change.stored.dialect)
      return removed
    }
    guard let tables = HistoryTables(in: change.stored.columns) else { return removed }
    let needed = change.target.creation.tombstoneCount
    for index in tables.tombstoneCount..<max(tables.tombstoneCount, needed) {
      try session.execute(
        "ALTER TABLE \(table) ADD COLUMN \(HistoryTables.Change.tombstone(index).quotedName) "
          + SQLType.blob.columnName(in: change.stored.dialect))
    }
    var bits: [Int: [Int?]] = [:]
    var moved: [String] = []
    for entity in change.old.model.entities {
      guard let number = change.old.numbers[entity.name] else { continue }
      let successor = change.counterparts.successor(of: entity.name)
      if let successor {
        let bitIndices = HistoryAdjustment.bitIndices(
          entity.name, successor.name, change.counterparts)
        if bitIndices != bitIndices.indices.map({ $0 }) { bits[number] = bitIndices }
        try movePreserved(entity.name, successor.name, number, session)
      }
      let current: Int
      if let successor {
        current = change.new.numbers[successor.name] ?? number
      } else {
        current = HistoryAdjustment.unusedNumber(removed)
        removed[current] = entity.name
      }
      let offset =
        successor.map {
          change.plan.offset(
            from: change.old.table(of: entity.name), to: change.new.table(of: $0.name))
        } ?? 0
      if current != number || offset != 0 { moved.append("(\(number), \(current), \(offset))") }
    }
    try moveBits(bits, session)
    if moved.isEmpty { return removed }
    let keys = [HistoryTerms.key] + (tables.hasRanges ? [HistoryTerms.firstKey] : [])
    let shifts = keys.map { "\($0) = \($0) + moved.shift" }.joined(separator: ", ")
    try session.execute(
      """
      WITH moved (earlier, later, shift) AS (VALUES \(moved.joined(separator: ", "))) \
      UPDATE \(table) SET \(shifts), \
      \(HistoryTerms.entity) = moved.later \
      FROM moved WHERE \(HistoryTerms.entity) = moved.earlier
      """)
    return removed
  }

  private var table: String { HistoryTerms.table }

  /// An unused number for the changes of a removed entity.
  private static func unusedNumber(_ removed: [Int: String]) -> Int {
    (removed.keys.min() ?? EntityNumbering.reserved) - 1
  }

  // MARK: Bits

  /// For each bit of an earlier entity, the bit of the same property now.
  static func bitIndices(
    _ earlier: String, _ current: String, _ counterparts: ModelCounterparts
  ) -> [Int?] {
    let now = bits(of: current, in: counterparts.current)
    return bits(of: earlier, in: counterparts.stored).map { bit in
      guard let property = counterparts.successor(of: bit.property, of: earlier) else { return nil }
      return now.firstIndex { $0.property == property && $0.path == bit.path }
        ?? now.firstIndex { $0.property == property }
    }
  }

  struct Bit {
    let property: String
    let path: [String]
  }

  /// To-one relationships, attributes column by column, to-many relationships; each sorted by name.
  static func bits(of entity: String, in model: ModelDescription) -> [Bit] {
    var (toOne, attributes, toMany): ([Bit], [Bit], [Bit]) = ([], [], [])
    for property in model.properties(of: entity) where property.isStored {
      switch property {
      case .attribute(let attribute):
        attributes += attribute.paths.map { Bit(property: attribute.name, path: $0.path) }
      case .relationship(let relationship):
        let bit = Bit(property: relationship.name, path: [])
        if relationship.isToMany { toMany.append(bit) } else { toOne.append(bit) }
      case .fetched: continue
      }
    }
    return toOne + attributes + toMany
  }

  private func moveBits(_ bits: [Int: [Int?]], _ session: any SQLSession) throws {
    if bits.isEmpty { return }
    guard let connection = session as? Connection else {
      for (number, bitIndices) in bits.sorted(by: { $0.key < $1.key }) {
        let condition = """
          \(HistoryTerms.entity) = \(number) AND \(HistoryTerms.transaction) \
          \(change.stored.dialect.isNotSame) \(migration.map(String.init) ?? "NULL")
          """
        try HistoryAdjustment.replaceBits(session, change.sql, where: condition) {
          HistoryAdjustment.moved($0, bitIndices)
        }
      }
      return
    }
    try connection.register(
      function: MigrationFunction.movedBits, argumentCount: 2, deterministic: true
    ) { arguments in
      guard let bitIndices = bits[Int(arguments.int64(0))] else { return .blob(arguments.data(1)) }
      return .blob(HistoryAdjustment.moved(arguments.data(1), bitIndices))
    }
    let numbers = bits.keys.sorted().map(String.init).joined(separator: ", ")
    try session.execute(
      """
      UPDATE \(table) SET \(HistoryTerms.columns) = \
      \(MigrationFunction.movedBits)(\(HistoryTerms.entity), \
      \(HistoryTerms.columns)) WHERE \(HistoryTerms.columns) IS NOT NULL \
      AND \(HistoryTerms.entity) IN (\(numbers)) \
      AND \(HistoryTerms.transaction) IS NOT \(migration.map(String.init) ?? "NULL")
      """)
  }

  private static func moved(_ earlier: Data, _ bitIndices: [Int?]) -> Data {
    var moved = Data(count: ((bitIndices.compactMap(\.self).max() ?? 0) + 8) / 8)
    for (bit, place) in bitIndices.enumerated() where bit / 8 < earlier.count {
      guard let place, earlier[earlier.startIndex + bit / 8] & (0x80 >> UInt8(bit % 8)) != 0
      else { continue }
      moved[place / 8] |= 0x80 >> UInt8(place % 8)
    }
    return moved
  }

  /// Replaces the bits of changes in a database that cannot call Swift code. The changes of one
  /// entity have few different bits.
  static func replaceBits(
    _ session: any SQLSession, _ sql: ChangeSQL, where condition: String,
    _ replacement: (Data) -> Data
  ) throws {
    let known = try session.statement(
      """
      SELECT DISTINCT \(HistoryTerms.columns) FROM \(HistoryTerms.table) \
      WHERE \(HistoryTerms.columns) IS NOT NULL AND \(condition)
      """
    ).values(.none)
    let pairs = known.compactMap { row -> String? in
      guard case .blob(let bits)? = row.first else { return nil }
      func literal(_ bits: Data) -> String { sql.literal(.blob(bits), of: .binary) }
      return "(\(literal(bits)), \(literal(replacement(bits))))"
    }
    if pairs.isEmpty { return }
    // One statement, so that a replaced value is not replaced again.
    try session.execute(
      """
      UPDATE \(HistoryTerms.table) SET \(HistoryTerms.columns) = replaced.later \
      FROM (VALUES \(pairs.joined(separator: ", "))) AS replaced (earlier, later) \
      WHERE \(HistoryTerms.columns) = replaced.earlier AND \(condition)
      """
    )
  }

  // MARK: Preserved values

  private func movePreserved(
    _ earlier: String, _ current: String, _ number: Int, _ session: any SQLSession
  ) throws {
    let before = HistoryAdjustment.preserved(earlier, in: change.old.model)
    let now = HistoryAdjustment.preserved(current, in: change.new.model)
    let bitIndices = now.map { bit -> Int? in
      guard let place = change.counterparts.property(bit.property, of: current) else { return nil }
      return before.firstIndex { $0.property == place.property.name && $0.path == bit.path }
    }
    let count = max(before.count, now.count)
    if bitIndices == (0..<count).map({ $0 }) { return }
    let terms = (0..<count).map { index in
      let source = index < bitIndices.count ? bitIndices[index] : nil
      let value = source.map { HistoryTables.Change.tombstone($0).quotedName } ?? "NULL"
      return "\(HistoryTables.Change.tombstone(index).quotedName) = \(value)"
    }
    if terms.isEmpty { return }
    try session.execute(
      """
      UPDATE \(table) SET \(terms.joined(separator: ", ")) \
      WHERE \(HistoryTerms.entity) = \(number) AND \(HistoryTerms.type) = 2
      """)
  }

  private static func preserved(_ entity: String, in model: ModelDescription) -> [Bit] {
    model.properties(of: entity).compactMap(\.attribute)
      .filter { $0.preservesValueOnDeletion && !$0.isTransient }
      .flatMap { attribute in
        attribute.paths.map { Bit(property: attribute.name, path: $0.path) }
      }
  }
}
