import Foundation
import SwiftData
import SwiftDataTools
import Testing

/// The file of a large value exists, but can't be read for a moment, as without a free descriptor. Here a
/// folder stands for it, which no process can read as a file.
@Suite struct UnreadableFileTests {
  typealias Picture = External.Picture
  typealias Sketch = External.Sketch

  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    container = try External.container(folder.store)
    context = ModelContext(container)
    let other = ModelContext(container)
    other.insert(Sketch(size: 300_000))
    other.insert(Picture("a", External.bytes(1)))
    try other.save()
  }

  private func sketch() throws -> Sketch {
    try #require(try context.fetch(FetchDescriptor<Sketch>()).first)
  }

  private func hiding<R>(_ body: () throws -> R) throws -> R { try folder.hiding(body) }

  private func expectUnchanged() throws {
    let stored = try #require(
      try ModelContext(container).fetch(FetchDescriptor<Sketch>()).first)
    #expect(stored.image == External.bytes(1, 300_000) && stored.text.count == 150_000)
    #expect(stored.lines.count == 75_000 && stored.stroke?.points.count == 75_000)
    #expect(stored.secret.count == 300_000)
    try folder.expectWhole(6)
  }

  @Test func itReadsAsAStandInOfAStoreThatCannotBeRead() throws {
    let sketch = try sketch()
    try hiding {
      #expect(sketch.image.isEmpty && sketch.text.isEmpty && sketch.lines.isEmpty)
      #expect(sketch.stroke == nil && sketch.secret.isEmpty && sketch.count == 7)
      #expect(
        context.unreadableValues.map(\.reason) == Array(repeating: .unreadableStore, count: 5))
    }
    #expect(sketch.text.count == 150_000)
    sketch.count = 8
    sketch.text += "end"
    try context.save()
    let stored = try context.stored(Sketch.self).first
    #expect(stored?.count == 8 && stored?.text.count == 150_003)
  }

  @Test(arguments: 0..<5) func anEditMadeFromAStandInIsNotSaved(_ number: Int) throws {
    let sketch = try sketch()
    try hiding {
      switch number {
      case 0: sketch.image.append(contentsOf: [1, 2, 3])
      case 1: sketch.text += "end"
      case 2: sketch.lines.append("end")
      case 3: if sketch.stroke == nil { sketch.stroke = .init(points: []) }
      default: sketch.secret += "end"
      }
    }
    let error = #expect(throws: SwiftDataError.storeReadFailure) { try context.save() }
    let text = error?.description ?? ""
    #expect(text.contains("can't be read now"), "\(text)")
    try expectUnchanged()
    context.rollback()
    sketch.image.append(4)
    try context.save()
    #expect(try context.stored(Sketch.self).first?.image.count == 300_001)
  }

  @Test func aValueThatIsSetWithoutAReadIsSaved() throws {
    let sketch = try sketch()
    try hiding { sketch.text = "new" }
    try context.save()
    #expect(try context.stored(Sketch.self).first?.text == "new")
  }

  /// The result of a closure for reading may be made from the value.
  @Test func aReadOfReadersThrows() async throws {
    let readers = ModelReaders(container)
    let error = await #expect(throws: SwiftDataError.storeReadFailure) {
      try await readers.read { [folder] context in
        let pictures = try context.fetch(FetchDescriptor<Picture>())
        return try folder.hiding { pictures.first?.data?.count ?? 0 }
      }
    }
    #expect(error?.description.contains("can't be read now") == true)
    let count = try await readers.read { context in
      try context.fetch(FetchDescriptor<Picture>()).first?.data?.count
    }
    #expect(count == External.size)
  }

  @Test func aRecoveryDoesNotLeaveItOut() throws {
    let recovered = folder.url.appending(path: "recovered/a.store")
    try FileManager.default.createDirectory(
      at: recovered.deletingLastPathComponent(), withIntermediateDirectories: true)
    try hiding {
      _ = #expect(throws: (any Error).self) {
        try ModelContainer.recoverStore(at: folder.store, to: recovered)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: recovered.path))
    #expect(try ModelContainer.recoverStore(at: folder.store, to: recovered).isComplete)
  }
}

extension TemporaryFolder {
  /// Puts folders in the place of the files of all values meanwhile.
  fileprivate func hiding<R>(_ body: () throws -> R) throws -> R {
    let files = FileManager.default
    let names = valueNames
    let hidden = url.appending(path: "hidden")
    try files.moveItem(at: values, to: hidden)
    for name in names {
      try files.createDirectory(
        at: values.appending(path: name), withIntermediateDirectories: true)
    }
    defer {
      for name in names { try? files.removeItem(at: values.appending(path: name)) }
      for name in names {
        try? files.moveItem(
          at: hidden.appending(path: name), to: values.appending(path: name))
      }
      try? files.removeItem(at: hidden)
    }
    return try body()
  }
}
