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
    let bar = Task {
      while !Task.isCancelled, !progress.isFinished {
        draw(progress)
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
    let container: ModelContainer
    do {
      container = try await opening.value
    } catch {
      bar.cancel()
      throw error
    }
    await bar.value
    draw(progress)
    print()

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

  private static func draw(_ progress: MigrationProgress) {
    let width = 40
    let filled = Int((progress.fraction * Double(width)).rounded(.down))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    let percent = Int(progress.fraction * 100)
    let what = progress.entity.map { "\($0): \(progress.rows) of \(progress.totalRows)" } ?? ""
    let line = "\r[\(bar)] \(percent) %  \(progress.stage)  \(what)"
    print(line.padding(toLength: 110, withPad: " ", startingAt: 0), terminator: "")
    fflush(nil)
  }

  /// A store of the first version.
  private static func fill(_ store: URL) throws {
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
