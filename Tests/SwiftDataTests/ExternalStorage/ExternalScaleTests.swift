import Foundation
import SwiftData
import Testing

/// Many large values, and many changes of one.
///
/// `OPENSWIFTDATA_VALUES` is the number of values of a megabyte; 200 without it.
@Suite struct ExternalScaleTests {
  typealias Album = External.Album
  typealias Picture = External.Picture

  private static let count =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_VALUES"].flatMap(Int.init) ?? 200
  private static let size = 1 << 20

  private let folder: TemporaryFolder
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try External.container(folder.store)
  }

  /// The kilobytes of a line of the process' status.
  private static func status(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  @Test func valuesStreamInAndOut() throws {
    let before = Self.status("RssAnon")
    var most = before
    func note() { most = max(most, Self.status("RssAnon")) }
    for start in stride(from: 0, to: Self.count, by: 50) {
      let context = ModelContext(container)
      for number in start..<min(start + 50, Self.count) {
        context.insert(
          Picture("\(number)", External.bytes(UInt8(truncatingIfNeeded: number), Self.size)))
      }
      note()
      try context.save()
    }
    var sum = 0
    try ModelContext(container).enumerate(FetchDescriptor<Picture>(), batchSize: 20) { picture in
      sum += picture.data?.last.map(Int.init) ?? -1_000_000
      if picture.data?.count != Self.size { sum = -1_000_000 }
      note()
    }
    #expect(sum == (0..<Self.count).reduce(0) { $0 + $1 % 256 })
    try folder.expectWhole(Self.count)
    try ModelContext(container).delete(model: Picture.self)
    try folder.expectWhole(0)
    note()
    if Self.count > 200 {
      print("large values: \(before / 1024) MB before, \(most / 1024) MB at most")
    }
    // Those of one save are in memory, and other tests run meanwhile.
    #expect(most - before < 400 * 1024)
  }

  @Test func aValueChangesAThousandTimes() throws {
    let context = ModelContext(container)
    let picture = Picture("a", External.bytes(0))
    context.insert(picture)
    try context.save()
    for number in 1...1000 {
      // Over the threshold, below it, and none.
      picture.data =
        number % 10 == 9
        ? nil
        : External.bytes(UInt8(truncatingIfNeeded: number), number % 3 == 0 ? 10 : 140_000)
      if number % 7 == 0 { context.rollback() } else { try context.save() }
    }
    #expect(picture.data == External.bytes(UInt8(1000 % 256), 140_000))
    try folder.expectWhole(1)
    #expect(try context.stored(Picture.self).map(\.data) == [picture.data])
  }

  @Test func twoContextsChangeOneValue() throws {
    let first = ModelContext(container)
    let mine = Picture("a", External.bytes(1))
    first.insert(mine)
    try first.save()
    let second = ModelContext(container)
    let theirs = try #require(try second.fetch(FetchDescriptor<Picture>()).first)
    for number in UInt8(2)...20 {
      mine.data = External.bytes(number)
      theirs.data = External.bytes(number + 100)
      try first.save()
      try second.save()
      try folder.expectWhole(1)
      #expect(theirs.data == External.bytes(number + 100))
    }
    #expect(try first.stored(Picture.self).map(\.data) == [External.bytes(120)])
  }

  @Test func equalValuesOfTwoRowsAreTwoFiles() throws {
    let context = ModelContext(container)
    let data = External.bytes(1)
    let other = Picture("b", data)
    context.insert(other)
    context.insert(Picture("a", data))
    try context.save()
    try folder.expectWhole(2)
    try context.delete(model: Picture.self, where: #Predicate { $0.name == "a" })
    try folder.expectWhole(1)
    #expect(try context.stored(Picture.self).map(\.data) == [data])
    context.insert(Picture("a", other.data))
    other.data = nil
    try context.save()
    try folder.expectWhole(1)
  }

  @Test func anUpsertAndADeletionInOneSave() throws {
    let context = ModelContext(container)
    context.insert(Album("a", cover: External.bytes(1)))
    context.insert(Album("b", cover: External.bytes(2)))
    try context.save()
    // A deleted model keeps its file while it is in memory.
    func edit() throws {
      let other = ModelContext(container)
      other.insert(Album("a", cover: External.bytes(3)))
      let albums = try other.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.name)]))
      other.delete(try #require(albums.last))
      other.insert(Album("b", cover: External.bytes(4)))
      try other.save()
    }
    try edit()
    try folder.expectWhole(2)
    let stored = try context.stored(Album.self).sorted { $0.name < $1.name }
    #expect(stored.map(\.cover) == [External.bytes(3), External.bytes(4)])
  }

  @Test func theFolderIsReplacedByAFile() throws {
    let context = ModelContext(container)
    let picture = Picture("a", External.bytes(1))
    context.insert(picture)
    try context.save()
    try FileManager.default.removeItem(at: folder.support)
    try Data().write(to: folder.support)
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Picture>()).first)
    #expect(found.data == nil)
    found.data = External.bytes(2)
    #expect(throws: SwiftDataError.self) { try other.save() }
    found.data = Data([1])
    try FileManager.default.removeItem(at: folder.support)
    try other.save()
    #expect(try other.stored(Picture.self).map(\.data) == [Data([1])])
  }
}
