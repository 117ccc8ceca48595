import Foundation
import SwiftData
import Synchronization
import Testing

/// What another process commits. One after the other: they measure time.
@Suite(.serialized) struct RemoteProcessTests {
  private func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: url))
  }

  @Test func aCommitOfAnotherProcessIsSeenSoon() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder.store)
    let context = ModelContext(container)
    let parcel = Parcel(index: 0)
    context.insert(parcel)
    try context.save()
    container.observesRemoteChanges = true
    let process = Process.storeWorker(["pulse", folder.store.path, "12", "150"])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var seen: [Int: Double] = [:]
    while seen[12] == nil, process.isRunning || seen.isEmpty {
      context.processPendingChanges()
      if seen[parcel.index] == nil { seen[parcel.index] = Date().timeIntervalSince1970 }
      Thread.sleep(forTimeInterval: 0.001)
    }
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
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
  @Test func anIdleObserverUsesNoProcessorTime() throws {
    let folder = try TemporaryFolder()
    let process = Process.storeWorker(["idle", folder.store.path, "2"])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let milliseconds = try #require(text.split(separator: "\n").last.flatMap { Double($0) })
    #expect(text.hasPrefix("watches 1\nwatches 0\n"))
    #expect(milliseconds < 2)
  }

  /// Both processes write at once; in the end the models of both contexts are as the rows are.
  @Test func modelsOfTwoProcessesEndAsTheRowsAre() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder.store)
    container.observesRemoteChanges = true
    let (writing, reading) = (ModelContext(container), ModelContext(container))
    for index in 0..<40 { writing.insert(Parcel(index: index)) }
    for index in 0..<8 { writing.insert(Batch(number: index, size: 0)) }
    try writing.save()
    let seconds = 3
    let process = Process.storeWorker(["hammer", folder.store.path, "\(seconds)", "7"])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var hammer = Hammer(seed: 11)
    var held: [any PersistentModel] = []
    while process.isRunning {
      try hammer.step(writing)
      held += try reading.fetch(FetchDescriptor<Parcel>()) as [any PersistentModel]
      held += try reading.fetch(FetchDescriptor<Batch>()).map { batch in
        _ = batch.members.count
        return batch
      }
      if held.count > 2000 { held.removeFirst(1000) }
    }
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == 0)
    #expect((text.split(separator: " ").last.flatMap { Int($0.dropLast()) } ?? 0) > 5)
    let deadline = ContinuousClock.now + .seconds(5)
    while try !isCurrent(reading, folder.store), ContinuousClock.now < deadline {
      Thread.sleep(forTimeInterval: 0.01)
    }
    #expect(try isCurrent(reading, folder.store))
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
