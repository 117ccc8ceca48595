import Foundation
import SwiftData
import Testing

/// Values that another program keeps in files beside the store.
@Suite struct ExternalDataTests {
  @Model final class Picture {
    @Attribute(.externalStorage) var data: Data?

    init(_ data: Data?) { self.data = data }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What a store reads whose row names a file.
  private func data(named name: String) throws -> Data? {
    let container = try ModelContainer(
      for: Picture.self, configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    context.insert(Picture(Data([1])))
    try context.save()
    let digits = name.utf8.map { String(format: "%02x", $0) }.joined()
    try SQLiteFile.execute("UPDATE ZPICTURE SET ZDATA = x'02\(digits)00'", in: folder.store)
    return try context.stored(Picture.self).first?.data
  }

  @Test func aFileOfTheStoreIsRead() throws {
    let place = folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data([7, 8]).write(to: place.appending(path: "ABC"))
    #expect(try data(named: "ABC") == Data([7, 8]))
  }

  @Test func aFileOutsideIsNotRead() throws {
    let place = folder.url.appending(path: ".test_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data([7, 8]).write(to: folder.url.appending(path: "secret"))
    #expect(try data(named: "../../secret") != Data([7, 8]))
  }
}
