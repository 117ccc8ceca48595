import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData
import SwiftDataPostgres
import Testing

/// Random changes of random models, with random rows: a server refuses, converts and keeps what a file
/// does. The rows come and go as copies (`StoreCopy`).
///
/// `OPENSWIFTDATA_RANDOM_MIGRATIONS` is how many there are, `OPENSWIFTDATA_RANDOM_SEED` the first seed.
@Suite(.enabled(if: PostgresTestStores.isAvailable)) struct RandomServerMigrationTests {
  /// In parts, because tests that block their thread for long delay others.
  @Test(arguments: 0..<8) func aServerChangesWhatAFileDoes(part: Int) throws {
    let count = RandomMigrationTests.count * 2 / 3
    var changed = 0
    for index in 0..<count where index % 8 == part {
      let seed = RandomMigrationTests.seed + UInt64(index)
      if try migrate(seed, isCareless: part.isMultiple(of: 2)) { changed += 1 }
    }
    #expect(changed > 0)
  }

  /// - Returns: Whether the change was possible.
  private func migrate(_ seed: UInt64, isCareless: Bool) throws -> Bool {
    let random = try RandomChange(seed: seed, isCareless: isCareless)
    let (before, after) = (random.before, random.after)
    let (folder, file, label) = (random.folder, random.connection, random.label)
    let schema = try SchemaMaker.make()
    defer { SchemaMaker.drop([schema]) }
    let address = try SchemaMaker.address(of: schema)
    _ = try StoreCopy(from: .file(folder.store), to: .database(address)).run()
    let server = try PostgresConnection(ConnectionParameters(address))

    let refusedByFile = try file.transaction(.immediate) {
      try change(StoredSchema.read(file), before, to: after, file)
    }
    let refusedByServer = try server.transaction(.write) {
      try change(PostgresCatalog.read(server), before, to: after, server)
    }
    #expect(refusedByServer == refusedByFile, label)
    guard refusedByFile.isEmpty, refusedByServer.isEmpty else { return false }

    let copy = folder.url.appending(path: "copy.store")
    _ = try StoreCopy(from: .database(address), to: .file(copy)).run()
    let copied = try Connection(path: copy.path)
    let new = StoreLayout(after, numbers: after.freshNumbers)
    let (expected, found) = (try StoreExport(new, file), try StoreExport(new, copied))
    #expect(expected.rows == found.rows, label)
    #expect(expected.links == found.links, label)
    #expect(try RecordedChanges(last: file, new) == RecordedChanges(last: copied, new), label)
    return true
  }

  private func change(
    _ stored: StoredSchema?, _ model: ModelDescription, to target: ModelDescription,
    _ session: any SQLSession
  ) throws -> [String] {
    var options = SchemaChange.Options()
    options.removing = Set(model.entities.map(\.name))
    let change = try SchemaChange(
      stored: #require(stored), model: model, target: target, options: options,
      connection: session)
    let problems = try change.problems(session)
    if problems.isEmpty { try change.run(session) }
    return problems.map(\.description).sorted()
  }
}
