import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

// Copies that end before they are complete, and what the next run makes of them.

extension StoreCopyTests {
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

  /// The search path leads to both schemas. A store is in the first one.
  @Test func anInterruptedCopyInAnotherSchemaDoesNotMatter() throws {
    let url = folder.file("many.store")
    let context = ModelContext(try file(url))
    for number in 0..<5_000 { context.insert(Album("\(number)")) }
    try context.save()
    let other = try PostgresServer.shared.addressOfNewSchema()
    _ = try interrupted(StoreCopy(from: .file(url), to: .database(other)), after: 4_000)
    let schema = try #require(other.split(separator: "search_path=").last?.dropLast())
    let both = "\(address.dropLast()),\(schema)'"
    let report = try StoreCopy(from: .file(url), to: .database(both)).run()
    #expect(report.resumedRows == 0)
    #expect(try ModelContext(database(both)).fetchCount(FetchDescriptor<Album>()) == 5_000)
    #expect(try StoreCopy(from: .file(url), to: .database(other)).run().resumedRows >= 2_000)
  }

  /// The names of the two stores differ in the extension, so both have their large values in one folder.
  @Test func aCopyThatStartsAnewLeavesTheLargeValuesOfANeighbour() throws {
    let url = try folder.makeStore(albums: 4)
    let back = folder.file("back.store")
    var copy = StoreCopy(from: .file(url), to: .file(back))
    #expect(throws: Stop.self) {
      try copy.run { progress in if progress.phase == .verifying { throw Stop() } }
    }
    let values = folder.url.appending(path: ".back_SUPPORT/_EXTERNAL_DATA")
    func files() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: values.path).count
    }
    try #require(try files() == 2)
    let neighbour = folder.file("back.sqlite")
    let cover = Data(repeating: 9, count: 300_000)
    do {
      let context = ModelContext(try file(neighbour))
      let album = Album("neighbour")
      album.cover = cover
      context.insert(album)
      try context.save()
    }
    copy.startsAnew = true
    #expect(try copy.run().resumedRows == 0)
    let albums = try ModelContext(try file(neighbour)).fetch(FetchDescriptor<Album>())
    #expect(albums.map(\.cover) == [cover])
    #expect(try contents(try file(back)) == contents(try file(url)))
    #expect(try files() == 3)
  }

  /// A process that ends in the middle of a group has written its large values, but not committed its rows.
  @Test(arguments: [false, true])
  func largeValuesOfAGroupThatWasNotCommittedAreRemoved(sourceChanges: Bool) throws {
    let url = folder.file("large.store")
    let context = ModelContext(try file(url))
    for number in 0..<30 {
      let album = Album("\(number)")
      album.cover = Data(repeating: UInt8(number), count: 300_000)
      context.insert(album)
    }
    try context.save()
    let back = folder.file("back.store")
    let copy = StoreCopy(from: .file(url), to: .file(back))
    let support = folder.url.appending(path: ".back_SUPPORT")
    func files() throws -> [String] {
      try FileManager.default.contentsOfDirectory(
        atPath: support.appending(path: "_EXTERNAL_DATA").path)
    }
    _ = try interrupted(copy, after: 30)
    let committed = try files().count
    #expect(committed > 0 && committed < 30)
    // A store in the same folder, which stays open.
    let neighbour = ModelContext(try file(folder.file("back.sqlite")))
    let cover = Data(repeating: 99, count: 300_000)
    let album = Album("neighbour")
    album.cover = cover
    neighbour.insert(album)
    try neighbour.save()
    let unfinished = URL(filePath: back.path + ".copying")
    try Connection(path: unfinished.path).execute(
      "CREATE TRIGGER stop BEFORE INSERT ON ZALBUM WHEN NEW.Z_PK = 30 "
        + "BEGIN SELECT RAISE(ABORT, 'stop'); END")
    #expect(throws: SwiftDataError.storeWriteFailure) { try copy.run() }
    try Connection(path: unfinished.path).execute("DROP TRIGGER stop")
    #expect(try files().count == 31)

    if sourceChanges {
      for album in try context.fetch(FetchDescriptor<Album>()) where album.cover?.first ?? 0 > 20 {
        context.delete(album)
      }
      try context.save()
    }
    _ = try copy.run()
    #expect(try files().count == (sourceChanges ? 21 : 30) + 1)
    #expect(try contents(try file(back)) == contents(try file(url)))
    let stored = try ModelContext(neighbour.container).fetch(FetchDescriptor<Album>())
    #expect(stored.map(\.cover) == [cover])
  }

  @Test(arguments: [false, true], [false, true])
  func aCopyThatCouldNotBeRenamedIsRepeated(keepsIdentifier: Bool, startsAnew: Bool) throws {
    let url = try folder.makeStore(albums: 4)
    let back = folder.file("back.store")
    var copy = StoreCopy(from: .file(url), to: .file(back))
    copy.keepsIdentifier = keepsIdentifier
    // Another file gets the name before the end.
    let other = Data("mine".utf8)
    #expect(throws: (any Error).self) {
      try copy.run { progress in if progress.phase == .verifying { try other.write(to: back) } }
    }
    #expect(try Data(contentsOf: back) == other)
    try FileManager.default.removeItem(at: back)
    copy.startsAnew = startsAnew
    #expect(try copy.preview().problems.isEmpty)
    let report = try copy.run()
    #expect(report.resumedRows == 0)
    #expect(!FileManager.default.fileExists(atPath: back.path + ".copying"))
    let albums = try ModelContext(try file(back)).fetch(FetchDescriptor<Album>())
    #expect(albums.count == 4)
    #expect(albums.allSatisfy { $0.persistentModelID.storeIdentifier == report.identifier })
    #expect(albums.compactMap(\.cover).map(\.count).max() == 300_000)
    #expect(try Connection(path: back.path).integer("PRAGMA application_id") == 0)
  }

  @Test(arguments: [false, true])
  func aFileThatIsNoUnfinishedCopyStaysAsItIs(startsAnew: Bool) throws {
    let url = try folder.makeStore(albums: 2)
    let back = folder.file("back.store")
    let other = folder.file("back.store.copying")
    var copy = StoreCopy(from: .file(url), to: .file(back))
    copy.startsAnew = startsAnew
    func expectRefusal() throws {
      let before = try Data(contentsOf: other)
      #expect(try copy.preview().problems.count == 1)
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try copy.run() }
      #expect(error?.description.contains("is not an unfinished copy") == true)
      #expect(try Data(contentsOf: other) == before)
    }
    try Data("mine".utf8).write(to: other)
    try expectRefusal()
    try FileManager.default.removeItem(at: other)
    try Connection(path: other.path).execute("CREATE TABLE mine (x)")
    try expectRefusal()
  }

  @Test(arguments: [false, true])
  func aSecondCopyIntoTheSameFileIsRefused(startsAnew: Bool) throws {
    let url = folder.file("many.store")
    let context = ModelContext(try file(url))
    for number in 0..<5_000 { context.insert(Album("\(number)")) }
    try context.save()
    let back = folder.file("back.store")
    let copy = StoreCopy(from: .file(url), to: .file(back))
    var second = copy
    second.startsAnew = startsAnew
    var refusal: SwiftDataError?
    _ = try copy.run { progress in
      guard progress.phase == .copying, progress.rows == 2_000 else { return }
      refusal = #expect(throws: SwiftDataError.loadIssueModelContainer) { try second.run() }
    }
    #expect(refusal?.description.contains("Another copy into \(back.path) is running") == true)
    #expect(try contents(try file(back)) == contents(try file(url)))
    #expect(try leftovers(of: back).isEmpty)
  }

  @Test func aCopyWhoseFileIsRemovedEnds() throws {
    let url = folder.file("many.store")
    let context = ModelContext(try file(url))
    for number in 0..<5_000 { context.insert(Album("\(number)")) }
    try context.save()
    let back = folder.file("back.store")
    let copy = StoreCopy(from: .file(url), to: .file(back))
    var rows = 0
    let error = #expect(throws: SwiftDataError.storeWriteFailure) {
      try copy.run { progress in
        guard progress.phase == .copying, progress.table == "ZALBUM" else { return }
        rows = progress.rows
        if rows == 2_000 {
          try FileManager.default.removeItem(at: URL(filePath: back.path + ".copying"))
        }
      }
    }
    #expect(error?.description.contains("has replaced or removed the file") == true)
    #expect(rows < 5_000 && !FileManager.default.fileExists(atPath: back.path))
    #expect(try copy.run().resumedRows == 0)
    #expect(try contents(try file(back)) == contents(try file(url)))
    #expect(try leftovers(of: back).isEmpty)
  }

  /// The files that a copy into a file has made besides the store.
  private func leftovers(of store: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: store.deletingLastPathComponent().path
    ).filter { $0.hasPrefix(store.lastPathComponent + ".copying") }
  }

  /// A read-only file can't be locked, and the owner may still change it.
  @Test(.enabled(if: geteuid() != 0))
  func aChangeOfAFileThatCannotBeLockedEndsTheCopy() throws {
    let url = try folder.makeStore(albums: 4)
    func setWritable(_ isWritable: Bool) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: isWritable ? 0o644 : 0o444], ofItemAtPath: url.path)
    }
    try setWritable(false)
    let back = folder.file("back.store")
    var copy = StoreCopy(from: .file(url), to: .file(back))
    var phases: [StoreCopy.Progress.Phase] = []
    let error = #expect(throws: SwiftDataError.storeWriteFailure) {
      try copy.run { progress in
        phases.append(progress.phase)
        guard phases.count == 1 else { return }
        try setWritable(true)
        try Connection(path: url.path).execute("UPDATE ZSONG SET ZTITLE = 'changed'")
        try setWritable(false)
      }
    }
    #expect(error?.description.contains("was changed while it was copied") == true)
    // It was performed once.
    #expect(phases == phases.filter { $0 == .copying } + phases.filter { $0 == .verifying })
    #expect(!FileManager.default.fileExists(atPath: back.path))
    copy.startsAnew = true
    _ = try copy.run()
    try setWritable(true)
    #expect(try contents(try file(back)) == contents(try file(url)))
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

}
