import Foundation
import SwiftData
import SwiftDataTools
import Testing

/// Recovery of a store with a hierarchy, pairs, history and values in files.
///
/// `OPENSWIFTDATA_FUZZ` is the number of damaged copies; some without it.
@Suite struct RecoveryDamageTests {
  private static let seeds =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_FUZZ"].flatMap(Int.init) ?? 12

  private let folder: StoreFolder
  private var place: URL { folder.folder.url.appending(path: "recovered.store") }
  private var values: URL { folder.folder.url.appending(path: ".recovered_SUPPORT/_EXTERNAL_DATA") }

  init() throws { folder = try Zoo.folder() }

  @Test func allOfItIsCopied() throws {
    let recovery = try ModelContainer.recoverStore(at: folder.store, to: place)
    #expect(recovery.isComplete && recovery.copiedExternalFiles == 3)
    #expect(
      try Zoo.readAll(ModelContext(Zoo.container(place)))
        == Zoo.readAll(ModelContext(Zoo.container(folder.store))))
  }

  @Test(arguments: 1...seeds) func anyDamage(_ seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let size = try folder.size
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let count = [1, 2, 8, 100, 4096].randomElement(using: &random) ?? 1
      let bytes = (0..<count).map { _ in
        [0, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      try folder.overwrite(bytes, at: Int.random(in: 0..<size - count, using: &random))
    }
    if seed % 9 == 0 { try folder.truncate(to: Int.random(in: 600..<size, using: &random)) }
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(at: folder.beside(suffix))
    }
    let before = try folder.content()
    do {
      let recovery = try ModelContainer.recoverStore(
        at: folder.store, to: place, for: Schema(Zoo.types))
      #expect(try SQLiteFile.text("PRAGMA integrity_check", in: place) == "ok")
      let context = ModelContext(try Zoo.container(place))
      _ = try Zoo.readAll(context)
      let animals = try #require(recovery.tables.first { $0.name == "ZANIMAL" })
      #expect(
        try SQLiteFile.integer("SELECT count(*) FROM ZANIMAL", in: place)
          == Int64(animals.copiedRows))
      context.insert(Zoo.Dog("New"))
      try context.save()
    } catch is SwiftDataError {
      #expect(!FileManager.default.fileExists(atPath: place.path))
    }
    let after = try folder.content()
    #expect(after.filter { before[$0.key] != nil } == before)
  }

  /// Of the files of large values one can't be written.
  @Test func whatCannotBeCopiedLeavesNothing() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA").path
    ).sorted()
    try #require(names.count == 3)
    let obstacle = values.appending(path: "\(names[2]).part")
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: place)
    }
    #expect(error == .loadIssueModelContainer)
    #expect(!FileManager.default.fileExists(atPath: place.path))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: values.path)
        == [obstacle.lastPathComponent])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.folder.url.path)
        .allSatisfy { !$0.contains("recovered.store") })
  }

  /// The destination is a link to itself, so no file can get its name.
  @Test func aStoreThatCannotBeRenamedLeavesNothing() throws {
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: place)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: place)
    }
    #expect(error == .loadIssueModelContainer)
    #expect(try FileManager.default.contentsOfDirectory(atPath: values.path).isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.folder.url.path)
        .allSatisfy { !$0.hasPrefix(".recovered.store") })
  }

  /// The store is made where the link leads.
  @Test func aLinkToAMissingFileIsFollowed() throws {
    let real = folder.folder.url.appending(path: "volume/real.store")
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: real)
    let recovery = try ModelContainer.recoverStore(at: folder.store, to: place)
    #expect(recovery.isComplete && recovery.copiedExternalFiles == 3)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path) == real.path)
    let animals = try Zoo.readAll(ModelContext(Zoo.container(folder.store)))
    #expect(try Zoo.readAll(ModelContext(Zoo.container(real))) == animals)
    #expect(try Zoo.readAll(ModelContext(Zoo.container(place))) == animals)
  }

  @Test func aPlaceInAFileIsRefused() throws {
    let place = folder.store.appending(path: "recovered.store")
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: place)
    }
    #expect(error == .loadIssueModelContainer)
  }

  @Test func aFolderThatIsMissingIsMade() throws {
    let place = folder.folder.url.appending(path: "a/b/recovered.store")
    #expect(try ModelContainer.recoverStore(at: folder.store, to: place).isComplete)
    #expect(try Zoo.readAll(ModelContext(Zoo.container(place))).count > 12)
  }
}
