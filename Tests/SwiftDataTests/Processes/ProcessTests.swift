import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

@Suite(.serialized) struct ProcessTests {
  private func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: url))
  }

  @Test func aProcessThatAwaitsAutosaveLosesNothing() throws {
    let folder = try TemporaryFolder()
    #expect(try errors(of: ["settle", folder.store.path, "20"]) == "")
    let context = ModelContext(try container(folder.store))
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 20)
  }

  @Test func aProcessThatDoesNotAwaitAutosaveIsTold() throws {
    let folder = try TemporaryFolder()
    let text = try errors(of: ["leave", folder.store.path, "20"])
    #expect(text.contains("before autosave saves 1 context") && text.contains("settle()"))
  }

  private func errors(of arguments: [String]) throws -> String {
    let process = Process.storeWorker(arguments)
    let output = Pipe()
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  @Test func twoProcessesWriteOneFile() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder.store)
    let processes = try (0..<2).map { _ in
      let process = Process.storeWorker(["increment", folder.store.path, "150"])
      try process.run()
      return process
    }
    let context = ModelContext(container)
    for index in 0..<150 {
      context.insert(Parcel(index: index))
      try context.save()
    }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 450)
    let keys = try SQLiteFile.integer("SELECT count(DISTINCT Z_PK) FROM ZPARCEL", in: folder.store)
    #expect(keys == 450)
    let last = try SQLiteFile.integer(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Parcel'", in: folder.store)
    #expect(last == 450)
  }

  /// The other process saves all the time while this one gives the store to other models.
  @Test func aProcessDoesNotWriteIntoAMigratedStore() throws {
    let folder = try TemporaryFolder()
    let process = Process.storeWorker(["increment", folder.store.path, "100000"])
    let output = Pipe()
    process.standardError = output
    try process.run()
    func count() throws -> Int64 {
      try SQLiteFile.integer("SELECT count(*) FROM ZPARCEL", in: folder.store)
    }
    let deadline = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < deadline {
      if FileManager.default.fileExists(atPath: folder.store.path), (try? count()) ?? 0 > 20 {
        break
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
    let pool = try ConnectionPool(path: folder.store.path, mode: .readWrite, readers: 0)
    let migrated = try EnclosedWork(pool, external: nil).run {
      try pool.write { connection in
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 7 WHERE Z_NAME = 'Parcel'")
        return try connection.integer("SELECT count(*) FROM ZPARCEL") ?? 0
      }
    }
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus != 0)
    #expect(text.contains("was migrated by another process"))
    #expect(try migrated > 20 && count() == migrated)
  }
}
