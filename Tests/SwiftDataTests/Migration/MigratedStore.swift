import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// A store that is made with some models and opened with others.
final class MigratedStore {
  let folder: TemporaryFolder
  var url: URL { folder.store }

  init() throws { folder = try TemporaryFolder() }

  /// Has the files of a store that was made before.
  init(copying template: TemporaryFolder) throws {
    folder = try TemporaryFolder(copying: template)
  }

  @discardableResult
  func make(
    _ types: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    _ fill: (ModelContext) throws -> Void = { _ in }
  ) throws -> Self {
    let container = try ModelContainer(
      for: Schema(types, version: version), configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    try fill(context)
    try context.save()
    return self
  }

  /// Opens the store with other models; the file is then as a new one of these.
  func open(
    _ types: [any PersistentModel.Type], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ModelContext {
    let container = try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: url))
    try expectLikeNew(types, sourceLocation: sourceLocation)
    return ModelContext(container)
  }

  /// The error for models that the store cannot be opened with; not a byte of it changes.
  func refusal(
    _ types: [any PersistentModel.Type], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let before = try content()
    let error = #expect(throws: SwiftDataError.self, sourceLocation: sourceLocation) {
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url))
    }
    #expect(try content() == before, sourceLocation: sourceLocation)
    return error?.description ?? ""
  }

  // MARK: The file

  /// Takes from the metadata what files of Apple's framework and of earlier versions of this package do not have.
  func forgetCompositeForms() throws {
    var metadata = try RealFile.metadata(url)
    #expect(metadata.removeValue(forKey: "OpenSwiftDataCompositeForms") != nil)
    try write(metadata)
  }

  /// Replaces the metadata.
  func write(_ metadata: [String: Any]) throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: metadata, format: .binary, options: 0)
    let digits = data.map { String(format: "%02x", $0) }.joined()
    try SQLiteFile.execute("UPDATE Z_METADATA SET Z_PLIST = x'\(digits)'", in: url)
  }

  func expectLikeNew(
    _ types: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectLikeNew(Schema(types, version: version), sourceLocation: sourceLocation)
  }

  /// What definitions, entities, metadata and model cache say.
  func expectLikeNew(
    _ schema: Schema, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let other = folder.url.appending(path: "new-\(UUID().uuidString).store")
    _ = try ModelContainer(for: schema, configurations: ModelConfiguration(url: other))
    #expect(
      try definitions(of: url) == definitions(of: other), sourceLocation: sourceLocation)
    #expect(try columns(of: url) == columns(of: other), sourceLocation: sourceLocation)
    let entities = """
      SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT
      """
    #expect(
      try SQLiteFile.texts(entities, in: url) == SQLiteFile.texts(entities, in: other),
      sourceLocation: sourceLocation)
    let (stored, new) = (try metadata(of: url), try metadata(of: other))
    #expect(stored?.versionHashes == new?.versionHashes, sourceLocation: sourceLocation)
    #expect(stored?.digest == new?.digest, sourceLocation: sourceLocation)
    // A plan gives the file another version than the types have.
    let (model, newModel) = (
      try ModelCache.decode(cache(of: url)), try ModelCache.decode(cache(of: other))
    )
    #expect(model.entities == newModel.entities, sourceLocation: sourceLocation)
    #expect(
      try SQLiteFile.text("PRAGMA integrity_check", in: url) == "ok",
      sourceLocation: sourceLocation)
    let behind = try SQLiteFile.texts(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'NEW\\_%' ESCAPE '\\' OR name LIKE 'OLD\\_%' ESCAPE '\\'",
      in: url)
    #expect(behind == [], sourceLocation: sourceLocation)
  }

  /// Large tables that only get columns are altered: their columns stand in another order then.
  private func definitions(of url: URL) throws -> [String] {
    let isLarge = SchemaChange.smallTable == 0
    return try SQLiteFile.texts(
      """
      SELECT type || ' ' || name || ' ' || replace(coalesce(sql, ''), '"', '') FROM sqlite_schema
      WHERE \(isLarge ? "type <> 'table'" : "1") ORDER BY type, name
      """, in: url)
  }

  private func columns(of url: URL) throws -> [String] {
    let connection = try Connection(path: url.path)
    let columns = try connection.prepare(
      """
      SELECT t.name || '.' || c.name || ' ' || c.type FROM sqlite_schema AS t, \
      pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY 1
      """)
    defer { columns.reset() }
    var found: [String] = []
    while try columns.step() { found.append(columns.string(0)) }
    return found
  }

  private func metadata(of url: URL) throws -> StoreMetadata? {
    StoreMetadata(try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: url))
  }

  private func cache(of url: URL) throws -> Data {
    try SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: url)
  }

  /// All rows of all tables.
  func content() throws -> [String] { try MigratedStore.content(of: url) }

  static func content(of url: URL) throws -> [String] {
    let connection = try Connection(path: url.path)
    func texts(_ sql: String) throws -> [String] {
      let statement = try connection.prepare(sql)
      defer { statement.reset() }
      var texts: [String] = []
      while try statement.step() { texts.append(statement.string(0)) }
      return texts
    }
    return try texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .flatMap { table in
        let columns = try texts("SELECT name FROM pragma_table_info('\(table)')")
        let terms = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
        return try texts("SELECT '\(table): ' || \(terms) FROM \"\(table)\"")
      }
  }
}
