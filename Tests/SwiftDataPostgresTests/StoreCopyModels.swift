import Foundation
import SwiftData

@Model
final class Album {
  #Index<Album>([\.title])
  @Attribute(.unique) var title: String
  var ratio: Double = 0
  var plays: Int = 0
  var big: UInt64 = 0
  var isLive: Bool = false
  var price: Decimal = 0
  var released: Date = Date.now
  var code: UUID = UUID()
  var site: URL?
  var tags: [String] = []
  var spot: Spot?
  var note: String?
  @Attribute(.externalStorage) var cover: Data?
  @Attribute(.externalStorage) var booklet: String?
  @Attribute(.externalStorage) var source: URL?
  var thumbnail: Data?
  @Relationship(inverse: \Musician.albums) var musicians: [Musician] = []
  @Relationship(deleteRule: .cascade, inverse: \Song.album) var songs: [Song] = []

  init(_ title: String) { self.title = title }
}

@Model
class Musician {
  var name: String
  var albums: [Album] = []
  init(_ name: String) { self.name = name }
}

@Model
final class Drummer: Musician {
  var sticks: Int

  init(_ name: String, sticks: Int) {
    self.sticks = sticks
    super.init(name)
  }
}

@Model
final class Song {
  var title: String
  var album: Album?
  var singer: Musician?

  init(_ title: String, singer: Musician?) {
    self.title = title
    self.singer = singer
  }
}

/// The names of its indexes are longer than those of PostgreSQL, and differ at the end only.
@Model
final class StockKeepingLocation {
  #Index<StockKeepingLocation>(
    [\.lowestTemperatureOfStorageInWinter], [\.lowestTemperatureOfStorageInSummer],
    [\.remarksOnTheStorageTemperatureInWinter], [\.remarksOnTheStorageTemperatureInSummer])
  var lowestTemperatureOfStorageInWinter: Int = 0
  var lowestTemperatureOfStorageInSummer: Int = 0
  var remarksOnTheStorageTemperatureInWinter: String = ""
  var remarksOnTheStorageTemperatureInSummer: String = ""

  init() {}
}

/// Its table, its columns and the table of its links have names that PostgreSQL can't have.
@Model
final class StationOnTheVeryLongRailwayLineThroughAllMountainsOfTheCountry {
  @Attribute(.unique) var number: Int = 0
  var theNameOfTheStationAsItIsWrittenOnTheSignsOfThePlatforms: String = ""
  @Attribute(.externalStorage)
  var photographOfTheBuildingFromTheSideOfTheTracksInTheWinter: Data?
  var theNextStationOnTheLineInTheDirectionOfTheCapitalOfTheCountry:
    StationOnTheVeryLongRailwayLineThroughAllMountainsOfTheCountry?
  @Relationship(
    inverse:
      \StationOnTheVeryLongRailwayLineThroughAllMountainsOfTheCountry
      .stationsFromWhichThisOneIsReachedWithoutAChangeOfTrainsAtNight)
  var stationsThatCanBeReachedWithoutAChangeOfTrainsDuringTheDay:
    [StationOnTheVeryLongRailwayLineThroughAllMountainsOfTheCountry] = []
  var stationsFromWhichThisOneIsReachedWithoutAChangeOfTrainsAtNight:
    [StationOnTheVeryLongRailwayLineThroughAllMountainsOfTheCountry] = []

  init(_ number: Int) {
    self.number = number
    theNameOfTheStationAsItIsWrittenOnTheSignsOfThePlatforms = "station \(number)"
    if number % 2 == 0 {
      photographOfTheBuildingFromTheSideOfTheTracksInTheWinter = Data(
        repeating: UInt8(number), count: 200_000)
    }
  }
}

/// A folder with store files, which is removed at the end.
final class CopyFolder {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "copy-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  static let schema = Schema([Album.self, Musician.self, Drummer.self, Song.self])

