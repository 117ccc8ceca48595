import Foundation
import SwiftData
import Testing

@Suite struct SeveralStoresTests {
  @Model final class Draft {
    var text: String

    init(_ text: String) { self.text = text }
  }

  @Model final class Setting {
    @Attribute(.unique) var key: String
    var value: String

    init(_ key: String, _ value: String) {
      self.key = key
      self.value = value
    }
  }

  @Model final class Shop {
    var name: String
    @Relationship(inverse: \Ware.shop) var wares: [Ware] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Ware {
    var shop: Shop?

    init() {}
  }

  private func container(_ folder: TemporaryFolder) throws -> ModelContainer {
    try ModelContainer(
      for: Draft.self, Setting.self,
      configurations: ModelConfiguration(
        "drafts", schema: Schema([Draft.self]), url: folder.url.appending(path: "drafts.store")),
      ModelConfiguration(
        "settings", schema: Schema([Setting.self]),
        url: folder.url.appending(path: "settings.store")))
  }

  @Test func aSaveThatOneStoreRefusesIsStoredInNone() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    let (first, second) = (Setting("a", "1"), Setting("b", "2"))
    context.insert(first)
    context.insert(second)
    try context.save()
    second.key = "a"
    context.insert(Draft("waits"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try ModelContext(try container(folder)).fetchCount(FetchDescriptor<Draft>()) == 0)
    second.key = "c"
    try context.save()
    #expect(try ModelContext(try container(folder)).fetchCount(FetchDescriptor<Draft>()) == 1)
  }

  @Test func eachConfigurationKeepsItsEntities() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    context.insert(Draft("d"))
    context.insert(Setting("k", "v"))
    try context.save()
    let drafts = try context.fetch(FetchDescriptor<Draft>())
    let settings = try context.fetch(FetchDescriptor<Setting>())
    #expect(
      drafts.first?.persistentModelID.storeIdentifier
        != settings.first?.persistentModelID.storeIdentifier)
    let again = ModelContext(try container(folder))
    #expect(try again.fetch(FetchDescriptor<Draft>()).map(\.text) == ["d"])
    #expect(try again.fetch(FetchDescriptor<Setting>()).map(\.value) == ["v"])
    let alone = ModelContext(
      try ModelContainer(
        for: Draft.self,
        configurations: ModelConfiguration(url: folder.url.appending(path: "drafts.store"))))
    #expect(try alone.fetchCount(FetchDescriptor<Draft>()) == 1)
  }

  @Test func oneStoreCanBeInMemory() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Draft.self, Setting.self,
        configurations: ModelConfiguration(for: Draft.self, isStoredInMemoryOnly: true),
        ModelConfiguration("kept", schema: Schema([Setting.self]), url: folder.store)))
    context.insert(Draft("d"))
    context.insert(Setting("k", "v"))
    try context.save()
    #expect(try context.count(Draft.self) == 1)
    #expect(try context.count(Setting.self) == 1)
  }

  @Test func relatedEntitiesStayInTheFirstStoreThatHasThem() throws {
    let folder = try TemporaryFolder()
    let one = folder.url.appending(path: "one.store")
    let container = try ModelContainer(
      for: Schema([Shop.self, Ware.self, Draft.self]),
      configurations: [
        ModelConfiguration("one", schema: Schema([Shop.self]), url: one),
        ModelConfiguration("two", schema: Schema([Draft.self, Ware.self]), url: folder.store),
      ])
    let context = ModelContext(container)
    let shop = Shop("s")
    shop.wares = [Ware()]
    context.insert(shop)
    context.insert(Draft("d"))
    try context.save()
    let linked = "SELECT count(*) FROM ZWARE WHERE ZSHOP IS NOT NULL"
    #expect(try SQLiteFile.integer(linked, in: one) == 1)
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZDRAFT", in: folder.store) == 1)
  }

  @Test func anEntityWithoutAStoreIsRefused() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Draft.self, Setting.self,
        configurations: ModelConfiguration(for: Draft.self, isStoredInMemoryOnly: true))
    }
    #expect(error?.description.contains("Setting") == true)
  }

  @Test func aConfigurationWithAForeignModelIsRefused() throws {
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: Draft.self,
        configurations: ModelConfiguration(for: Setting.self, isStoredInMemoryOnly: true))
    }
  }

  @Test func twoConfigurationsOfOneNameAreRefused() throws {
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Draft.self, Setting.self,
        configurations: ModelConfiguration(
          "same", schema: Schema([Draft.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("same", schema: Schema([Setting.self]), isStoredInMemoryOnly: true))
    }
  }

  @Test func insertingAModelOfNoSchemaNamesIt() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Draft.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Setting("k", "v"))
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(error?.description.contains("Setting") == true)
    #expect(throws: SwiftDataError.unknownSchema) {
      try context.fetch(FetchDescriptor<Setting>())
    }
  }
}
