import Foundation
import SwiftData
import Testing

/// A row has the name of a large value; the property reads the file when it is asked, and keeps nothing.
@Suite struct ExternalReadingTests {
  typealias Album = External.Album
  typealias Picture = External.Picture
  typealias Sketch = External.Sketch

  private let folder: TemporaryFolder
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try External.container(folder.store)
    let context = ModelContext(container)
    context.insert(Picture("a", External.bytes(1)))
    context.insert(Picture("b", Data([2])))
    context.insert(Picture("c"))
    try context.save()
  }

  private func picture(
    _ name: String, in context: ModelContext, _ properties: [PartialKeyPath<Picture>] = []
  ) throws -> Picture {
    var descriptor = FetchDescriptor<Picture>(predicate: #Predicate { $0.name == name })
    descriptor.propertiesToFetch = properties
    return try #require(try context.fetch(descriptor).first)
  }

  private func loseFiles() throws {
    try FileManager.default.removeItem(at: folder.values)
  }

  @Test func aFetchOpensNoFile() throws {
    try loseFiles()
    let context = ModelContext(container)
    let pictures = try context.fetch(FetchDescriptor<Picture>(sortBy: [SortDescriptor(\.name)]))
    #expect(pictures.map(\.name) == ["a", "b", "c"])
    #expect(context.unreadableValues.isEmpty)
    #expect(pictures[1].data == Data([2]) && pictures[2].data == nil)
    #expect(context.unreadableValues.isEmpty)
    #expect(pictures[0].data == nil)
    #expect(context.unreadableValues.map(\.reason) == [.missingFile])
    #expect(context.unreadableValues.map(\.propertyName) == ["data"])
  }

  @Test func theMissingFileOfARequiredValueReadsAsAStandIn() throws {
    let context = ModelContext(container)
    context.insert(Sketch(size: 300_000))
    try context.save()
    try loseFiles()
    let other = ModelContext(container)
    let sketch = try #require(try other.fetch(FetchDescriptor<Sketch>()).first)
    #expect(sketch.image.isEmpty && sketch.text.isEmpty && sketch.lines.isEmpty)
    #expect(sketch.stroke == nil && sketch.secret.isEmpty && sketch.count == 7)
    #expect(other.unreadableValues.count == 5)
    #expect(other.unreadableValues.allSatisfy { $0.reason == .missingFile })
    // Another property can be saved still.
    sketch.count = 8
    try other.save()
    #expect(try context.stored(Sketch.self).first?.count == 8)
  }

  /// The volume of the files may be away for a moment.
  @Test func aListIsNotReplacedByAnEditOfAMissingFile() throws {
    let context = ModelContext(container)
    context.insert(Sketch(size: 300_000))
    try context.save()
    let away = folder.values.appendingPathExtension("away")
    try FileManager.default.moveItem(at: folder.values, to: away)
    let other = ModelContext(container)
    let sketch = try #require(try other.fetch(FetchDescriptor<Sketch>()).first)
    sketch.lines = sketch.lines + ["new"]
    let error = #expect(throws: SwiftDataError.self) { try other.save() }
    #expect(error == .storeReadFailure && error?.property == "lines")
    other.rollback()
    try FileManager.default.moveItem(at: away, to: folder.values)
    #expect(sketch.lines.count == 75_000)
    sketch.lines.append("new")
    try other.save()
    #expect(try context.stored(Sketch.self).first?.lines.count == 75_001)
  }

  @Test func aValueThatSomebodyElseReplacedIsReadAnew() throws {
    let context = ModelContext(container)
    let (whole, part) = (try picture("a", in: context), ModelContext(container))
    let partial = try picture("a", in: part, [\.data])
    let stranger = ModelContext(try External.container(folder.store))
    try picture("a", in: stranger).data = External.bytes(9)
    try stranger.save()
    try folder.expectWhole(1)
    #expect(whole.data == External.bytes(9) && partial.data == External.bytes(9))
    try picture("a", in: stranger).data = Data([3])
    try stranger.save()
    #expect(whole.data == Data([3]))
    try picture("a", in: stranger).data = External.bytes(4)
    try stranger.save()
    try context.fetch(FetchDescriptor<Picture>()).forEach { _ in }
    whole.name = "edited"
    try picture("a", in: stranger).data = External.bytes(5)
    try stranger.save()
    // Unsaved values stay over the fresh row.
    #expect(whole.data == External.bytes(5) && whole.name == "edited")
    try context.save()
    #expect(whole.data == External.bytes(5))
    #expect(context.unreadableValues.isEmpty && part.unreadableValues.isEmpty)
    try folder.expectWhole(1)
  }

  @Test func aContextReadsWhatAnotherOneSaved() throws {
    let (first, second) = (ModelContext(container), ModelContext(container))
    let (mine, theirs) = (try picture("a", in: first), try picture("a", in: second))
    mine.data = External.bytes(7)
    try first.save()
    #expect(theirs.data == External.bytes(7))
    #expect(second.unreadableValues.isEmpty)
  }

  @Test func aPartialRowReadsTheFile() throws {
    let context = ModelContext(container)
    let picture = try picture("a", in: context, [\.data])
    #expect(picture.data == External.bytes(1))
    #expect(picture.name == "a")
    let other = ModelContext(container)
    let named = try self.picture("a", in: other, [\.name])
    #expect(named.data == External.bytes(1))
  }

  @Test func absenceIsAskedInSQLAndContentsInMemory() throws {
    let context = ModelContext(container)
    func names(_ predicate: Predicate<Picture>) throws -> [String] {
      try context.fetch(
        FetchDescriptor<Picture>(predicate: predicate, sortBy: [SortDescriptor(\.name)])
      ).map(\.name)
    }
    #expect(try names(#Predicate { $0.data == nil }) == ["c"])
    #expect(try names(#Predicate { $0.data != nil }) == ["a", "b"])
    let (large, small, none) = (External.bytes(1), Data([2]), Data([3]))
    #expect(try names(#Predicate { $0.data == large }) == ["a"])
    #expect(try names(#Predicate { $0.data == small }) == ["b"])
    #expect(try names(#Predicate { $0.data == none }) == [])
    #expect(try names(#Predicate { $0.data != small }) == ["a", "c"])
    #expect(
      try context.fetchCount(FetchDescriptor(predicate: #Predicate<Picture> { $0.data == large }))
        == 1)
    #expect(
      try context.fetchIdentifiers(
        FetchDescriptor<Picture>(predicate: #Predicate { $0.data == nil })
      )
      .count == 1)
    // Absence needs no file.
    try loseFiles()
    #expect(try names(#Predicate { $0.data != nil }) == ["a", "b"])
    #expect(context.unreadableValues.isEmpty)
  }

  @Test func textsAndListsAreJudgedAndSortedByTheirContents() throws {
    let context = ModelContext(container)
    for (index, first) in ["b", "a", "c"].enumerated() {
      let sketch = Sketch(size: index == 1 ? 300_000 : 40)
      sketch.text = first + String(repeating: "x", count: index == 1 ? 300_000 : 5)
      sketch.lines = [first]
      sketch.count = index
      context.insert(sketch)
    }
    try context.save()
    let other = ModelContext(container)
    let sorted = try other.fetch(FetchDescriptor<Sketch>(sortBy: [SortDescriptor(\.text)]))
    #expect(sorted.map(\.count) == [1, 0, 2])
    let found = try other.fetch(
      FetchDescriptor<Sketch>(predicate: #Predicate { $0.text.hasPrefix("a") }))
    #expect(found.map(\.count) == [1])
    let listed = try other.fetch(
      FetchDescriptor<Sketch>(predicate: #Predicate { $0.lines.contains("c") }))
    #expect(listed.map(\.count) == [2])
    let small = try other.fetch(
      FetchDescriptor<Sketch>(predicate: #Predicate { $0.text == "bxxxxx" }))
    #expect(small.map(\.count) == [0])
  }

  @Test func aSnapshotHasTheValue() throws {
    let store = try #require(container.stores.first as? DefaultStore)
    let result = try store.fetch(
      DataStoreFetchRequest<Picture>(
        descriptor: FetchDescriptor(predicate: #Predicate { $0.name == "a" }),
        editingState: EditingState()))
    let data = try JSONEncoder().encode(try #require(result.fetchedSnapshots.first))
    let copy = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    let target = try TemporaryFolder()
    let other = try DefaultStore(
      ModelConfiguration(schema: Schema(External.types), url: target.store))
    for snapshot in [copy, result.fetchedSnapshots[0]] {
      let new = snapshot.copy(
        persistentIdentifier: Picture("").persistentModelID)
      _ = try other.save(
        DataStoreSaveChangesRequest(
          inserted: [new], updated: [], deleted: [], editingState: EditingState()))
    }
    #expect(try ExternalFilesCheck(of: target.store).valueCount == 2)
    #expect(target.valueNames.count == 2)
    for name in target.valueNames {
      #expect(try Data(contentsOf: target.values.appending(path: name)) == External.bytes(1))
    }
  }

  @Test func aSnapshotWithoutItsFileIsNotEncoded() throws {
    try loseFiles()
    let store = try #require(container.stores.first as? DefaultStore)
    let result = try store.fetch(
      DataStoreFetchRequest<Picture>(
        descriptor: FetchDescriptor(sortBy: [SortDescriptor(\.name)]),
        editingState: EditingState()))
    let error = #expect(throws: SwiftDataError.self) {
      try JSONEncoder().encode(result.fetchedSnapshots[0])
    }
    #expect(error == .storeReadFailure)
    #expect(error?.entity == "Picture" && error?.property == "data")
    for snapshot in result.fetchedSnapshots.dropFirst() { _ = try JSONEncoder().encode(snapshot) }
  }

  @Test func valuesAreReadByKeyPathToo() throws {
    let picture = try picture("a", in: ModelContext(container))
    let value: Data? = picture.getValue(forKey: \.data)
    #expect(value == External.bytes(1))
  }
}
