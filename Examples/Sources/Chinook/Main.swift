import Foundation
import SwiftData

@main
struct Chinook {
  static func main() throws {
    guard let url = Bundle.module.url(forResource: "chinook", withExtension: "json") else {
      fail("The catalogue is missing from the resources.")
    }
    let catalogue = try Catalogue(contentsOf: url)

    let store = try emptyStore()
    let container = try ModelContainer(
      for: Artist.self, Album.self, Track.self, Playlist.self,
      configurations: ModelConfiguration(url: store))
    print("A music shop, stored in \(store.path)\n")

    let start = Date()
    try importCatalogue(catalogue, into: ModelContext(container))
    let seconds = Date().timeIntervalSince(start)
    print("Imported in", seconds.formatted(.number.precision(.fractionLength(2))), "s")

    // A new context starts without objects: everything below comes from the file.
    let context = ModelContext(container)
    try showCounts(in: context)
    try showArtists(in: context)
    try showAlbums(in: context)
    try showPlaylist(in: context)
    try showTrackOnPlaylists(in: context)
    try deleteArtist("Iron Maiden", in: context)
  }

  /// The file of the store, without what an earlier run left.
  private static func emptyStore() throws -> URL {
    let path = CommandLine.arguments.dropFirst().first
    let store =
      path.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("Chinook.store")
    for suffix in ["", "-wal", "-shm"] {
      let file = store.path + suffix
      if FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
    }
    return store
  }
}
