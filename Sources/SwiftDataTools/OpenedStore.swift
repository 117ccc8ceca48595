import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// A store file that is opened for reading only, with its schema and model.
final class OpenedStore {
  let url: URL
  let connection: Connection
  let schema: StoredSchema
  /// The model from the file's cache; without one, the entities that the file lists, without
  /// properties.
  let model: ModelDescription
  let hasModel: Bool
  let layout: StoreLayout

  /// Reads a file: everything that `body` reads is from one state of the store.
  /// - Parameter body: Called again if a file that could not be locked was changed meanwhile.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the file is not a store or can't be
  ///   read.
  static func look<R>(at url: URL, _ body: (OpenedStore) throws -> R) throws -> R {
    try StoreFileCheck.look(at: url) { connection, schema in
      try body(OpenedStore(url, connection, schema))
    }
  }

  private init(_ url: URL, _ connection: Connection, _ schema: StoredSchema) {
    self.url = url
    self.connection = connection
    let cached = schema.model
    hasModel = cached != nil
    self.schema = cached.map(schema.renamed) ?? schema
    let names = self.schema.entitiesByNumber.mapValues(\.name)
    let known = self.schema.entities.filter { EntityNumbering.isValid($0.number) }
    model =
      cached
      ?? ModelDescription(
        entities: known.map { entity in
          EntityDescription(
            name: entity.name, superName: names[entity.superNumber], properties: [])
        }, versionIdentifiers: schema.modelMetadata?.versionIdentifiers ?? [])
    layout = StoreLayout(
      model, numbers: Dictionary(known.map { ($0.name, $0.number) }, uniquingKeysWith: { $1 }),
      knownTables: Set(schema.columns.keys))
  }

  /// The integers of the first row; zeros if there is no row.
  func integers(_ sql: String, count: Int32) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    defer { statement.reset() }
    guard try statement.step() else { return Array(repeating: 0, count: Int(count)) }
    return (0..<count).map(statement.int64)
  }

  func rows<R>(_ sql: String, _ read: (Statement) -> R) throws -> [R] {
    let statement = try connection.prepare(sql)
    var found: [R] = []
    while try statement.step() { found.append(read(statement)) }
    return found
  }
}
