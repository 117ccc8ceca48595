import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Random models are changed at random, with random rows: what goes on is read by plain SQL before and
/// afterwards, value by value and link by link; then all is changed back.
@Suite struct RandomMigrationTests {
  static let count =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_MIGRATIONS"].flatMap(Int.init) ?? 60
  static let seed =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

  @Test(arguments: [Int64(20_000), 0]) func whatGoesOnIsKept(_ smallTable: Int64) throws {
    var (changed, told) = (0, 0)
    for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
      try SchemaChange.$smallTable.withValue(smallTable) {
        if try migrate(seed, &told) { changed += 1 }
      }
    }
    // Most changes lose nothing.
    #expect(changed * 3 > Self.count * 2, "\(changed) of \(Self.count)")
    // Removed subclasses, and links to them; inverses that come back.
    #expect(told > Self.count / 50, "\(told)")
  }

  /// - Parameter told: Counts migrations that changed values.
  /// - Returns: Whether the change was possible without a loss.
  private func migrate(_ seed: UInt64, _ told: inout Int) throws -> Bool {
    let random = try RandomChange(seed: seed)
    let (before, after, mutation) = (random.before, random.after, random.mutation)
    let (folder, connection, label) = (random.folder, random.connection, random.label)
    let export = try StoreExport(random.layout, connection)
    let problems = try change(before, to: after, connection)
    if !problems.isEmpty { return false }
    let new = StoreLayout(after, numbers: after.freshNumbers)
    let counterparts = ModelCounterparts(from: before, to: after)
    let migrated = try StoreExport(new, connection)
    #expect(
      export.renamed(counterparts).difference(from: migrated, counterparts) == [], label)
    let changes = try RecordedChanges(last: connection, new)
    #expect(changes == RecordedChanges(from: export, to: migrated, counterparts), label)
    if changes != RecordedChanges() { told += 1 }
    let transactions = try connection.integer("SELECT count(*) FROM ATRANSACTION")
    #expect(try connection.text("PRAGMA integrity_check") == "ok", label)
    try expectLikeNew(after, connection, folder, label)
    // And back: what the second model has is the same in the first.
    let back = ModelCounterparts(from: after, to: mutation.reversed)
    if try change(after, to: mutation.reversed, connection).isEmpty {
      let layout = StoreLayout(mutation.reversed, numbers: mutation.reversed.freshNumbers)
      let returned = try StoreExport(layout, connection)
      #expect(migrated.renamed(back).difference(from: returned, back) == [], label)
      let isTold = try connection.integer("SELECT count(*) FROM ATRANSACTION") != transactions
      let changes = try isTold ? RecordedChanges(last: connection, layout) : RecordedChanges()
      #expect(changes == RecordedChanges(from: migrated, to: returned, back), label)
      if isTold { told += 1 }
      try expectLikeNew(mutation.reversed, connection, folder, label)
    }
    return true
  }

  private func change(
    _ model: ModelDescription, to target: ModelDescription, _ connection: Connection
  ) throws -> [MigrationProblem] {
    try connection.transaction(.immediate) {
      let stored = try #require(try StoredSchema.read(connection))
      var options = SchemaChange.Options()
      options.removing = Set(model.entities.map(\.name))
      let change = try SchemaChange(
        stored: stored, model: model, target: target, options: options, connection: connection)
      let problems = try change.problems(connection)
      if problems.isEmpty { try change.run(connection) }
      return problems
    }
  }

  private func expectLikeNew(
    _ model: ModelDescription, _ connection: Connection, _ folder: TemporaryFolder,
    _ label: Comment
  ) throws {
    let url = folder.url.appending(path: "new-\(UUID().uuidString).store")
    let other = try Connection(path: url.path)
    let layout = StoreLayout(
      model, numbers: model.freshNumbers, knownTables: try tables(connection))
    try other.transaction(.immediate) {
      try StoreCreation(
        model: model, numbers: layout.numbers, definitions: layout.creationStatements
      ).create(other)
    }
    let isLarge = SchemaChange.smallTable == 0
    let definitions = """
      SELECT type || ' ' || name || ' ' || replace(coalesce(sql, ''), '"', '') FROM sqlite_schema
      WHERE name NOT IN ('ACHANGE', 'Z_MODELCACHE') AND \(isLarge ? "type <> 'table'" : "1")
      ORDER BY type, name
      """
    #expect(
      try Set(connection.list(definitions)).symmetricDifference(try other.list(definitions)) == [],
      label)
    let columns = """
      SELECT t.name || '.' || c.name || ' ' || c.type FROM sqlite_schema AS t,
      pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name <> 'ACHANGE' ORDER BY 1
      """
    #expect(
      try Set(connection.list(columns)).symmetricDifference(try other.list(columns)) == [], label)
  }

  private func tables(_ connection: Connection) throws -> Set<String> {
    Set(try connection.list("SELECT name FROM sqlite_schema WHERE type = 'table'"))
  }
}

extension Connection {
  /// The first column of all rows.
  func list(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    defer { statement.reset() }
    var found: [String] = []
    while try statement.step() { found.append(statement.string(0)) }
    return found
  }
}

extension ModelDescription {
  /// The same model where each root has a number of its own in each row, by which rows are known.
  var withIdentities: ModelDescription {
    ModelDescription(
      entities: entities.map { entity in
        guard entity.superName == nil else { return entity.replacing(entity.properties) }
        var identity = AttributeDescription(name: "identity", type: .integer64)
        identity.renamingIdentifier = "identity"
        return entity.replacing(entity.properties + [.attribute(identity)])
      }, versionIdentifiers: versionIdentifiers)
  }
}

extension EntityDescription {
  /// Constraints are left out: random values break them.
  func replacing(
    _ properties: [PropertyDescription], name: String? = nil, superName: String?? = nil,
    formerName: String? = nil
  ) -> EntityDescription {
    let names = Set(properties.map(\.name))
    return EntityDescription(
      name: name ?? self.name, superName: superName ?? self.superName, properties: properties,
      indexes: indexes.filter { $0.elements.allSatisfy { names.contains($0.property) } },
      renamingIdentifier: formerName ?? name ?? self.name)
  }
}
