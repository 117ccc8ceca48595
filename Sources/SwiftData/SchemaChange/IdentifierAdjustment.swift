import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Adjusts identifiers that rows have as values, after rows have moved to a table in which they have other keys.
///
/// It concerns attributes of the type `PersistentIdentifier`, optional ones, and lists and sets of identifiers.
struct IdentifierAdjustment {
  private let change: SchemaChange
  /// By entity of the file whose rows have other keys now.
  private let moved: [String: (entity: String, offset: Int64)]

  init(_ change: SchemaChange) {
    self.change = change
    var moved: [String: (entity: String, offset: Int64)] = [:]
    for name in change.entitiesWithNewKeys {
      guard let successor = change.counterparts.successor(of: name) else { continue }
      let offset = change.plan.offset(
        from: change.old.table(of: name), to: change.new.table(of: successor.name))
      moved[name] = (successor.name, offset)
    }
    self.moved = moved
  }

  func run(_ session: any SQLSession) throws {
    guard !moved.isEmpty, let mapping = change.target.mapping else { return }
    for entity in mapping.entities {
      for slot in entity.ownSlots {
        let property = entity.descriptor.properties[slot]
        let type = unwrappedType(of: property.valueType) ?? property.valueType
        guard type is any _IdentifierHolder.Type, let type = type as? any Decodable.Type,
          !property.isExternallyStored, case .attribute(let column) = entity.properties[slot].kind,
          column.content == .encoded
        else { continue }
        try adjust(column.name, of: entity, session) { bytes in
          guard let value = ValueDecoding.encoded(type, bytes: bytes) as? AnyHashable,
            let adjusted = PersistentIdentifier.$decoded.withValue(
              identifier, operation: { ValueDecoding.encoded(type, bytes: bytes) }),
            adjusted as? AnyHashable != value
          else { return nil }
          return try DeclaredDefaults.stored(adjusted, of: property, in: entity.name).first
        }
      }
    }
  }

  /// The identifier that the row of an identifier of the file has now.
  private var identifier: @Sendable (PersistentIdentifier) -> PersistentIdentifier {
    { [moved, store = change.stored.identifier] identifier in
      guard identifier.storeIdentifier == store, let key = identifier.rowKey,
        let now = moved[identifier.entityName]
      else { return identifier }
      return PersistentIdentifier(
        storeIdentifier: store, entityName: now.entity, primaryKey: "p\(key + now.offset)")
    }
  }

  /// - Parameter adjusted: The new value of the column; `nil` if the value stays.
  private func adjust(
    _ column: String, of entity: EntityMapping, _ session: any SQLSession,
    _ adjusted: (Data) throws -> _StoredValue?
  ) throws {
    let (table, column) = (entity.table.quotedName, column.quotedName)
    let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
    let selection = try session.statement(
      """
      SELECT \(RowTerms.key), \(column) FROM \(table) WHERE \(RowTerms.key) > \(change.sql.parameter(1)) \
      AND \(RowTerms.entity) IN (\(numbers)) AND \(column) IS NOT NULL ORDER BY \(RowTerms.key) LIMIT 5000
      """)
    let update = try session.statement(
      """
      UPDATE \(table) SET \(column) = \(change.sql.parameter(1)) \
      WHERE \(RowTerms.key) = \(change.sql.parameter(2))
      """)
    var last = Int64.min
    while true {
      let rows = try selection.values(.integer(last))
      for row in rows {
        guard case .integer(let key) = row[0] else { continue }
        last = key
        guard case .blob(let bytes) = row[1], let value = try adjusted(bytes) else { continue }
        _ = try update.run(.values([value, .integer(key)]))
      }
      if rows.isEmpty { return }
    }
  }
}
