import SQLiteEngine
import SwiftData
import Testing

@Suite(.serialized) struct ProcessTests {
  private func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: url))
  }

  private func worker(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appendingPathComponent("StoreWorker")
    if !FileManager.default.isExecutableFile(atPath: process.executableURL?.path ?? "") {
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("StoreWorker")
    }
    process.arguments = arguments
    return process
  }

  /// Kills a saving process at another moment each time: every save is there whole or not at all,
  /// and every save that was reported is there.
  @Test func aKilledProcessLosesNothingThatItSaved() throws {
    for delay in [0.15, 0.2, 0.25, 0.3, 0.4, 0.5] {
      let folder = try TemporaryFolder()
      let process = try worker(["batches", folder.store.path, "1000", "200"])
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      Thread.sleep(forTimeInterval: delay)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let text = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      let reported = text.split(separator: "\n").compactMap { Int($0.dropFirst(6)) }.max() ?? 0

      let context = ModelContext(try container(folder.store))
      let batches = try context.fetch(FetchDescriptor<Batch>(sortBy: [SortDescriptor(\.number)]))
      #expect(batches.count >= reported)
      #expect(batches.map(\.number) == Array(1..<(batches.count + 1)))
      for batch in batches {
        #expect(batch.members.count == batch.size)
        #expect(Set(batch.members.map(\.index)).count == batch.size)
      }
      #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == batches.count * 200)
      #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
      context.insert(Parcel(index: 1))
      try context.save()
    }
  }

  @Test func aProcessThatAwaitsAutosaveLosesNothing() throws {
    let folder = try TemporaryFolder()
    #expect(try errors(of: ["settle", folder.store.path, "20"]) == "")
    let context = ModelContext(try container(folder.store))
    #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 20)
  }

  @Test func aProcessThatDoesNotAwaitAutosaveIsTold() throws {
    let folder = try TemporaryFolder()
    let told = try errors(of: ["leave", folder.store.path, "20"])
    #expect(told.contains("before autosave has saved 1 context") && told.contains("settle()"))
  }

  private func errors(of arguments: [String]) throws -> String {
    let process = try worker(arguments)
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
      let process = try worker(["increment", folder.store.path, "150"])
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
}
