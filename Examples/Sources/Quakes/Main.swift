import Foundation
import SwiftData

@main
struct Quakes {
  static func main() throws {
    guard let url = Bundle.module.url(forResource: "quakes-2018-06-14", withExtension: "geojson")
    else { fail("The feed is missing from the resources.") }
    let feed = try Feed(contentsOf: url)

    let store = try emptyStore()
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: store))
    let context = ModelContext(container)
    print("Earthquakes of a week, stored in \(store.path)\n")

    try importFeed(feed, as: "Import ", into: context)
    expect(4711, try context.fetchCount(FetchDescriptor<Quake>()), "earthquakes")
    try importFeed(feed, as: "Refresh", into: context)
    expect(4711, try context.fetchCount(FetchDescriptor<Quake>()), "earthquakes after it")

    // A new context starts without objects: everything below comes from the file.
    let reader = ModelContext(container)
    try showStrongest(in: reader)
    try showPlaces(containing: "alaska", in: reader)
    try showDay(in: reader)
    try showPages(in: reader)
    try showClasses(in: reader)

    print("\nWhat is in the file:\n  make tool ARGUMENTS=\"inspect \(store.path)\"")
  }

  /// The file of the store, without what an earlier run left.
  private static func emptyStore() throws -> URL {
    let path = CommandLine.arguments.dropFirst().first
    let store =
      path.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("Quakes.store")
    for suffix in ["", "-wal", "-shm"] {
      let file = store.path + suffix
      if FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
    }
    return store
  }
}
