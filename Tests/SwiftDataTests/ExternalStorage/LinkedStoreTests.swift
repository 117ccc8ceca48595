import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import SwiftDataTools
import Synchronization
import Testing

/// A store that is opened through a symbolic link is the store that the link leads to, with the values that
/// lie in files.
@Suite struct LinkedStoreTests {
  typealias Picture = External.Picture

  private let folder: TemporaryFolder
  private var real: URL { folder.url.appending(path: "v1.store") }
  private var linked: URL { folder.url.appending(path: "current.store") }

  init() throws {
    folder = try TemporaryFolder()
    try save("a", 1, at: real)
    try FileManager.default.createSymbolicLink(
      atPath: linked.path, withDestinationPath: "v1.store")
  }

  private func save(_ name: String, _ byte: UInt8, at url: URL) throws {
    let context = ModelContext(try External.container(url))
    context.insert(Picture(name, External.bytes(byte)))
    try context.save()
  }

  private func expect(
    _ bytes: [UInt8], at url: URL, at location: SourceLocation = #_sourceLocation
  ) throws {
    let context = ModelContext(try External.container(url))
    let found = try context.fetch(FetchDescriptor<Picture>(sortBy: [SortDescriptor(\.name)]))
    #expect(
      found.map(\.data) == bytes.map { External.bytes($0) }, sourceLocation: location)
    let check = try ExternalFilesCheck(of: url)
    #expect(
      check.missing.isEmpty && check.orphans.isEmpty && check.valueCount == bytes.count,
      sourceLocation: location)
  }

  @Test func valuesAreReadAndWrittenThroughALink() throws {
    try expect([1], at: linked)
    try save("b", 2, at: linked)
    try expect([1, 2], at: linked)
    try expect([1, 2], at: real)
    #expect(try folder.names().allSatisfy { !$0.hasPrefix(".current") })
  }

  @Test func aLinkIsInspectedAsTheStoreThatItLeadsTo() throws {
    let context = ModelContext(try External.container(real))
    context.insert(Picture("b"))
    try context.save()
    let (inspection, inspected) = (
      try StoreInspection(of: real), try StoreInspection(of: linked)
    )
    #expect(inspected.bytes == inspection.bytes && inspection.bytes >= 4096)
    #expect(inspected.logBytes == inspection.logBytes && inspection.logBytes ?? 0 > 0)
    #expect(inspected.path == linked.path)
    #expect(try StoreCheckup(of: linked).problems == [])
  }

  @Test func aStoreWithASecondHardLinkIsReported() throws {
    let other = folder.url.appending(path: "other.store")
    try FileManager.default.linkItem(at: real, to: other)
    let lines = Mutex<[String]>([])
    try WarningLog.$receiver.withValue({ line in lines.withLock { $0.append(line) } }) {
      _ = try ModelContainer(
        for: Picture.self, External.Album.self,
        configurations: ModelConfiguration(url: real, allowsSave: false))
      #expect(lines.withLock(\.self) == [])
      for _ in 0..<2 { try expect([1], at: linked) }
    }
    let found = lines.withLock(\.self)
    #expect(
      found.count == 1 && found.first?.contains("has 2 names (hard links)") == true, "\(found)")
    #expect(found.first?.contains(real.path) == true)
  }

  @Test func aLinkMayLeadToALinkInAnotherFolder() throws {
    let other = folder.url.appending(path: "links")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let place = other.appending(path: "store")
    try FileManager.default.createSymbolicLink(
      atPath: place.path, withDestinationPath: "../current.store")
    try save("b", 2, at: place)
    try expect([1, 2], at: place)
    try expect([1, 2], at: real)
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["store"])
  }

  @Test func aNewStoreIsMadeWhereALinkLeads() throws {
    let place = folder.url.appending(path: "next.store")
    try FileManager.default.createSymbolicLink(
      atPath: place.path, withDestinationPath: "v2.store")
    try save("b", 2, at: place)
    try expect([2], at: folder.url.appending(path: "v2.store"))
    try expect([2], at: place)
  }

  /// Earlier releases kept them beside the link.
  @Test func valuesBesideTheLinkAreFound() throws {
    try FileManager.default.moveItem(
      at: folder.url.appending(path: ".v1_SUPPORT"),
      to: folder.url.appending(path: ".current_SUPPORT"))
    try expect([1], at: linked)
    try save("b", 2, at: linked)
    try expect([1, 2], at: linked)
  }

  @Test func recoveryFindsThem() throws {
    let recovered = folder.url.appending(path: "recovered.store")
    let recovery = try ModelContainer.recoverStore(at: linked, to: recovered)
    #expect(recovery.isComplete && recovery.copiedExternalFiles == 1)
    try expect([1], at: recovered)
  }

  @Test func aBackupLiesBesideTheStore() throws {
    let backup = StoreBackup(of: linked, before: "2.0.0")
    try backup.make()
    #expect(backup.url.lastPathComponent == "v1-before-2.0.0.store")
    try expect([1], at: backup.url)
  }

  @Test func pathsAreResolvedAsSQLiteDoes() throws {
    let connection = try Connection(path: linked.path, mode: .readOnly)
    let path = try #require(try connection.text("SELECT file FROM pragma_database_list"))
    #expect(DatabaseFile.resolvedPath(linked.path) == path)
    #expect(path.hasSuffix("/v1.store"))
  }
}
