import Foundation
import SwiftData
import SwiftDataStores

/// The rows of the server. A real one would translate the query to SQL.
actor NoteTable {
  private var rows: [PersistentIdentifier: [String: DataStoreValue]] = [:]

  func answer(_ query: DataStoreQuery) throws -> [Messages.Row] {
    try QueryEvaluator(schema: schema, rows: rows).identifiers(of: query).map {
      Messages.Row(identifier: $0, values: rows[$0] ?? [:])
    }
  }

  func apply(_ changes: Messages.Changes) throws -> Messages.Receipt {
    let missing = changes.updated.map(\.identifier).filter { rows[$0] == nil }
    if !missing.isEmpty { return Messages.Receipt(missing: missing) }
    for row in changes.updated { rows[row.identifier]?.merge(row.values) { _, new in new } }
    for identifier in changes.deleted { rows[identifier] = nil }
    let inserted = try changes.inserted.map { row in
      let identifier = try PersistentIdentifier.identifier(
        for: Messages.storeIdentifier, entityName: row.identifier.entityName,
        primaryKey: UUID().uuidString)
      rows[identifier] = row.values
      return identifier
    }
    return Messages.Receipt(inserted: inserted)
  }
}
