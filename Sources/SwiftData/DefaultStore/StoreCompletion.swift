import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Completes a file that was recognised by its columns: an earlier release of this package made it, which wrote
/// no model and no history. Called by `StoreFile.open`, inside a transaction.
struct StoreCompletion {
  let mapping: SchemaMapping
  /// What the file names as its version; that of the schema when `nil`.
  var version: String?

  /// - Throws: `SwiftDataError.loadIssueModelContainer` for rows that the models can't have, or
  ///   `SQLiteError`.
  func run(_ stored: StoredSchema, _ connection: Connection) throws {
    try refuseEmptyValues(connection)
    // The properties of entities that no model here names are not known.
    guard mapping.layout.model.entities.count == mapping.entities.count else { return }
    let creation = StoreCreation(mapping, version: version)
    try creation.describe(connection, replacing: stored.metadata)
    if HistoryTables.areMissing(in: stored.columns) { try creation.createHistory(connection) }
  }

  /// Columns do not tell whether a property was optional, but rows may.
  private func refuseEmptyValues(_ connection: Connection) throws {
    for entity in mapping.entities {
      for property in entity.properties where entity.ownSlots.contains(property.slot) {
        // NaN is stored as null, so columns of floating-point numbers tell nothing.
        guard case .attribute(let column) = property.kind, !column.isOptional,
          column.sqlType != .real
        else { continue }
        let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
        let sql = """
          SELECT Z_PK FROM \(entity.table.quotedName) WHERE \(column.name.quotedName) IS NULL \
          AND Z_ENT IN (\(numbers)) LIMIT 1
          """
        if let key = try connection.integer(sql) {
          throw SwiftDataError.loadIssueModelContainer.with(
            "The property is required, and rows of the file have no value (the first one is p\(key)). "
              + "Make it optional. The file was left as it is.",
            entity: entity.name, property: property.name)
        }
      }
    }
  }
}
