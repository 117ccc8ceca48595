import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import Synchronization

/// Adjusts identifiers that rows have as values, after models have got other names, or rows have moved to a table
/// in which they have other keys.
///
/// It concerns attributes that are stored whole and parts of structs and enums, with all identifiers in them: also
/// large values in files, and values that the history preserves. Values of a transformer are left as they are.
struct IdentifierAdjustment {
  private let change: SchemaChange
  private let external: ExternalFiles?
  private let successors: Successors

  /// A column whose values may contain identifiers.
  private struct Column {
    let name: String
    /// The type of the values, without `Optional`.
    let type: any Decodable.Type
    /// Whether the values are archives. Parts of composites are JSON.
    let isArchived: Bool
    /// Whether the values have tags, because large ones are in files.
    let isTagged: Bool
    /// Whether two rows may not have the same value.
    var isUnique = false
  }

  /// The rows of one entity, in its table or in the history.
  private struct Rows {
    let table: String
    let condition: String
    /// Whether the values have the form of preserved ones.
    var arePreserved = false
  }

  init(_ change: SchemaChange, external: ExternalFiles?) {
    self.change = change
    self.external = external
    successors = Successors(change)
  }

  /// The lowest key that identifiers of deleted rows have after the adjustment.
  var lowestKey: Int64 { successors.lowestKey }

  /// Called after the history has been adjusted.
  func run(_ session: any SQLSession) throws {
    guard !successors.isEmpty, let mapping = change.target.mapping else { return }
    let hasHistory = HistoryTables(in: change.stored.columns) != nil
    for entity in mapping.entities {
      let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
      let rows = Rows(
        table: entity.table.quotedName, condition: "\(RowTerms.entity) IN (\(numbers))")
      for slot in entity.ownSlots {
        for column in columns(of: entity.properties[slot], in: entity, change.new.model) {
          guard var column else { continue }
          column.isUnique = change.new.model.isUnique(entity.properties[slot].name, of: entity.name)
          try adjust(column, column.name, of: rows, session)
        }
      }
      if !hasHistory { continue }
      let preserved = entity.preservedProperties.flatMap {
        columns(of: $0.property, in: entity, change.new.model)
      }
      for (index, column) in preserved.enumerated() {
        guard let column else { continue }
        try adjust(
          column, HistoryTables.Change.tombstone(index),
          of: Rows(
            table: HistoryTerms.table,
            condition: "\(HistoryTerms.entity) = \(entity.number) AND \(HistoryTerms.type) = 2",
            arePreserved: true), session)
      }
    }
  }

  /// The properties in the old tables, which are not adjusted, whose values contain identifiers: `Mark.target`.
  func earlierProperties(
    _ mapping: SchemaMapping, _ session: any SQLSession
  ) throws -> [String] {
    try mapping.entities.flatMap { entity in
      let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
      return try entity.ownSlots.map { entity.properties[$0] }.filter { property in
        try columns(of: property, in: entity, change.old.model).contains { column in
          guard let column else { return false }
          let name = column.name.quotedName
          let condition =
            column.isTagged ? "\(name) IS NOT NULL" : change.sql.contains(name, Self.mark)
          return try session.integer(
            """
            SELECT 1 FROM \(entity.table.quotedName) \
            WHERE \(RowTerms.entity) IN (\(numbers)) AND \(condition) LIMIT 1
            """) != nil
        }
      }.map { "\(entity.name).\($0.name)" }
    }
  }

  /// For each column of a property, how its values are stored; `nil` if they can't contain identifiers.
  private func columns(
    of property: PropertyMapping, in entity: EntityMapping, _ model: ModelDescription
  ) -> [Column?] {
    let declared = entity.descriptor.properties[property.slot]
    switch property.kind {
    case .attribute(let column):
      guard isStoredWhole(declared),
        model.property(declared.name, of: entity.name)?.property.attribute?.scalarListType == nil,
        let type = property.valueType as? any Decodable.Type
      else { return [nil] }
      return [
        Column(
          name: column.name, type: type, isArchived: true,
          isTagged: declared.isExternallyStored)
      ]
    case .composite(let leaves):
      return leaves.map { leaf in
        guard leaf.leaf.form == .encoded, let type = leaf.leaf.valueType as? any Decodable.Type
        else { return nil }
        return Column(name: leaf.column.name, type: type, isArchived: false, isTagged: false)
      }
    case .toOne, .toMany, .ephemeral: return []
    }
  }

