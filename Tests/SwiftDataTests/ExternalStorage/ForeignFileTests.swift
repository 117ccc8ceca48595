import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Values that another program keeps in files beside the store.
@Suite struct ForeignFileTests {
  typealias Picture = External.Picture

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What a store reads whose row has these bytes.
  private func data(_ column: String) throws -> Data? {
    let context = ModelContext(try External.container(folder.store))
    context.insert(Picture("a", Data([1])))
    try context.save()
    try SQLiteFile.execute("UPDATE ZPICTURE SET ZDATA = \(column)", in: folder.store)
    return try context.stored(Picture.self).first?.data
  }

  /// A column that names a file.
  private func name(_ name: String, ending: String = "00") -> String {
    "x'02" + name.utf8.map { String(format: "%02x", $0) }.joined() + ending + "'"
  }

  private func write(_ name: String, in support: String) throws {
    let place = folder.url.appending(path: "\(support)/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data([7, 8]).write(to: place.appending(path: name))
  }

  @Test(arguments: ["00", ""]) func aFileOfTheStoreIsRead(_ ending: String) throws {
    let uuid = UUID().uuidString
    try write(uuid, in: ".test_SUPPORT")
    #expect(try data(name(uuid, ending: ending)) == Data([7, 8]))
    try folder.expectWhole(1)
  }

  @Test func aFolderWithTheWholeNameIsRead() throws {
    let uuid = UUID().uuidString
    try write(uuid, in: ".test.store_SUPPORT")
    #expect(try data(name(uuid)) == Data([7, 8]))
    let context = ModelContext(try External.container(folder.store))
    let picture = try #require(try context.fetch(FetchDescriptor<Picture>()).first)
    picture.data = nil
    try context.save()
    #expect(try ExternalFilesCheck(of: folder.store).orphans.isEmpty)
  }

  @Test func aFileOutsideIsNotRead() throws {
    try write("a", in: ".test_SUPPORT")
    try Data([7, 8]).write(to: folder.url.appending(path: "secret"))
    #expect(try data(name("../../secret")) != Data([7, 8]))
    #expect(try data(name("..")) != Data([7, 8]))
  }

  @Test func untaggedValuesAreReadAsTheyAre() throws {
    #expect(try data("x'05060708'") == Data([5, 6, 7, 8]))
    #expect(try data("x'0200FF'") == Data([2, 0, 0xFF]))
    #expect(try data("x'02'") == Data([2]))
    #expect(try data("'text'") == Data("text".utf8))
    #expect(try data("x'01'") == Data())
    #expect(try data("x''") == Data())
    #expect(try data("NULL") == nil)
  }
}
