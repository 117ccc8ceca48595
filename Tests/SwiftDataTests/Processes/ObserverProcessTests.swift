import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// Observers in two processes that both write. `OPENSWIFTDATA_SECONDS` says for how long.
@Suite(.serialized) struct ObserverProcessTests {
  @Test func observersOfTwoProcessesSeeStatesThatWereTrue() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: folder.store))
    let seconds = ProcessInfo.processInfo.environment["OPENSWIFTDATA_SECONDS"] ?? "3"
    let workers = try (1...2).map { seed in
      try StoreWorkerProcess(["pairs", folder.store.path, seconds, "\(seed)"])
    }
    let stored = ModelContext(container)
    for worker in workers {
      let text = try await worker.text()
      #expect(worker.process.terminationStatus == 0)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let words = lines[0].split(separator: " ")
      try #require(words.count == 6, "\(text)")
      #expect((Int(words[1]) ?? 0) > 5)
      // Each process sees commits of the other too.
      #expect((Int(words[3]) ?? 0) > 5)
      #expect(words[5] == "0", "\(lines[0])")
      let last = lines[1].split(separator: ",").compactMap { Int($0) }
      let fresh = try stored.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.index)]))
      #expect(last == fresh.map(\.index))
    }
  }
}