  private func isStoredWhole(_ property: ModelProperty) -> Bool {
    switch property.form {
    case .attribute(.encoded), .transformable(nil): true
    case .attribute, .transformable, .toOne, .toMany: false
    }
  }

  // MARK: Rows

  /// Values of unique columns get a prefix first: until all are written, a new one may be the earlier one of
  /// another row.
  private func adjust(
    _ column: Column, _ name: String, of rows: Rows, _ session: any SQLSession
  ) throws {
    let name = name.quotedName
    // The name of a file does not tell what is in it.
    let filter = column.isTagged ? "" : " AND \(change.sql.contains(name, Self.mark))"
    let found = "FROM \(rows.table) WHERE \(rows.condition) AND \(name) IS NOT NULL\(filter)"
    let sizes = try session.statement(
      """
      SELECT \(RowTerms.key), length(\(name)) \(found) AND \(RowTerms.key) > \(change.sql.parameter(1)) \
      ORDER BY \(RowTerms.key) LIMIT 5000
      """)
    let selection = try session.statement(
      """
      SELECT \(RowTerms.key), \(name) \(found) AND \(RowTerms.key) BETWEEN \(change.sql.parameter(1)) \
      AND \(change.sql.parameter(2))
      """)
    let update = try session.statement(
      """
      UPDATE \(rows.table) SET \(name) = \(change.sql.parameter(1)) \
      WHERE \(RowTerms.key) = \(change.sql.parameter(2))
      """)
    var last = Int64.min
    while true {
      let portions = IdentifierAdjustment.portions(of: try sizes.values(.integer(last)))
      for portion in portions {
        for row in try selection.values(.pair(portion.lowerBound, portion.upperBound)) {
          guard case .integer(let key) = row[0], case .blob(let bytes) = row[1],
            let value = try rows.arePreserved
              ? preserved(bytes, column) : stored(bytes, column)
          else { continue }
          let prefix = column.isUnique ? Self.prefix : Data()
          _ = try update.run(.values([.blob(prefix + value), .integer(key)]))
        }
      }
      guard let end = portions.last?.upperBound else { break }
      last = end
    }
    if !column.isUnique { return }
    let prefix = change.sql.literal(.blob(Self.prefix), of: .binary)
    try session.execute(
      """
      UPDATE \(rows.table) SET \(name) = substr(\(name), \(Self.prefix.count + 1)) \
      WHERE substr(\(name), 1, \(Self.prefix.count)) = \(prefix)
      """)
  }

  /// Divides rows so that the values of a portion need little memory at a time.
  /// - Parameter rows: The key of each row and the size of its value.
  /// - Returns: The first and the last key of each portion.
  private static func portions(of rows: [[_StoredValue]]) -> [ClosedRange<Int64>] {
    var portions: [ClosedRange<Int64>] = []
    var size: Int64 = 0
    for row in rows {
      guard case .integer(let key) = row[0], case .integer(let length) = row[1] else { continue }
      size += length
      if let first = portions.last?.lowerBound, size <= 4_000_000 {
        portions[portions.count - 1] = first...key
      } else {
        portions.append(key...key)
        size = length
      }
    }
    return portions
  }

  private static let prefix = Data("\0swift_migration\0".utf8)

  /// A part of every encoded identifier.
  private static let mark = Data("primaryKey".utf8)

  // MARK: Values

