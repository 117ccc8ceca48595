import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Adds the model and the history to a file of an earlier release of this package, which wrote
/// neither. Such a file is recognised by its columns. Of a file with a damaged description, either the hashes or
/// the model can be read. Called by `StoreFileOpening`, inside a transaction.
struct StoreCompletion {
  let mapping: SchemaMapping
  /// The version identifier to write; `nil` uses that of the schema.
  var version: String?

  /// - Throws: `SwiftDataError.loadIssueModelContainer` for rows that are invalid for the models,
  ///   or `SQLiteError`.
  func run(_ stored: StoredSchema, _ connection: Connection) throws {
    let hashes = stored.modelMetadata?.versionHashes ?? [:]
    if hashes.isEmpty, stored.model == nil { try refuseEmptyValues(connection) }
    // The properties of entities that the schema lacks are not known.
    guard mapping.layout.model.entities.count == mapping.entities.count else { return }
    let known = stored.modelMetadata?.versionIdentifiers.first { !$0.isEmpty }
    let creation = StoreCreation(mapping, version: known ?? version)
    try creation.describe(connection, replacing: stored.metadata)
    if HistoryTables.areMissing(in: stored.columns) { try creation.createHistory(connection) }
  }

  /// Columns do not record whether a property was optional, so this checks the rows.
  private func refuseEmptyValues(_ connection: Connection) throws {
    for entity in mapping.entities {
      for property in entity.properties where entity.ownSlots.contains(property.slot) {
        // NaN is stored as null, so floating-point columns may contain nulls.
        guard case .attribute(let column) = property.kind, !column.isOptional,
          column.sqlType != .real
        else { continue }
        let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
        let sql = """
          SELECT \(RowColumns.key) FROM \(entity.table.quotedName) \
          WHERE \(column.name.quotedName) IS NULL AND \(RowColumns.entity) IN (\(numbers)) LIMIT 1
          """
        if let key = try connection.integer(sql) {
          throw SwiftDataError.loadIssueModelContainer.with(
            "The property is required, but rows of the file have no value (the first row is p\(key)). "
              + "Make the property optional. The file is unchanged.",
            entity: entity.name, property: property.name)
        }
      }
    }
  }
}
