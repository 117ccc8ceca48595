import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization
import Testing

/// What another process commits. One after the other: they measure time.
@Suite(.serialized) struct RemoteProcessTests {
  private func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: url))
  }

  @Test func aCommitOfAnotherProcessIsSeenSoon() async throws {
    let folder = try TemporaryFolder()
    let container = try container(folder.store)
    // It measures times, so it does not share its thread.
    let (seen, text) = try await onThread {
      let context = ModelContext(container)
      let parcel = Parcel(index: 0)
      context.insert(parcel)
      try context.save()
      container.observesRemoteChanges = true
      let worker = try StoreWorkerProcess(["pulse", folder.store.path, "12", "150"])
      var seen: [Int: Double] = [:]
      blocks(upTo: .seconds(30)) {
        context.processPendingChanges()
        if seen[parcel.index] == nil { seen[parcel.index] = Date().timeIntervalSince1970 }
        return seen[12] != nil || !worker.process.isRunning
      }
      return (seen, worker.finishedText())
    }
    var delays: [Double] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      let (number, time) = (try #require(Int(words[1])), try #require(Double(words[2])))
      if let seen = seen[number] { delays.append(seen - time) }
    }
    delays.sort()
    // The processor may be busy with other tests; the slowest ones don't count.
    #expect(delays.count >= 8)
    #expect(delays[delays.count / 2] < 0.1, "\(delays)")
  }

  /// What a process uses that observes a store and that nobody disturbs.
  @Test func anIdleObserverUsesNoProcessorTime() async throws {
    let folder = try TemporaryFolder()
    let text = try await StoreWorkerProcess(["idle", folder.store.path, "2"]).text()
    let milliseconds = try #require(text.split(separator: "\n").last.flatMap { Double($0) })
    #expect(text.hasPrefix("watches 1\nwatches 0\n"))
    #expect(milliseconds < 2)
  }

  /// Both processes write at once; in the end the models of both contexts are as the rows are.
  @Test func modelsOfTwoProcessesEndAsTheRowsAre() async throws {
    let folder = try TemporaryFolder()
    let container = try container(folder.store)
    container.observesRemoteChanges = true
    let (writing, reading) = (ModelContext(container), ModelContext(container))
    for index in 0..<40 { writing.insert(Parcel(index: index)) }
    for index in 0..<8 { writing.insert(Batch(number: index, size: 0)) }
    try writing.save()
    let seconds = 3
    let worker = try StoreWorkerProcess(["edits", folder.store.path, "\(seconds)", "7"])
    var edits = RandomEdits(seed: 11)
    var held: [any PersistentModel] = []
    while worker.process.isRunning {
      try edits.save(in: writing)
      held += try reading.fetch(FetchDescriptor<Parcel>()) as [any PersistentModel]
      held += try reading.fetch(FetchDescriptor<Batch>()).map { batch in
        _ = batch.members.count
        return batch
      }
      if held.count > 2000 { held.removeFirst(1000) }
    }
    let text = try await worker.text()
    #expect(worker.process.terminationStatus == 0)
    #expect((text.split(separator: " ").last.flatMap { Int($0.dropLast()) } ?? 0) > 5)
    try await eventually("the models show what is stored") {
      try isCurrent(reading, folder.store)
    }
    withExtendedLifetime(held) {}
  }

  /// Whether all models that a context holds show what is stored, without reading it anew by a fetch.
  private func isCurrent(_ context: ModelContext, _ store: URL) throws -> Bool {
    context.processPendingChanges()
    let fresh = ModelContext(try container(store))
    for parcel in try fresh.fetch(FetchDescriptor<Parcel>()) {
      guard let held: Parcel = context.registeredModel(for: parcel.persistentModelID) else {
        continue
      }
      guard held.index == parcel.index, held.text == parcel.text,
        held.batch?.persistentModelID == parcel.batch?.persistentModelID
      else { return false }
    }
    for batch in try fresh.fetch(FetchDescriptor<Batch>()) {
      guard let held: Batch = context.registeredModel(for: batch.persistentModelID) else {
        continue
      }
      let members = Set(batch.members.map(\.persistentModelID))
      guard held.size == batch.size, Set(held.members.map(\.persistentModelID)) == members
      else { return false }
    }
    return true
  }
}
