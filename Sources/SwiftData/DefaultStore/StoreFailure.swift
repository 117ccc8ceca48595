import Foundation
import OpenSwiftDataSQLiteEngine

/// Errors of the database in the words of the model.
enum StoreFailure {
  static func reading(_ error: SQLiteError, at url: URL) -> any Error {
    SwiftDataError.loadIssueModelContainer.with(
      "The store at \(url.path) can't be read: \(error)", underlying: error)
  }

  static func writing(_ error: SQLiteError, mapping: SchemaMapping, at url: URL) -> any Error {
    guard error.isUniquenessViolation else {
      return SwiftDataError.modelValidationFailure.with(
        "The store at \(url.path) can't be written; nothing of this save was stored: \(error)",
        underlying: error)
    }
    let columns = error.constrainedColumns
    let entity = mapping.entities.first { $0.table == columns.first?.table }
    let names = columns.map { column in
      entity?.properties.first { property in
        entity?.columns(of: property).contains { $0.name == column.column } ?? false
      }?.name ?? column.column
    }
    return SwiftDataError.modelValidationFailure.with(
      "Another model has the same value, and the property is unique. Nothing of this save was "
        + "stored.", entity: entity?.name, property: names.joined(separator: ", "),
      underlying: error)
  }
}
