import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// A process is killed at random moments while it saves values that lie in files; whoever opens the store
/// next finds a file for each row and a row for each file.
@Suite(.serialized) struct ExternalCrashTests {
  private static let size = 200_000

  @Test func aKilledProcessLeavesNoFileAlone() async throws {
    let environment = ProcessInfo.processInfo.environment
    let moments = environment["CRASH_MOMENTS"].flatMap(Int.init) ?? 16
    var random = SeededRandom(environment["CRASH_SEED"].flatMap(UInt64.init) ?? 3)
    for _ in 0..<moments {
      let folder = try TemporaryFolder()
      let reported = try await killedWorker(
        folder.store, delay: Double.random(in: 0..<0.08, using: &random))
      try expectWhole(folder, reported: reported)
    }
  }

  /// - Returns: The number of the last save that the process reported.
  private func killedWorker(_ store: URL, delay: TimeInterval) async throws -> Int {
    try await StoreWorkerProcess.lastSave(
      ofKilled: ["negatives", store.path, "100000", "\(ExternalCrashTests.size)"], delay: delay)
  }

  private func expectWhole(_ folder: TemporaryFolder, reported: Int) throws {
    #expect(try ExternalFilesCheck(of: folder.store).missing.isEmpty)
    let container = try ModelContainer(
      for: Negative.self, configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    let negatives = try context.fetch(FetchDescriptor<Negative>(sortBy: [SortDescriptor(\.number)]))
    let last = negatives.last?.number ?? 0
    #expect(last >= reported && last > 0)
    #expect(negatives.map(\.number) == Array(max(1, last - 1)..<(last + 1)))
    for negative in negatives {
      let edit = negative.number == last ? 1 : 2
      #expect(
        negative.data == Negative.data(negative.number, edit: edit, size: ExternalCrashTests.size))
    }
    #expect(context.unreadableValues.isEmpty)
    try folder.expectWhole(negatives.count)
    #expect(folder.journals.isEmpty)
    try context.delete(model: Negative.self)
    try folder.expectWhole(0)
  }

  @Test func twoProcessesShareTheFolder() async throws {
    let folder = try TemporaryFolder()
    let worker = try StoreWorkerProcess(["stream", folder.store.path, "60", "200000"])
    // Opening the store resolves no journal of the process that lives.
    for number in 1000..<1030 {
      let container = try ModelContainer(
        for: Negative.self, configurations: ModelConfiguration(url: folder.store))
      let context = ModelContext(container)
      context.insert(Negative(number: number, data: Negative.data(number, edit: 1, size: 200_000)))
      try context.save()
    }
    _ = try await worker.text()
    #expect(worker.process.terminationStatus == 0)
    try folder.expectWhole(90)
    #expect(folder.journals.isEmpty)
  }

  #if os(Linux)
    @Test func largeValuesDoNotFillTheMemory() async throws {
      let folder = try TemporaryFolder()
      let worker = try StoreWorkerProcess(["stream", folder.store.path, "200", "1000000"])
      let text = try await worker.text()
      let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
      try #require(lines.count == 2, "\(text)")
      // 200 MB were written and read.
      let saved = try #require(Int(lines[0][1]))
      let read = try #require(Int(lines[1][1]))
      #expect(saved < 24_000_000 && read < 24_000_000, "\(text)")
      #expect(lines[1][2...] == ["200", "200"])
    }
  #endif
}