  /// A store file with extreme values, and with history.
  func makeStore(_ name: String = "a.store", albums: Int = 40) throws -> URL {
    let url = file(name)
    let container = try ModelContainer(
      for: CopyFolder.schema, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.author = "maker"
    let drummer = Drummer("Ä 👩‍👩‍👧", sticks: 2)
    let musicians = [Musician("ann"), drummer, Musician("")]
    for musician in musicians { context.insert(musician) }
    for number in 0..<albums {
      let album = Album("album \(number) \"; DROP TABLE \"ZALBUM\"; --")
      album.ratio =
        [0, -0.0, .infinity, -.infinity, .pi, 1e300, .leastNonzeroMagnitude][number % 7]
      album.plays = [0, .max, .min, -1][number % 4]
      album.big = [0, .max, 1 << 63][number % 3]
      album.isLive = number % 2 == 0
      album.price =
        [
          0, Decimal(string: "12345678901234567890.123456789")!, Decimal(string: "-0.1")!,
          Decimal(string: "1e20")!,
        ][number % 4]
      album.released = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
      album.site = number % 3 == 0 ? URL(string: "https://x.example/\(number)") : nil
      album.tags = number % 5 == 0 ? [] : ["a", "b\(number)"]
      album.spot = number % 2 == 0 ? Spot(x: Double(number), label: nil) : nil
      album.note = [nil, "", "x"][number % 3]
      album.cover =
        [
          nil, Data(), Data([2, 65, 0]),
          Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * number) }),
        ][
          number % 4]
      album.booklet =
        [nil, "", "\u{1}short \u{2}", String(repeating: "ä", count: 100_000)][number % 4]
      album.source = number % 2 == 0 ? URL(string: "https://x.example/\(number)") : nil
      album.musicians = Array(musicians.prefix(number % 4))
      context.insert(album)
      for track in 0..<number % 3 {
        let song = Song("song \(track)", singer: musicians[number % 3])
        context.insert(song)
        album.songs.append(song)
      }
    }
    try context.save()
    // Keys of deleted rows must not be assigned again.
    let last = Album("last")
    context.insert(last)
    try context.save()
    context.delete(last)
    try context.save()
    return url
  }
}

/// Everything that a user sees of a store, as texts in order.
func contents(_ container: ModelContainer) throws -> [String] {
  let context = ModelContext(container)
  var lines: [String] = []
  for album in try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)])) {
    let facts: [String] = [
      album.persistentModelID.text, album.title, "\(album.ratio)", "\(album.plays)", "\(album.big)",
      "\(album.isLive)", "\(album.price)", "\(album.released.timeIntervalSinceReferenceDate)",
      "\(album.code)", album.site?.absoluteString ?? "-", "\(album.tags)",
      String(describing: album.spot), album.note ?? "nil", "\(album.booklet?.hashValue ?? 0)",
      album.source?.absoluteString ?? "-",
      album.cover.map { "\($0.count):\($0.hashValue)" } ?? "nil",
      "\(album.musicians.map(\.name).sorted())", "\(album.songs.map(\.title).sorted())",
    ]
    lines.append(facts.joined(separator: " "))
  }
  for song in try context.fetch(FetchDescriptor<Song>()) {
    lines.append(
      "\(song.persistentModelID.text) \(song.title) \(song.album?.title ?? "-") "
        + "\(song.singer?.name ?? "-") \(song.singer is Drummer)")
  }
  for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
    let changes = transaction.changes.map { change in
      switch change {
      case .insert(let change): "+\(change.changedPersistentIdentifier.text)"
      case .update(let change): "=\(change.changedPersistentIdentifier.text)"
      case .delete(let change): "-\(change.changedPersistentIdentifier.text)"
      }
    }
    lines.append(
      "\(transaction.transactionIdentifier) \(transaction.author ?? "-") \(transaction.timestamp) \(changes)"
    )
  }
  return lines.sorted()
}

extension PersistentIdentifier {
  /// The store, the entity and the key.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "-"
  }
}
