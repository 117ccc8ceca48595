import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

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
      String(describing: album.spot), album.note ?? "nil",
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

@Suite(.enabled(if: PostgresServer.isAvailable))
struct StoreCopyTests {
  let folder: CopyFolder
  let address: String

  init() throws {
    folder = try CopyFolder()
    address = try PostgresServer.shared.addressOfNewSchema()
  }

  private func file(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: CopyFolder.schema, configurations: ModelConfiguration(url: url))
  }

  private func database(_ address: String) throws -> ModelContainer {
    try ModelContainer(
      for: CopyFolder.schema, configurations: [PostgresConfiguration(url: address)])
  }

  @Test func aStoreIsCopiedIntoADatabaseAndBack() throws {
    let url = try folder.makeStore()
    let before = try contents(try file(url))
    #expect(before.count > 80)
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    let preview = try copy.preview()
    #expect(preview.problems.isEmpty)
    let report = try copy.run()
    #expect(report.tables.map(\.name) == preview.tables.map(\.name))
    #expect(report.tables.first { $0.name == "ZALBUM" }?.rows == 40)
    #expect(report.tables.map(\.checksum) == preview.tables.map(\.checksum))
    #expect(try contents(try database(address)) == before)

    let back = folder.file("back.store")
    let second = try StoreCopy(from: .database(address), to: .file(back)).run()
    #expect(second.identifier == report.identifier)
    #expect(second.tables == report.tables)
    #expect(try contents(try file(back)) == before)
    #expect(!FileManager.default.fileExists(atPath: back.path + ".copying"))
  }

  @Test func newModelsGetKeysThatNoModelHadBefore() throws {
    let url = try folder.makeStore(albums: 3)
    _ = try StoreCopy(from: .file(url), to: .database(address)).run()
    func keyOfNewAlbum(_ container: ModelContainer) throws -> String {
      let context = ModelContext(container)
      let album = Album("new")
      context.insert(album)
      try context.save()
      return album.persistentModelID.text
    }
    let expected = try keyOfNewAlbum(try file(url))
    #expect(try keyOfNewAlbum(try database(address)) == expected)
    let back = folder.file("back.store")
    _ = try StoreCopy(from: .database(address), to: .file(back)).run()
    let context = ModelContext(try file(back))
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 4)
  }

  @Test func aCopyCanHaveANewIdentifier() throws {
    let url = try folder.makeStore(albums: 2)
    var copy = StoreCopy(from: .file(url), to: try .database(address))
    copy.keepsIdentifier = false
    let report = try copy.run()
    let other = try ModelContainer(
      for: CopyFolder.schema,
      configurations: ModelConfiguration("file", schema: CopyFolder.schema, url: url))
    let container = try database(address)
    func identifier(_ container: ModelContainer) throws -> String? {
      try ModelContext(container).fetch(FetchDescriptor<Album>()).first?.persistentModelID
        .storeIdentifier
    }
    #expect(try identifier(container) == report.identifier)
    #expect(try identifier(container) != identifier(other))
  }

  /// The rows of a database that an app filled, and of one that a copy filled, in a second schema.
  @Test func aStoreIsCopiedFromOneSchemaToAnother() throws {
    let context = ModelContext(try database(address))
    for number in 0..<20 { context.insert(Album("\(number)")) }
    try context.save()
    let other = try PostgresServer.shared.addressOfNewSchema()
    _ = try StoreCopy(from: .database(address), to: .database(other)).run()
    #expect(try contents(try database(other)) == contents(try database(address)))
  }

  @Test func aDryRunWritesNothing() throws {
    let url = try folder.makeStore(albums: 2)
    _ = try StoreCopy(from: .file(url), to: .database(address)).preview()
    let connection = try PostgresConnection(ConnectionParameters(address))
    let count = "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    #expect(try connection.prepare(count).integer() == 0)
    let target = folder.file("none.store")
    _ = try StoreCopy(from: .file(url), to: .file(target)).preview()
    #expect(!FileManager.default.fileExists(atPath: target.path + ".copying"))
  }

  @Test func aTargetWithAStoreIsRefusedAndStaysAsItIs() throws {
    let url = try folder.makeStore(albums: 2)
    let context = ModelContext(try database(address))
    context.insert(Album("mine"))
    try context.save()
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    #expect(try copy.preview().problems.count == 1)
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
    #expect(try ModelContext(try database(address)).fetchCount(FetchDescriptor<Album>()) == 1)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try StoreCopy(from: .database(address), to: .file(url)).run()
    }
    #expect(try ModelContext(try file(url)).fetchCount(FetchDescriptor<Album>()) == 2)
  }

  @Test func aTableOfAnotherProgramIsRefused() throws {
    let url = try folder.makeStore(albums: 2)
    let connection = try PostgresConnection(ConnectionParameters(address))
    try connection.execute("CREATE TABLE \"ZALBUM\" (x INT); INSERT INTO \"ZALBUM\" VALUES (7)")
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try StoreCopy(from: .file(url), to: .database(address)).run()
    }
    #expect(try connection.prepare("SELECT x FROM \"ZALBUM\"").integer() == 7)
  }

  @Test func whatTheModelDoesNotHaveIsRefusedUnlessItIsLeftOutOnPurpose() throws {
    let url = try folder.makeStore(albums: 2)
    try Connection(path: url.path).execute(
      "ALTER TABLE ZSONG ADD COLUMN MINE VARCHAR; UPDATE ZALBUM SET Z_OPT = Z_OPT; "
        + "INSERT INTO ZSONG (Z_PK, Z_ENT, Z_OPT, ZTITLE, MINE) VALUES (99, 4, 1, 'x', 'kept?'); "
        + "CREATE TABLE OTHER (A INTEGER); INSERT INTO OTHER VALUES (1)")
    var copy = StoreCopy(from: .file(url), to: try .database(address))
    #expect(try copy.preview().unknown == ["the table OTHER", "the column MINE of ZSONG"])
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
    copy.leavesOutUnknown = true
    #expect(try copy.run().leftOut.count == 2)
  }

  @Test func aValueThatPostgreSQLCannotStoreIsNamedBeforeTheCopy() throws {
    let url = try folder.makeStore(albums: 2)
    let context = ModelContext(try file(url))
    context.insert(Album("zero\0"))
    try context.save()
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    let problems = try copy.preview().problems
    #expect(problems.count == 1)
    #expect(
      problems.first?.contains("ZTITLE") == true && problems.first?.contains("U+0000") == true)
    #expect(problems.first?.contains("zero") == false)
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try database(address) }
  }

  @Test func aMissingFileOfALargeValueIsAProblem() throws {
    let url = try folder.makeStore(albums: 4)
    let values = folder.url.appending(path: ".a_SUPPORT/_EXTERNAL_DATA")
    let names = try FileManager.default.contentsOfDirectory(atPath: values.path)
    #expect(names.count == 1)
    for name in names { try FileManager.default.removeItem(at: values.appending(path: name)) }
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    #expect(try copy.preview().problems.first?.contains(names[0]) == true)
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
  }

  // MARK: Interrupted copies

  private struct Stop: Error {}

  @Test(arguments: [true, false])
  func aCopyThatIsInterruptedGoesOn(intoDatabase: Bool) throws {
    let url = folder.file("many.store")
    let container = try file(url)
    let context = ModelContext(container)
    for number in 0..<9_000 { context.insert(Album("\(number)")) }
    try context.save()
    let source: StoreCopy.Location
    let target: StoreCopy.Location
    let back = folder.file("back.store")
    if intoDatabase {
      (source, target) = (.file(url), try .database(address))
    } else {
      _ = try StoreCopy(from: .file(url), to: .database(address)).run()
      (source, target) = (try .database(address), .file(back))
    }
    let copied = try interrupted(StoreCopy(from: source, to: target), after: 4_000)
    #expect(copied >= 4_000)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      intoDatabase
        ? try database(address)
        : try ModelContainer(
          for: CopyFolder.schema, configurations: ModelConfiguration(url: back, allowsSave: false))
    }
    let report = try StoreCopy(from: source, to: target).run()
    #expect(report.resumedRows >= 2_000 && report.resumedRows < 9_000)
    #expect(report.tables.first { $0.name == "ZALBUM" }?.rows == 9_000)
    let opened = intoDatabase ? try database(address) : try file(back)
    #expect(try ModelContext(opened).fetchCount(FetchDescriptor<Album>()) == 9_000)
  }

  /// Stops in the middle of a run. The state is that of a killed process: whole groups are committed.
  private func interrupted(_ copy: StoreCopy, after rows: Int) throws -> Int {
    var count = 0
    do {
      _ = try copy.run { progress in
        guard progress.phase == .copying, progress.table == "ZALBUM" else { return }
        count = progress.rows
        if count >= rows { throw Stop() }
      }
      Issue.record("the copy was not interrupted")
    } catch is Stop {}
    return count
  }

  @Test func aCopyStartsAnewWhenTheSourceHasChanged() throws {
    let url = folder.file("many.store")
    let context = ModelContext(try file(url))
    for number in 0..<5_000 { context.insert(Album("\(number)")) }
    try context.save()
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    _ = try interrupted(copy, after: 2_000)
    let album = try #require(try context.fetch(FetchDescriptor<Album>()).first)
    album.note = "changed"
    try context.save()
    #expect(try copy.run().resumedRows == 0)
    #expect(try contents(try database(address)) == contents(try file(url)))
  }

  @Test func aChangedCopyIsFoundByTheVerification() throws {
    let url = folder.file("many.store")
    let context = ModelContext(try file(url))
    for number in 0..<5_000 { context.insert(Album("\(number)")) }
    try context.save()
    var copy = StoreCopy(from: .file(url), to: try .database(address))
    _ = try interrupted(copy, after: 2_000)
    try PostgresConnection(ConnectionParameters(address)).execute(
      "UPDATE \"ZALBUM\" SET \"ZPLAYS\" = 1 WHERE \"Z_PK\" = 3")
    #expect(throws: SwiftDataError.storeWriteFailure) { try copy.run() }
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try database(address) }
    copy.startsAnew = true
    #expect(try copy.run().resumedRows == 0)
  }

  /// Files that Apple's frameworks wrote.
  @Test(arguments: [
    "spezi-scheduler", "coredataplus-SampleModel2",
  ])
  func aFileOfApplesFrameworksIsCopiedThereAndBack(_ name: String) throws {
    let url = try realFile(name)
    var copy = StoreCopy(from: .file(url), to: try .database(address))
    copy.leavesOutUnknown = true
    let report = try copy.run()
    #expect(report.tables.contains { $0.rows > 0 })
    let back = folder.file("back.store")
    let second = try StoreCopy(from: .database(address), to: .file(back)).run()
    let rows = second.tables.filter { $0.rows > 0 }
    #expect(rows == report.tables.filter { $0.rows > 0 })
  }

  @Test func aModelThatPostgreSQLCannotKeepIsRefused() throws {
    let copy = StoreCopy(
      from: .file(try realFile("coredataplus-SampleModel")), to: try .database(address))
    let problems = try copy.preview().problems
    #expect(problems.contains { $0.contains("preserveValueOnDeletion from Person.id") })
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
  }

  private func realFile(_ name: String) throws -> URL {
    let files = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../SwiftDataTests/RealFiles/Files").standardized
    let url = folder.file("\(name).sqlite")
    for suffix in ["", "-wal"] {
      let data = try? Data(contentsOf: files.appending(path: "\(name).sqlite\(suffix)"))
      try data?.write(to: URL(filePath: url.path + suffix))
    }
    return url
  }
}
