import Foundation
import SwiftData
import SwiftDataStores
import Testing

@Suite("Documents of earlier versions of the models")
struct VersionTests {
  enum First {
    @Model final class Item {
      var title: String
      var box: Box?

      init(title: String) { self.title = title }
    }

    @Model final class Box {
      var items: [Item] = []

      init() {}
    }
  }

  enum Second {
    @Model final class Item {
      @Attribute(originalName: "title") var name: String
      @Relationship(originalName: "box") var container: Box?
      var count = 7
      var note: String?

      init(name: String) { self.name = name }
    }

    @Model final class Box {
      var items: [Item] = []

      init() {}
    }
  }

  enum Third {
    @Model final class Item {
      var title: String
      var size: Int
      var box: Box?

      init(title: String, size: Int) {
        self.title = title
        self.size = size
      }
    }

    @Model final class Box {
      var items: [Item] = []

      init() {}
    }
  }

  private let first = Schema([First.Item.self, First.Box.self], version: .init(1, 0, 0))
  private let second = Schema([Second.Item.self, Second.Box.self], version: .init(2, 0, 0))
  private let third = Schema([Third.Item.self, Third.Box.self], version: .init(3, 0, 0))

  private func write(_ folder: Folder) throws {
    let context = try folder.context(first)
    let item = First.Item(title: "A")
    context.insert(item)
    item.box = First.Box()
    try context.save()
  }

  @Test func renamedPropertiesAndDefaultValues() throws {
    let folder = try Folder()
    try write(folder)
    let context = try folder.context(second)
    let item = try #require(try context.all(Second.Item.self).first)
    #expect(item.name == "A" && item.count == 7 && item.note == nil)
    #expect(item.container?.items.count == 1)
    item.count = 8
    try context.save()
    #expect(try folder.read().contains("\"schemaVersion\": \"2.0.0\""))
    #expect(try !folder.read().contains("\"title\""))
    // The older program does not read what it does not know.
    let error = #expect(throws: DocumentStoreError.self) { try folder.open(first) }
    #expect(error?.code == .newerSchema)
  }

  @Test func aRequiredPropertyWithoutAValue() throws {
    let folder = try Folder()
    try write(folder)
    let text = try folder.read()
    let error = #expect(throws: DocumentStoreError.self) { try folder.open(third) }
    #expect(error?.code == .invalidValue && error?.property == "size")
    #expect(try folder.read() == text)
  }

  @Test func contentsInMemory() throws {
    let contents = DictionaryStoreContents()
    let open = { (schema: Schema) in
      ModelContext(
        try ModelContainer(
          for: schema, configurations: [DictionaryStoreConfiguration(contents: contents)]))
    }
    let context = try open(first)
    context.insert(First.Item(title: "A"))
    try context.save()
    #expect(throws: DocumentStoreError.self) { _ = try open(third) }
    #expect(try open(second).all(Second.Item.self).map(\.name) == ["A"])
  }

  @Test func contentsInMemoryAreNotOpenedWithFewerClasses() throws {
    let contents = DictionaryStoreContents()
    let open = { (schema: Schema) in
      let context = ModelContext(
        try ModelContainer(
          for: schema, configurations: [DictionaryStoreConfiguration(contents: contents)]))
      context.autosaveEnabled = false
      return context
    }
    let both = Schema(
      library.entities.compactMap(\.modelType) + first.entities.compactMap(\.modelType))
    let (few, all) = (try open(first), try open(both))
    // The contents have no rows yet, but an open store may save some.
    let error = #expect(throws: DocumentStoreError.self) { _ = try open(first) }
    #expect(error?.code == .unknownContent && error?.entity == "Author")
    all.insert(Shelf("Top"))
    try all.save()
    few.insert(First.Item(title: "A"))
    try few.save()
    let reader = try open(both)
    #expect(try reader.all(Shelf.self).map(\.label) == ["Top"])
    #expect(try reader.all(First.Item.self).map(\.title) == ["A"])
  }

  @Test func aNewRowOfAnEntityThatTheStoreLacksIsRefused() throws {
    let store = try DictionaryStore(
      DictionaryStoreConfiguration(schema: first), migrationPlan: nil)
    let context = ModelContext(
      try ModelContainer(for: library, configurations: [DictionaryStoreConfiguration()]))
    context.autosaveEnabled = false
    let shelf = Shelf("Top")
    context.insert(shelf)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let snapshot = DefaultSnapshot(
      from: shelf.persistentBackingData, relatedBackingDatas: &related)
    let error = #expect(throws: DocumentStoreError.self) {
      try store.save(
        DataStoreSaveChangesRequest(
          inserted: [snapshot], updated: [], deleted: [], editingState: EditingState()))
    }
    #expect(error?.code == .unknownContent && error?.entity == "Shelf")
  }
}
