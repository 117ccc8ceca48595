import Foundation
import SwiftData

func showCounts(in context: ModelContext) throws {
  let counts = try [
    context.fetchCount(FetchDescriptor<Artist>()),
    context.fetchCount(FetchDescriptor<Album>()),
    context.fetchCount(FetchDescriptor<Track>()),
    context.fetchCount(FetchDescriptor<Playlist>()),
  ]
  print("\(counts[0]) artists, \(counts[1]) albums, \(counts[2]) tracks, \(counts[3]) playlists")
  expect([275, 347, 3503, 18], counts, "artists, albums, tracks, playlists")

  let entries = try context.fetch(FetchDescriptor<Playlist>()).reduce(0) { $0 + $1.tracks.count }
  print("\(entries) entries of playlists")
  expect(8715, entries, "entries of playlists")
}

/// From the one side to the many: a to-many relationship is an array.
func showArtists(in context: ModelContext) throws {
  let artists = try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
  let busiest = artists.sorted { $0.albums.count > $1.albums.count }.prefix(5)
  print("\nMost albums")
  for artist in busiest {
    let tracks = artist.albums.reduce(0) { $0 + $1.tracks.count }
    print("  \(artist.name): \(artist.albums.count) albums, \(tracks) tracks")
  }
  expect("Iron Maiden", busiest[0].name, "first")
  expect(21, busiest[0].albums.count, "albums")

  let silent = #Predicate<Artist> { $0.albums.isEmpty }
  let count = try context.fetchCount(FetchDescriptor(predicate: silent))
  print("  \(count) artists have none")
  expect(71, count, "artists without albums")
}

/// Predicates cross relationships in both directions.
func showAlbums(in context: ModelContext) throws {
  let name = "Iron Maiden"
  let theirs = #Predicate<Track> { $0.album?.artist?.name == name }
  let tracks = try context.fetchCount(FetchDescriptor(predicate: theirs))
  print("\n\(tracks) tracks are on an album of \(name)")
  expect(213, tracks, "tracks of \(name)")

  let limit = 20 * 60 * 1000
  let long = #Predicate<Album> { album in
    album.tracks.contains { $0.milliseconds > limit }
  }
  let albums = try context.fetch(
    FetchDescriptor(predicate: long, sortBy: [SortDescriptor(\.title)]))
  print("\(albums.count) albums contain a track of more than 20 minutes, such as")
  for album in albums.prefix(3) {
    print("  \(album.title) by \(album.artist?.name ?? "nobody")")
  }
  expect(13, albums.count, "albums with a long track")
}

/// Many to many, from the playlist to its tracks.
func showPlaylist(in context: ModelContext) throws {
  let grunge = try context.fetch(
    FetchDescriptor<Playlist>(predicate: #Predicate { $0.name == "Grunge" }))
  guard let playlist = grunge.first else { fail("There is no playlist “Grunge”.") }
  let minutes = playlist.tracks.reduce(0) { $0 + $1.milliseconds } / 60_000
  let artists = Set(playlist.tracks.compactMap { $0.album?.artist?.name }).sorted()
  print("\nPlaylist \(playlist.name): \(playlist.tracks.count) tracks, \(minutes) minutes")
  print("  by \(artists.joined(separator: ", "))")
  expect(15, playlist.tracks.count, "tracks on it")
  expect(6, artists.count, "artists on it")
}

/// Many to many, from a track to its playlists.
func showTrackOnPlaylists(in context: ModelContext) throws {
  let tracks = try context.fetch(
    FetchDescriptor<Track>(
      predicate: #Predicate { $0.name == "Fear Of The Dark" },
      sortBy: [SortDescriptor(\.milliseconds)]))
  print("\n“Fear Of The Dark”")
  for track in tracks {
    let playlists = track.playlists.sorted { $0.number < $1.number }
      .map { "\($0.name) (\($0.number))" }
    print("  on \(track.album?.title ?? "no album"): \(playlists.joined(separator: ", "))")
  }
  expect([3, 3, 3, 2], tracks.map(\.playlists.count), "playlists of each")
}

/// The delete rules take the albums and tracks along, and the entries of the playlists with them.
func deleteArtist(_ name: String, in context: ModelContext) throws {
  let found = try context.fetch(
    FetchDescriptor<Artist>(predicate: #Predicate { $0.name == name }))
  for artist in found { context.delete(artist) }
  try context.save()

  let counts = try [
    context.fetchCount(FetchDescriptor<Artist>()),
    context.fetchCount(FetchDescriptor<Album>()),
    context.fetchCount(FetchDescriptor<Track>()),
    context.fetchCount(FetchDescriptor<Playlist>()),
  ]
  let entries = try context.fetch(FetchDescriptor<Playlist>()).reduce(0) { $0 + $1.tracks.count }
  print("\nWithout \(name): \(counts[1]) albums, \(counts[2]) tracks, \(entries) entries")
  expect([274, 326, 3290, 18], counts, "artists, albums, tracks, playlists")
  expect(8199, entries, "entries of playlists")
}
