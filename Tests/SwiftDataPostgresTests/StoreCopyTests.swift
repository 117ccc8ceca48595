import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct StoreCopyTests {
  let folder: CopyFolder
  let address: String

  init() throws {
    folder = try CopyFolder()
    address = try PostgresServer.shared.addressOfNewSchema()
  }

  func file(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: CopyFolder.schema, configurations: ModelConfiguration(url: url))
  }

  func database(_ address: String) throws -> ModelContainer {
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

  /// Into a database, from there into another schema, and back into a file.
  @Test(arguments: [false, true])
  func tokensBeforeDeletedHistoryAreExpiredInACopy(everything: Bool) throws {
    let url = try folder.makeStore(albums: 2)
    let context = ModelContext(try file(url))
    let tokens = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .map(\.token)
    try #require(tokens.count == 3)
    let (first, kept) = (tokens[0], tokens[everything ? 2 : 1])
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= kept }))
    let other = try PostgresServer.shared.addressOfNewSchema()
    let back = folder.file("back.store")
    _ = try StoreCopy(from: .file(url), to: .database(address)).run()
    _ = try StoreCopy(from: .database(address), to: .database(other)).run()
    _ = try StoreCopy(from: .database(other), to: .file(back)).run()
    for container in [try file(url), try database(address), try database(other), try file(back)] {
      let copy = ModelContext(container)
      func transactions(after token: DefaultHistoryToken) throws -> Int {
        try copy.fetchHistory(
          HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
        ).count
      }
      #expect(throws: SwiftDataError.historyTokenExpired) { try transactions(after: first) }
      #expect(try transactions(after: kept) == (everything ? 0 : 1))
    }
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

  /// Texts that the server can compress fit into an index.
  @Test(arguments: [2_000, 4_000, 40_000])
  func aTextThatIsTooLongForAnIndexIsAProblem(_ length: Int) throws {
    let url = try folder.makeStore(albums: 2)
    let context = ModelContext(try file(url))
    context.insert(Album(String(repeating: "long ", count: 4_000)))
    let text = TestDatabase.incompressibleText(length)
    context.insert(Album(text))
    try context.save()
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    let problems = try copy.preview().problems
    guard length > 2_700 else {
      #expect(problems.isEmpty)
      _ = try copy.run()
      return
    }
    #expect(problems.count == 1)
    #expect(problems.first?.contains("ZTITLE that is too long for an index") == true)
    #expect(problems.first?.contains(text) == false)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
    #expect(error?.description.contains("too long for an index") == true)
  }

  /// Without the right to make temporary tables only the creation of the indexes tells.
  @Test func aRoleWithoutTemporaryTablesLearnsOfLongTextsAtTheEnd() throws {
    let admin = try PostgresServer.shared.connect()
    let name = "copy_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try admin.execute("CREATE ROLE \(name) LOGIN")
    try admin.execute("CREATE DATABASE \(name)")
    try admin.execute(
      "REVOKE TEMPORARY ON DATABASE \(name) FROM PUBLIC; GRANT CREATE ON DATABASE \(name) TO \(name)"
    )
    let place = "host=\(try PostgresServer.shared.socketFolder) dbname=\(name) user=\(name)"
    try PostgresConnection(ConnectionParameters(place)).execute("CREATE SCHEMA own")
    let url = try folder.makeStore(albums: 2)
    let context = ModelContext(try file(url))
    for _ in 0..<3 { context.insert(Album(TestDatabase.incompressibleText(4_000))) }
    try context.save()
    let copy = StoreCopy(
      from: .file(url), to: try .database(place + " options='-c search_path=own'"))
    #expect(try copy.preview().problems.isEmpty)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
    #expect(error?.description.contains("too long for the index") == true)
  }

  /// The names of the indexes are shortened as they are when a store is opened, which else makes others.
  @Test func indexesWithLongNamesAreTheSameAsThoseOfAnOpenedStore() throws {
    let schema = Schema([StockKeepingLocation.self])
    let url = folder.file("stock.store")
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
    let location = StockKeepingLocation()
    location.remarksOnTheStorageTemperatureInWinter = String(repeating: "cold ", count: 300)
    context.insert(location)
    try context.save()
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    #expect(try copy.preview().problems.isEmpty)
    _ = try copy.run()
    let connection = try PostgresConnection(ConnectionParameters(address))
    func indexes() throws -> [String] {
      try connection.prepare(
        "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1"
      ).values().map { "\($0[0])" }
    }
    let before = try indexes()
    let container = try ModelContainer(
      for: schema, configurations: [PostgresConfiguration(url: address)])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<StockKeepingLocation>()) == 1)
    #expect(try indexes() == before)

    let back = folder.file("back.store")
    _ = try StoreCopy(from: .database(address), to: .file(back)).run()
    func definitions(_ url: URL) throws -> Int64? {
      try Connection(path: url.path).integer(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND length(name) > 63")
    }
    #expect(try definitions(back) == definitions(url))
  }

  @Test func aNameThatIsTooLongIsAProblem() throws {
    let schema = Schema([MigrationNameTests.Long.self])
    let url = folder.file("long.store")
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
    context.insert(MigrationNameTests.Long(1))
    try context.save()
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    let problems = try copy.preview().problems
    #expect(problems.count == 1 && problems[0].contains("is too long for a table or column"))
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
    #expect(error?.description.contains("is too long for a table or column") == true)
  }

  @Test func aDatabaseWithShortenedNamesIsCopiedIntoAnother() throws {
    typealias Long = MigrationNameTests.Long
    func container(_ address: String) throws -> ModelContainer {
      try ModelContainer(
        for: Schema([Long.self]), configurations: [PostgresConfiguration(url: address)])
    }
    let context = ModelContext(try container(address))
    for number in 0..<3 { context.insert(Long(number)) }
    try context.save()
    let other = try PostgresServer.shared.addressOfNewSchema()
    _ = try StoreCopy(from: .database(address), to: .database(other)).run()
    let copied = ModelContext(try container(other))
    let values = try copied.fetch(FetchDescriptor<Long>(sortBy: [SortDescriptor(\.select)]))
    #expect(values.map(\.名前) == ["name 0", "name 1", "name 2"])
    copied.insert(Long(3))
    try copied.save()
    #expect(try copied.fetchCount(FetchDescriptor<Long>()) == 4)
  }

  /// In a file, tables, columns and links have their whole names.
  @Test func aDatabaseWithShortenedNamesIsCopiedIntoAFile() throws {
    typealias Station = StationOnTheVeryLongRailwayLineThroughAllMountainsOfTheCountry
    let schema = Schema([Station.self])
    let server = ModelContext(
      try ModelContainer(for: schema, configurations: [PostgresConfiguration(url: address)]))
    let stations = (0..<4).map { Station($0) }
    for station in stations { server.insert(station) }
    for station in stations.dropFirst() {
      station.stationsThatCanBeReachedWithoutAChangeOfTrainsDuringTheDay = [stations[0]]
      station.theNextStationOnTheLineInTheDirectionOfTheCapitalOfTheCountry = stations[0]
    }
    try server.save()
    let back = folder.file("back.store")
    let copy = StoreCopy(from: try .database(address), to: .file(back))
    #expect(try copy.preview().problems.isEmpty)
    let report = try copy.run()
    #expect(report.tables.first { $0.name.hasPrefix("Z_") }?.rows == 3)
    let file = ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(url: back)))
    func facts(_ context: ModelContext) throws -> [String] {
      try context.fetch(FetchDescriptor<Station>()).map { station in
        let facts: [String] = [
          station.persistentModelID.text,
          station.theNameOfTheStationAsItIsWrittenOnTheSignsOfThePlatforms,
          "\(station.photographOfTheBuildingFromTheSideOfTheTracksInTheWinter?.count ?? -1)",
          station.theNextStationOnTheLineInTheDirectionOfTheCapitalOfTheCountry?.persistentModelID
            .text ?? "-",
          "\(station.stationsThatCanBeReachedWithoutAChangeOfTrainsDuringTheDay.map(\.number))",
          "\(station.stationsFromWhichThisOneIsReachedWithoutAChangeOfTrainsAtNight.count)",
        ]
        return facts.joined(separator: " ")
      }.sorted()
    }
    #expect(try facts(file) == facts(server))
    let name = "ZTHENAMEOFTHESTATIONASITISWRITTENONTHESIGNSOFTHEPLATFORMS"
    let columns = try Connection(path: back.path).integer(
      "SELECT count(*) FROM pragma_table_info('Z' || upper('\(Station.self)')) WHERE name = '\(name)'"
    )
    #expect(columns == 1)
    file.insert(Station(9))
    try file.save()
    #expect(try file.fetchCount(FetchDescriptor<Station>()) == 5)
  }

  @Test func aMissingFileOfALargeValueIsAProblem() throws {
    let url = try folder.makeStore(albums: 4)
    let values = folder.url.appending(path: ".a_SUPPORT/_EXTERNAL_DATA")
    let names = try FileManager.default.contentsOfDirectory(atPath: values.path)
    #expect(names.count == 2)
    for name in names { try FileManager.default.removeItem(at: values.appending(path: name)) }
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    let problem = try #require(try copy.preview().problems.first)
    #expect(names.contains { problem.contains($0) })
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
  }

  /// A value of a property without external storage may begin as one with it.
  @Test func dataThatLooksLikeAnExternalValueStaysAsItIs() throws {
    let url = folder.file("looks.store")
    let context = ModelContext(try file(url))
    let name = UUID().uuidString
    let values = [
      Data([1]) + Data(repeating: 7, count: 200_000), Data([2]) + Data(name.utf8) + Data([0]),
      Data([2]), Data([1]), Data(),
    ]
    for (index, value) in values.enumerated() {
      let album = Album("\(index)")
      album.thumbnail = value
      album.cover = value
      context.insert(album)
    }
    try context.save()
    _ = try StoreCopy(from: .file(url), to: .database(address)).run()
    let back = folder.file("back.store")
    _ = try StoreCopy(from: .database(address), to: .file(back)).run()
    for container in [try database(address), try file(back)] {
      let albums = try ModelContext(container).fetch(
        FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
      #expect(albums.map(\.thumbnail) == values)
      #expect(albums.map(\.cover) == values)
    }
  }

  /// The server ends the connection in the middle; the error says that the copy can go on.
  @Test func aLostConnectionLeavesACopyThatGoesOn() throws {
    let url = folder.file("many.store")
    let context = ModelContext(try file(url))
    for number in 0..<5_000 { context.insert(Album("\(number)")) }
    try context.save()
    let name = "copy-\(UUID().uuidString.prefix(8))"
    let copy = StoreCopy(
      from: .file(url), to: try .database(address + " application_name=\(name)"))
    do {
      _ = try copy.run { progress in
        guard progress.phase == .copying, progress.rows == 2_000 else { return }
        let end = try PostgresServer.shared.connect().prepare(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1"
        )
        try end.bind(.text(name))
        #expect(try end.integer() == 1)
      }
      Issue.record("the copy was not interrupted")
    } catch let error as SwiftDataError {
      #expect(error == .storeWriteFailure)
      #expect("\(error)".contains("run the same copy again"))
    }
    #expect(try copy.run().resumedRows == 2_000)
    #expect(try ModelContext(try database(address)).fetchCount(FetchDescriptor<Album>()) == 5_000)
  }

  /// The store is made where the link leads.
  @Test func aLinkToAMissingFileIsFollowed() throws {
    let url = try folder.makeStore(albums: 4)
    let volume = folder.file("volume")
    try FileManager.default.createDirectory(at: volume, withIntermediateDirectories: true)
    let back = volume.appending(path: "back.store")
    let link = folder.file("link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: back)
    _ = try StoreCopy(from: .file(url), to: .file(link)).run()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == back.path)
    #expect(try contents(try file(back)) == contents(try file(url)))
    #expect(try contents(try file(link)) == contents(try file(url)))
  }

  @Test func aSecondRunTakesTheCopyOver() throws {
    let url = folder.file("many.store")
    let context = ModelContext(try file(url))
    for number in 0..<5_000 { context.insert(Album("\(number)")) }
    try context.save()
    let copy = StoreCopy(from: .file(url), to: try .database(address))
    var second: StoreCopy.Report?
    do {
      _ = try copy.run { progress in
        guard second == nil, progress.phase == .copying, progress.rows == 2_000 else { return }
        second = try copy.run()
      }
      Issue.record("both runs copied")
    } catch let error as SwiftDataError {
      #expect("\(error)".contains("taken this one over"))
    }
    #expect(second?.resumedRows == 2_000)
    #expect(try ModelContext(try database(address)).fetchCount(FetchDescriptor<Album>()) == 5_000)
  }

  /// Files that Apple's frameworks wrote.
  @Test(arguments: [
    "spezi-scheduler", "coredataplus-SampleModel", "coredataplus-SampleModel2",
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
