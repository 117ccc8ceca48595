import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestModels
import SwiftData
import Testing

@Suite(.serialized) struct ProcessTests {
  private func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: url))
  }

  @Test func aProcessThatAwaitsAutosaveLosesNothing() async throws {
    let folder = try TemporaryFolder()
    #expect(try await errors(of: ["settle", folder.store.path, "20"]) == "")
    let context = ModelContext(try container(folder.store))
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 20)
  }

  @Test func aProcessThatDoesNotAwaitAutosaveIsWarned() async throws {
    let folder = try TemporaryFolder()
    let text = try await errors(of: ["leave", folder.store.path, "20"])
    #expect(text.contains("before autosave saves 1 context") && text.contains("settle()"))
  }

  private func errors(of arguments: [String]) async throws -> String {
    let worker = try StoreWorkerProcess(arguments, readsErrors: true)
    let text = try await worker.text()
    #expect(worker.process.terminationStatus == 0)
    return text
  }

  @Test func twoProcessesWriteOneFile() async throws {
    let folder = try TemporaryFolder()
    let container = try container(folder.store)
    let workers = try (0..<2).map { _ in
      try StoreWorkerProcess(["increment", folder.store.path, "150"])
    }
    let context = ModelContext(container)
    for index in 0..<150 {
      context.insert(Parcel(index: index))
      try context.save()
    }
    for worker in workers {
      _ = try await worker.text()
      #expect(worker.process.terminationStatus == 0)
    }
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 450)
    let keys = try SQLiteFile.integer("SELECT count(DISTINCT Z_PK) FROM ZPARCEL", in: folder.store)
    #expect(keys == 450)
    let last = try SQLiteFile.integer(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Parcel'", in: folder.store)
    #expect(last == 450)
  }

  /// The other process saves all the time while this one gives the store to other models.
  @Test func aProcessDoesNotWriteIntoAMigratedStore() async throws {
    let folder = try TemporaryFolder()
    let worker = try StoreWorkerProcess(
      ["increment", folder.store.path, "100000"], readsErrors: true)
    func count() throws -> Int64 {
      try SQLiteFile.integer("SELECT count(*) FROM ZPARCEL", in: folder.store)
    }
    try await eventually("the other process has saved 20 rows", within: .seconds(30)) {
      FileManager.default.fileExists(atPath: folder.store.path) && (try? count()) ?? 0 > 20
    }
    let pool = try ConnectionPool(path: folder.store.path, mode: .readWrite, readers: 0)
    let migrated = try EnclosedWork(pool, external: nil).run {
      try pool.write { connection in
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 7 WHERE Z_NAME = 'Parcel'")
        return try connection.integer("SELECT count(*) FROM ZPARCEL") ?? 0
      }
    }
    let text = try await worker.text()
    #expect(worker.process.terminationStatus != 0)
    #expect(text.contains("was migrated by another process"))
    #expect(try migrated > 20 && count() == migrated)
  }
}
