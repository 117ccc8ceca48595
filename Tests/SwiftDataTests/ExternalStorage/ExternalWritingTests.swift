import Foundation
import SwiftData
import Testing

/// Large values of attributes with `.externalStorage` lie in files beside the store, which follow the rows.
@Suite struct ExternalWritingTests {
  typealias Album = External.Album
  typealias Picture = External.Picture
  typealias Sketch = External.Sketch

  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    container = try External.container(folder.store)
    context = ModelContext(container)
  }

  private func save(_ picture: Picture) throws -> Picture {
    context.insert(picture)
    try context.save()
    return picture
  }

  @Test func aLargeValueLiesInAFile() throws {
    _ = try save(Picture("large", External.bytes(3)))
    let name = try #require(folder.valueNames.first)
    #expect(folder.valueNames.count == 1)
    #expect(UUID(uuidString: name)?.uuidString == name)
    #expect(try Data(contentsOf: folder.values.appending(path: name)) == External.bytes(3))
    let column = try SQLiteFile.text("SELECT hex(ZDATA) FROM ZPICTURE", in: folder.store)
    #expect(column == "02" + name.utf8.map { String(format: "%02X", $0) }.joined() + "00")
    #expect(try context.stored(Picture.self).first?.data == External.bytes(3))
  }

  @Test func valuesUpToTheThresholdStayInTheRow() throws {
    let limit = 128 * 1024
    _ = try save(Picture("small", Data([9, 8])))
    #expect(try SQLiteFile.text("SELECT hex(ZDATA) FROM ZPICTURE", in: folder.store) == "010908")
    let picture = try save(Picture("limit", External.bytes(1, limit)))
    #expect(folder.valueNames.isEmpty)
    picture.data = External.bytes(1, limit + 1)
    try context.save()
    #expect(folder.valueNames.count == 1)
    try folder.expectWhole(1)
  }

  @Test func allKindsOfValuesGoToFiles() throws {
    let sketch = Sketch(size: 300_000)
    context.insert(sketch)
    try context.save()
    try folder.expectWhole(5)
    let stored = try #require(try context.stored(Sketch.self).first)
    let wanted = Sketch(size: 300_000)
    #expect(stored.image == wanted.image && stored.text == wanted.text)
    #expect(stored.lines == wanted.lines && stored.stroke == wanted.stroke)
    #expect(stored.secret == wanted.secret && stored.count == 7)
    #expect(sketch.image == wanted.image && sketch.lines == wanted.lines)
    #expect(sketch.secret == wanted.secret && sketch.text == wanted.text)
  }

  @Test func aStoreInMemoryKeepsItsValues() throws {
    let container = try ModelContainer(
      for: Schema(External.types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Picture("large", External.bytes(3)))
    try context.save()
    #expect(try context.stored(Picture.self).first?.data == External.bytes(3))
  }

  @Test(arguments: [External.bytes(5), Data([5]), nil])
  func anotherValueReplacesTheFile(_ value: Data?) throws {
    let picture = try save(Picture("a", External.bytes(4)))
    let old = folder.valueNames
    picture.data = value
    try context.save()
    #expect(folder.valueNames.filter(old.contains).isEmpty)
    try folder.expectWhole(value?.count == External.size ? 1 : 0)
    #expect(picture.data == value)
    #expect(try context.stored(Picture.self).first?.data == value)
  }

  @Test func anotherPropertyLeavesTheFile() throws {
    _ = try save(Picture("a", External.bytes(4)))
    let names = folder.valueNames
    let other = ModelContext(container)
    let picture = try #require(try other.fetch(FetchDescriptor<Picture>()).first)
    picture.name = "b"
    try other.save()
    #expect(folder.valueNames == names)
    #expect(picture.data == External.bytes(4))
  }

  @Test func deletionsRemoveTheFiles() throws {
    for name in ["a", "b", "c", "d"] {
      let album = Album(name, cover: External.bytes(1))
      context.insert(album)
      album.pictures = [Picture(name, External.bytes(2)), Picture(name, External.bytes(3))]
    }
    try context.save()
    try folder.expectWhole(12)
    // One by one, by a cascade in memory, by one in SQL, and all.
    try autoreleased {
      let other = ModelContext(container)
      other.delete(
        try #require(
          try other.fetch(FetchDescriptor<Picture>(predicate: #Predicate { $0.name == "a" })).first
        ))
      try other.save()
    }
    try folder.expectWhole(11)
    try autoreleased {
      let other = ModelContext(container)
      other.delete(
        try #require(
          try other.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.name == "b" })).first))
      try other.save()
    }
    try folder.expectWhole(8)
    let other = ModelContext(container)
    try other.delete(model: Album.self, where: #Predicate { $0.name == "c" })
    try folder.expectWhole(5)
    try other.delete(model: Picture.self)
    try folder.expectWhole(2)
    try container.erase()
    try folder.expectWhole(0)
  }

  /// Models keep what is deleted while they are in memory.
  private func autoreleased(_ body: () throws -> Void) throws { try body() }

  @Test func anUpsertRemovesTheFileOfTheRow() throws {
    context.insert(Album("a", cover: External.bytes(1)))
    try context.save()
    for byte in UInt8(2)...4 {
      let other = ModelContext(container)
      other.insert(Album("a", cover: External.bytes(byte)))
      try other.save()
      try folder.expectWhole(1)
      #expect(try context.stored(Album.self).map(\.cover) == [External.bytes(byte)])
    }
    let other = ModelContext(container)
    other.insert(Album("a"))
    try other.save()
    try folder.expectWhole(0)
  }

  @Test(arguments: [false, true])
  func aChangeOfARowThatTheSaveDeletesLeavesNoFile(_ isBatch: Bool) throws {
    let album = Album("a")
    context.insert(album)
    album.pictures = [Picture("a", External.bytes(1)), Picture("b", External.bytes(2))]
    context.insert(Picture("c", External.bytes(3)))
    try context.save()
    let pictures = album.pictures
    for picture in pictures { picture.data = External.bytes(4) }
    if isBatch { try context.delete(model: Album.self) } else { context.delete(album) }
    try context.save()
    #expect(pictures.allSatisfy { $0.data == External.bytes(4) })
    #expect(try ExternalFilesCheck(of: folder.store).orphans.isEmpty)
    try autoreleased {
      let other = ModelContext(container)
      try other.fetch(FetchDescriptor<Picture>()).first?.data = External.bytes(5)
      try other.save()
    }
    #expect(try context.stored(Picture.self).map(\.data) == [External.bytes(5)])
  }

  @Test func aSaveThatFailsLeavesNoFile() throws {
    for name in ["a", "b"] { context.insert(Album(name, cover: External.bytes(1))) }
    try context.save()
    let names = folder.valueNames
    let other = ModelContext(container)
    let album = try #require(
      try other.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.name == "a" })).first)
    album.name = "b"
    album.cover = External.bytes(2)
    other.insert(Picture("new", External.bytes(3)))
    #expect(throws: SwiftDataError.self) { try other.save() }
    #expect(folder.valueNames == names)
    album.name = "c"
    try other.save()
    try folder.expectWhole(3)
    #expect(album.cover == External.bytes(2))
  }

  @Test func aFolderThatCannotBeWrittenFailsTheSave() throws {
    try Data().write(to: folder.support)
    context.insert(Picture("a", External.bytes(1)))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.description.contains("large value") == true)
    #expect(try context.stored(Picture.self).isEmpty)
    try FileManager.default.removeItem(at: folder.support)
    try context.save()
    try folder.expectWhole(1)
  }

  @Test func aContainerThatGoesLeavesNoJournal() throws {
    let folder = try TemporaryFolder()
    try autoreleased {
      let context = ModelContext(try External.container(folder.store))
      context.insert(Picture("a", External.bytes(1)))
      try context.save()
      #expect(folder.journals.count == 1)
    }
    #expect(folder.journals.isEmpty)
    try folder.expectWhole(1)
  }

  @Test func filesOfSubclassesFollowTheirRows() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Work.self, Painting.self, configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    context.insert(Work(External.bytes(1)))
    context.insert(Painting(External.bytes(2), External.bytes(3)))
    try context.save()
    try folder.expectWhole(3)
    let other = ModelContext(container)
    let works = try other.fetch(FetchDescriptor<Work>())
    #expect(Set(works.map(\.scan)) == [External.bytes(1), External.bytes(2)])
    let painting = try #require(works.lazy.compactMap { $0 as? Painting }.first)
    #expect(painting.detail == External.bytes(3))
    painting.scan = External.bytes(4)
    try other.save()
    try folder.expectWhole(3)
    #expect(painting.scan == External.bytes(4) && painting.detail == External.bytes(3))
    try ModelContext(container).delete(model: Work.self)
    try folder.expectWhole(0)
  }

  @Model class Work {
    @Attribute(.externalStorage) var scan: Data

    init(_ scan: Data) { self.scan = scan }
  }

  @Model final class Painting: Work {
    @Attribute(.externalStorage) var detail: Data

    init(_ scan: Data, _ detail: Data) {
      self.detail = detail
      super.init(scan)
    }
  }

  @Test func aUniqueValueStaysInItsRow() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Fingerprint.self, configurations: ModelConfiguration(url: folder.store))
    for _ in 1...2 {
      let context = ModelContext(container)
      context.insert(Fingerprint(External.bytes(1)))
      try context.save()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Fingerprint>()) == 1)
    #expect(folder.valueNames.isEmpty)
  }

  @Model final class Fingerprint {
    @Attribute(.unique, .externalStorage) var bytes: Data

    init(_ bytes: Data) { self.bytes = bytes }
  }
}
