import SwiftData

/// Turns the rows of the catalogue into objects; numbers that refer to rows become relationships.
func importCatalogue(_ catalogue: Catalogue, into context: ModelContext) throws {
  let genres = Dictionary(uniqueKeysWithValues: catalogue.genres.map { ($0.id, $0.name) })

  var artists: [Int: Artist] = [:]
  for row in catalogue.artists {
    let artist = Artist(name: row.name)
    context.insert(artist)
    artists[row.id] = artist
  }

  var albums: [Int: Album] = [:]
  for row in catalogue.albums {
    let album = Album(title: row.title, artist: artists[row.artist])
    context.insert(album)
    albums[row.id] = album
  }

  var tracks: [Int: Track] = [:]
  for row in catalogue.tracks {
    let track = Track(
      name: row.name, genre: genres[row.genre] ?? "", milliseconds: row.milliseconds,
      album: albums[row.album])
    context.insert(track)
    tracks[row.id] = track
  }

  let entries = Dictionary(grouping: catalogue.entries, by: \.playlist)
  for row in catalogue.playlists {
    let playlist = Playlist(number: row.id, name: row.name)
    context.insert(playlist)
    playlist.tracks = (entries[row.id] ?? []).compactMap { tracks[$0.track] }
  }

  try context.save()
}
