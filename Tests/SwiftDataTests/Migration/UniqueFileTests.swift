import Foundation
import SwiftData
import Testing

/// Unique values with `.externalStorage`: a migration keeps them in their rows, as a save does, since a constraint
/// compares what is in the row.
@Suite struct UniqueFileTests {
  enum V1 {
    @Model final class Item {
      var name = ""
      init() {}
    }
    @Model final class Mark {
      @Attribute(.unique, .externalStorage) var list: [PersistentIdentifier]?
      init() {}
    }
    @Model final class Photo {
      @Attribute(.unique) var data: Data?
      @Attribute(.unique) var text: String?
      init(_ data: Data?, _ text: String?) { (self.data, self.text) = (data, text) }
    }
  }

  enum V2 {
    @Model(originalName: "Item") final class Thing {
      var name = ""
      init() {}
    }
    @Model final class Photo {
      @Attribute(.unique, .externalStorage) var data: Data?
      @Attribute(.unique, .externalStorage) var text: String?
      init(_ data: Data?, _ text: String?) { (self.data, self.text) = (data, text) }
    }
  }

  enum Plain {
    @Model final class Photo {
      @Attribute(.externalStorage) var data: Data?
      var text: String?
      init(_ data: Data?, _ text: String?) { (self.data, self.text) = (data, text) }
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ models: any PersistentModel.Type...) throws -> ModelContext {
    let container = try ModelContainer(
      for: Schema(models), configurations: ModelConfiguration(url: folder.store))
    return ModelContext(container)
  }

  private let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })

  @Test func largeUniqueListsOfIdentifiersStayInRows() throws {
    do {
      let context = try open(V1.Item.self, V1.Mark.self)
      let (item, mark) = (V1.Item(), V1.Mark())
      context.insert(item)
      try context.save()
      mark.list = Array(repeating: item.persistentModelID, count: 3000)
      context.insert(mark)
      try context.save()
    }
    let context = try open(V2.Thing.self, V1.Mark.self)
    let thing = try context.fetch(FetchDescriptor<V2.Thing>())[0]
    let list = Array(repeating: thing.persistentModelID, count: 3000)
    #expect(try context.fetch(FetchDescriptor<V1.Mark>()).map(\.list) == [list])
    let same = V1.Mark()
    same.list = list
    context.insert(same)
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<V1.Mark>()) == 1)
  }

  /// The tables of many rows are altered, if possible, and those of a few are made again.
  @Test(arguments: [0, 20_000])
  func uniqueValuesThatGetExternalStorageStayInRows(_ smallTable: Int64) throws {
    let text = String(repeating: "ä\0", count: 100_000)
    do {
      let context = try open(V1.Photo.self)
      context.insert(V1.Photo(large, text))
      context.insert(V1.Photo(nil, nil))
      context.insert(V1.Photo(Data([0, 1]), "a"))
      try context.save()
    }
    let context = try SchemaChange.$smallTable.withValue(smallTable) { try open(V2.Photo.self) }
    context.insert(V2.Photo(large, "b"))
    context.insert(V2.Photo(Data([0, 1]), "c"))
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<V2.Photo>())
    #expect(found.count == 3)
    #expect(Set(found.map(\.data)) == [large, nil, Data([0, 1])])
    context.insert(V2.Photo(nil, text))
    context.insert(V2.Photo(nil, text))
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<V2.Photo>()) == 4)
  }

  @Test(arguments: [0, 20_000])
  func valuesInFilesThatBecomeUniqueMoveIntoRows(_ smallTable: Int64) throws {
    do {
      let context = try open(Plain.Photo.self)
      context.insert(Plain.Photo(large, "a"))
      context.insert(Plain.Photo(Data([0, 1]), "b"))
      try context.save()
    }
    let context = try SchemaChange.$smallTable.withValue(smallTable) { try open(V2.Photo.self) }
    context.insert(V2.Photo(large, "c"))
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<V2.Photo>())
    #expect(Set(found.map(\.data)) == [large, Data([0, 1])])
    #expect(found.count == 2)
  }

  enum InRow {
    @Model final class Photo {
      var data: Data?
      @Attribute(.unique) var text: String?
      init(_ data: Data?, _ text: String?) { (self.data, self.text) = (data, text) }
    }
  }

  enum ExternalText {
    @Model final class Photo {
      @Attribute(.externalStorage) var data: Data?
      @Attribute(.externalStorage) var text: String?
      init(_ data: Data?, _ text: String?) { (self.data, self.text) = (data, text) }
    }
  }

  enum Pair {
    @Model final class Photo {
      #Unique<Photo>([\.data, \.text])
      @Attribute(.externalStorage) var data: Data?
      var text: String?
      init(_ data: Data?, _ text: String?) { (self.data, self.text) = (data, text) }
    }
  }

  private func expectDuplicate<T: PersistentModel>(
    _ type: T.Type, _ property: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let configuration = ModelConfiguration(url: folder.store)
    let previews = try ModelContainer.migrationPreview(
      for: Schema([type]), configurations: [configuration])
    #expect(previews.first?.problems.map(\.property) == [property], sourceLocation: sourceLocation)
    #expect(previews.first?.problems.map(\.rowCount) == [1], sourceLocation: sourceLocation)
    let error = #expect(throws: SwiftDataError.self, sourceLocation: sourceLocation) {
      try open(type)
    }
    let text = error?.description ?? ""
    #expect(
      text.contains("1 row (p2) repeat the values of another row")
        && text.contains("willMigrate"), "\(text)", sourceLocation: sourceLocation)
  }

  @Test func equalValuesInFilesCannotBecomeUnique() throws {
    do {
      let context = try open(ExternalText.Photo.self)
      for number in 0..<2 {
        context.insert(ExternalText.Photo(large, "a"))
        if number == 0 { try context.save() }
      }
      try context.save()
      context.insert(ExternalText.Photo(Data([0]), "b"))
      context.insert(ExternalText.Photo(Data([1]), "c"))
      context.insert(ExternalText.Photo(nil, nil))
      context.insert(ExternalText.Photo(nil, nil))
      try context.save()
    }
    try expectDuplicate(InRow.Photo.self, "text")
    try expectDuplicate(Pair.Photo.self, "data, text")
    #expect(
      try open(ExternalText.Photo.self).fetch(FetchDescriptor<ExternalText.Photo>())
        .count { $0.data == large } == 2)
    // What the error asks for is enough.
    do {
      let context = try open(ExternalText.Photo.self)
      let photo = try context.fetch(FetchDescriptor<ExternalText.Photo>()).first { $0.text == "a" }
      photo?.text = String(repeating: "x", count: 200_000)
      try context.save()
    }
    #expect(try open(Pair.Photo.self).fetchCount(FetchDescriptor<Pair.Photo>()) == 6)
  }

  @Test func equalLargeValuesCannotBecomeUnique() throws {
    do {
      let context = try open(Plain.Photo.self)
      context.insert(Plain.Photo(large, "a"))
      try context.save()
      context.insert(Plain.Photo(large, "b"))
      try context.save()
    }
    try expectDuplicate(V2.Photo.self, "data")
    #expect(try open(Plain.Photo.self).fetch(FetchDescriptor<Plain.Photo>()).count == 2)
  }
}
