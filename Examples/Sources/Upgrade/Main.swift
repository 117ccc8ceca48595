import Foundation
import SwiftData

/// Opens a store of an old version with the models of the newest, and shows how far its migration is.
@main
struct Upgrade {
  private static let count = 100_000

  static func main() async throws {
    let store = try emptyStore()
    try fill(store)
    let schema = Schema(versionedSchema: LogV3.self)
    let configuration = ModelConfiguration(url: store)

    let previews = try ModelContainer.migrationPreview(
      for: schema, migrationPlan: LogPlan.self, configurations: [configuration])
    for preview in previews { print(preview) }

    let progress = MigrationProgress()
    let opening = Task.detached {
      try ModelContainer(
        for: schema, migrationPlan: LogPlan.self, configurations: [configuration],
        migrationProgress: progress)
    }
    let showing = Task {
      var display = ProgressDisplay()
      while !Task.isCancelled, !progress.isFinished {
        display.show(progress)
        try? await Task.sleep(for: .milliseconds(50))
      }
      if progress.isFinished { display.show(progress) }
      display.end()
    }
    let container: ModelContainer
    do {
      container = try await opening.value
    } catch {
      showing.cancel()
      await showing.value
      throw error
    }
    await showing.value

    let context = ModelContext(container)
    let measurements = try context.fetchCount(FetchDescriptor<LogV3.Measurement>())
    let stations = try context.fetch(
      FetchDescriptor<LogV3.Station>(sortBy: [SortDescriptor(\.name)]))
    print(stations.map { "\($0.name): \($0.unit ?? "?")" }.joined(separator: ", "))
    guard measurements == count, stations.allSatisfy({ $0.unit == "mm" }) else {
      print("\(measurements) measurements; \(count) were expected, all in mm.")
      exit(1)
    }
  }

  /// A store of the first version.
  private static func fill(_ store: URL) throws {
    print("Writing \(count.formatted()) rows…")
    fflush(nil)
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: LogV1.self), configurations: ModelConfiguration(url: store)))
    let stations = ["Aachen", "Bonn", "Celle"].map { LogV1.Station(name: $0) }
    for station in stations { context.insert(station) }
    for number in 0..<count {
      context.insert(
        LogV1.Measurement(value: number, unit: "mm", station: stations[number % stations.count]))
      if number % 10_000 == 9_999 { try context.save() }
    }
    try context.save()
  }

  /// The file of the store, without what an earlier run left.
  private static func emptyStore() throws -> URL {
    let path = CommandLine.arguments.dropFirst().first
    let store =
      path.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("Upgrade.store")
    for suffix in ["", "-wal", "-shm"] {
      let file = store.path + suffix
      if FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
    }
    return store
  }
}