  /// The new value of a column; `nil` if the value stays.
  private func stored(_ bytes: Data, _ column: Column) throws -> Data? {
    guard column.isTagged else { return adjusted(bytes, column) }
    func tagged(_ value: Data) -> Data { Data([TaggedValue.valueTag]) + value }
    let (content, name): (Data?, String?) = try bytes.withUnsafeBytes { bytes in
      switch TaggedValue(bytes) {
      case .value(let value): return (Data(value), nil)
      case .name(let name):
        let name = String(decoding: name, as: UTF8.self)
        return (try external?.content(named: name), name)
      }
    }
    guard let value = content.flatMap({ adjusted($0, column) }) else { return nil }
    if let name { external?.recordDropped(name) }
    // Unique values stay in rows, as those of a save: a constraint would compare the names of files.
    guard let external, !column.isUnique, value.count > external.threshold else {
      return tagged(value)
    }
    return Data([TaggedValue.nameTag]) + Data(try external.write([value])[0].utf8) + Data([0])
  }

  /// The new value of a column of the history, in which a server has another form of bytes.
  private func preserved(_ bytes: Data, _ column: Column) throws -> Data? {
    guard change.stored.dialect == .postgreSQL else { return try stored(bytes, column) }
    guard case .blob(let value)? = PreservedBytes.value(of: bytes) else { return nil }
    return try stored(value, column).flatMap { PreservedBytes.bytes(of: .blob($0)) }
  }

  private func adjusted(_ bytes: Data, _ column: Column) -> Data? {
    if bytes.range(of: Self.mark) == nil { return nil }
    let isChanged = Flag()
    let value = PersistentIdentifier.$decoded.withValue({ [successors] identifier in
      guard let now = successors.identifier(identifier) else { return identifier }
      isChanged.raise()
      return now
    }) {
      column.isArchived
        ? ValueDecoding.encoded(column.type, bytes: bytes)
        : try? EncodedCoding.decode(column.type, from: bytes)
    }
    guard isChanged.isRaised, let value = value as? any Encodable else { return nil }
    return column.isArchived
      ? try? ArchivedCoding.encode(value) : try? EncodedCoding.encode(value)
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }

    func raise() { value.store(true, ordering: .relaxed) }
  }
}

/// The identifiers of rows after a change.
private struct Successors: Sendable {
  private let store: String
  /// By entity of the file whose rows have another name or other keys now.
  private var moved: [String: (entity: String, offset: Int64)] = [:]
  /// The entities whose names belonged to removed ones before, and which have rows of others, with the key below
  /// which identifiers of rows of the removed one get theirs.
  private var reused: [String: Int64] = [:]
  private(set) var lowestKey: Int64

  init(_ change: SchemaChange) {
    store = change.stored.identifier
    lowestKey = change.stored.modelMetadata?.lowestKeyOfDeletedRows ?? 0
    for entity in change.old.model.entities {
      guard let successor = change.counterparts.successor(of: entity.name) else { continue }
      let offset = change.plan.offset(
        from: change.old.table(of: entity.name), to: change.new.table(of: successor.name))
      if successor.name == entity.name, offset == 0 { continue }
      moved[entity.name] = (successor.name, offset)
    }
    for entity in change.new.model.entities
    where change.counterparts.successor(of: entity.name) == nil
      && change.new.model.subtree(of: entity.name)
        .contains(where: { change.counterparts.entity($0.name) != nil })
    {
      guard let last = change.lastKeysOfEarlierEntities[entity.name] else { continue }
      reused[entity.name] = lowestKey
      // No other name, and no later migration, gives these keys: such an identifier may get the name of another.
      lowestKey &-= last
    }
  }

  var isEmpty: Bool { moved.isEmpty && reused.isEmpty }

  /// The identifier that the row of an identifier of the file has now; `nil` if it is the same.
  func identifier(_ identifier: PersistentIdentifier) -> PersistentIdentifier? {
    guard identifier.storeIdentifier == store, let key = identifier.rowKey else { return nil }
    if let now = moved[identifier.entityName] {
      return PersistentIdentifier(
        storeIdentifier: store, entityName: now.entity,
        primaryKey: "p\(key > 0 ? key &+ now.offset : key)")
    }
    // The row is deleted. No row gets a negative key, and two identifiers stay different.
    guard key > 0, let lowest = reused[identifier.entityName] else { return nil }
    return PersistentIdentifier(
      storeIdentifier: store, entityName: identifier.entityName, primaryKey: "p\(lowest &- key)")
  }
}
