import SwiftData

/// A musician or band. Deleting one deletes its albums, and with them their tracks.
@Model
final class Artist {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []

  init(name: String) {
    self.name = name
  }
}

@Model
final class Album {
  var title: String
  var artist: Artist?
  @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: [Track] = []

  init(title: String, artist: Artist?) {
    self.title = title
    self.artist = artist
  }
}

@Model
final class Track {
  var name: String
  var genre: String
  var milliseconds: Int
  var album: Album?
  var playlists: [Playlist] = []

  init(name: String, genre: String, milliseconds: Int, album: Album?) {
    self.name = name
    self.genre = genre
    self.milliseconds = milliseconds
    self.album = album
  }
}

/// A playlist has many tracks, and a track is on many playlists.
@Model
final class Playlist {
  var number: Int
  var name: String
  @Relationship(inverse: \Track.playlists) var tracks: [Track] = []

  init(number: Int, name: String) {
    self.number = number
    self.name = name
  }
}
