import Foundation
import SwiftData
import SwiftDataTools
import Testing

/// Stores whose names differ in the extension only share the folder of their large values.
@Suite struct SharedFolderTests {
  typealias Picture = External.Picture

  private let folder: TemporaryFolder
  private var other: URL { folder.url.appending(path: "test.sqlite") }
  /// The names of the files of each store.
  private let first: [String]
  private let second: [String]

  init() throws {
    folder = try TemporaryFolder()
    try Self.fill(folder.store, 1)
    first = folder.valueNames
    try Self.fill(folder.url.appending(path: "test.sqlite"), 2)
    second = folder.valueNames.filter { [first] in !first.contains($0) }
    try #require(first.count == 2 && second.count == 2)
  }

  private static func fill(_ store: URL, _ byte: UInt8) throws {
    let context = ModelContext(try External.container(store))
    for _ in 0..<2 { context.insert(Picture("a", External.bytes(byte))) }
    try context.save()
  }

  private func values(_ store: URL) throws -> [Data?] {
    try ModelContext(External.container(store)).fetch(FetchDescriptor<Picture>()).map(\.data)
  }

  @Test func bothKeepTheirFiles() throws {
    #expect(try values(folder.store) == Array(repeating: External.bytes(1), count: 2))
    #expect(try values(other) == Array(repeating: External.bytes(2), count: 2))
  }

  /// A copy of the file alone names the same values.
  @Test func aCopyBesideTheStoreKeepsItsValues() throws {
    let copy = folder.url.appending(path: "test.copy")
    try FileManager.default.copyItem(at: folder.store, to: copy)
    do {
      let context = ModelContext(try External.container(folder.store))
      for picture in try context.fetch(FetchDescriptor<Picture>()) { picture.data = nil }
      try context.save()
    }
    #expect(try values(copy) == Array(repeating: External.bytes(1), count: 2))
    #expect(try values(folder.store) == [nil, nil])
    #expect(folder.valueNames.count == 4)
    try FileManager.default.removeItem(at: copy)
    _ = try ExternalFilesCheck(of: folder.store, removingOrphans: true)
    #expect(folder.valueNames.count == 2)
  }

  @Test func theFilesOfTheOtherAreNoOrphans() throws {
    for store in [folder.store, other] {
      #expect(try ExternalFilesCheck(of: store).orphans.isEmpty)
      #expect(try ExternalFilesCheck(of: store, removingOrphans: true).orphans.isEmpty)
    }
    #expect(folder.valueNames.count == 4)
  }

  /// `StoreCopy` writes into a file with this name, and gives it the name of the store at the end.
  @Test func theFilesOfAnUnfinishedCopyAreNoOrphans() throws {
    let unfinished = URL(filePath: folder.store.path + ".copying")
    try FileManager.default.moveItem(at: folder.store, to: unfinished)
    #expect(try ExternalFilesCheck(of: other, removingOrphans: true).orphans.isEmpty)
    let text = first.joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: folder.support.appending(path: "pending-\(UUID().uuidString)"))
    #expect(try values(other) == Array(repeating: External.bytes(2), count: 2))
    #expect(folder.valueNames.count == 4)
  }

  @Test func aStoreWithTheNameOfAnUnfinishedCopyIsNotItsOwnNeighbour() throws {
    let store = folder.url.appending(path: "alone.copying")
    try Self.fill(store, 3)
    let values = folder.url.appending(path: ".alone_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: values).count == 2)
    do {
      let context = ModelContext(try External.container(store))
      for picture in try context.fetch(FetchDescriptor<Picture>()) { picture.data = nil }
      try context.save()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: values).isEmpty)
  }

  /// A killed process may have left the journal of the other store.
  @Test func theJournalOfTheOtherRemovesNothing() throws {
    let text = second.joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: folder.support.appending(path: "pending-\(UUID().uuidString)"))
    #expect(try values(folder.store).count == 2)
    #expect(folder.valueNames.count == 4)
    #expect(try values(other) == Array(repeating: External.bytes(2), count: 2))
  }

  @Test func aRecoveredStoreDoesNotShareTheFolder() throws {
    let place = folder.url.appending(path: "test.recovered")
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer.recoverStore(at: folder.store, to: place)
    }
    #expect(error?.description.contains(".test_SUPPORT") == true, "\(error?.description ?? "")")
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }
}
