import Foundation

/// The tables of the Chinook database that this program uses, as its JSON file holds them.
struct Catalogue: Decodable {
  struct Genre: Decodable {
    let id: Int
    let name: String

    enum CodingKeys: String, CodingKey {
      case id = "GenreId"
      case name = "Name"
    }
  }

  struct Artist: Decodable {
    let id: Int
    let name: String

    enum CodingKeys: String, CodingKey {
      case id = "ArtistId"
      case name = "Name"
    }
  }

  struct Album: Decodable {
    let id: Int
    let title: String
    let artist: Int

    enum CodingKeys: String, CodingKey {
      case id = "AlbumId"
      case title = "Title"
      case artist = "ArtistId"
    }
  }

  struct Track: Decodable {
    let id: Int
    let name: String
    let album: Int
    let genre: Int
    let milliseconds: Int

    enum CodingKeys: String, CodingKey {
      case id = "TrackId"
      case name = "Name"
      case album = "AlbumId"
      case genre = "GenreId"
      case milliseconds = "Milliseconds"
    }
  }

  struct Playlist: Decodable {
    let id: Int
    let name: String

    enum CodingKeys: String, CodingKey {
      case id = "PlaylistId"
      case name = "Name"
    }
  }

  struct Entry: Decodable {
    let playlist: Int
    let track: Int

    enum CodingKeys: String, CodingKey {
      case playlist = "PlaylistId"
      case track = "TrackId"
    }
  }

  let genres: [Genre]
  let artists: [Artist]
  let albums: [Album]
  let tracks: [Track]
  let playlists: [Playlist]
  let entries: [Entry]

  enum CodingKeys: String, CodingKey {
    case genres = "Genre"
    case artists = "Artist"
    case albums = "Album"
    case tracks = "Track"
    case playlists = "Playlist"
    case entries = "PlaylistTrack"
  }

  init(contentsOf url: URL) throws {
    self = try JSONDecoder().decode(Catalogue.self, from: Data(contentsOf: url))
  }
}
