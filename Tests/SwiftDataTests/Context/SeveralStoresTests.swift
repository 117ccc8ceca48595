import Foundation
import SwiftData
import Testing

@Suite struct SeveralStoresTests {
  typealias Trip = Named.Trip

  @Model final class Setting {
    @Attribute(.unique) var key: String
    var value: String

    init(_ key: String, _ value: String) {
      self.key = key
      self.value = value
    }
  }

  enum Earlier {
    @Model final class Setting {
      var key = ""
      init() {}
    }
  }

  @Model class Base {
    var name = ""
    init() {}
  }

  @Model final class Derived: Base {
    var size = 0
    override init() { super.init() }
  }

  @Model final class Painted {
    @Attribute(.transformable(by: "UnregisteredTransformer")) var paint: Paint?
    @Attribute(.transformable(by: "UnregisteredTransformer")) var coat: Coat?
    init() {}

    struct Paint {}
    struct Coat: Codable {}
  }

  @Test func aClassAndItsSuperclassNeedOneStore() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Base.self, Derived.self,
        configurations: ModelConfiguration(
          "a", schema: Schema([Base.self]), url: folder.url.appending(path: "a.store")),
        ModelConfiguration(
          "b", schema: Schema([Derived.self]), url: folder.url.appending(path: "b.store")))
    }
    #expect(error?.entity == "Derived")
  }

  @Test func aValueWithoutItsTransformerIsRefused() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Painted.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let model = Painted()
    context.insert(model)
    try context.save()
    model.paint = Painted.Paint()
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "paint")
    model.paint = nil
    // An archive could not be read once the transformer is registered.
    model.coat = Painted.Coat()
    let other = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(other?.property == "coat")
    #expect(other?.description.contains("UnregisteredTransformer") == true)
  }

  private func container(_ folder: TemporaryFolder) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self, Setting.self,
      configurations: ModelConfiguration(
        "trips", schema: Schema([Trip.self]), url: folder.url.appending(path: "trips.store")),
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
    context.insert(Trip("waits"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try ModelContext(try container(folder)).fetchCount(FetchDescriptor<Trip>()) == 0)
    second.key = "c"
    try context.save()
    #expect(try ModelContext(try container(folder)).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test func eachConfigurationKeepsItsEntities() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    context.insert(Trip("t"))
    context.insert(Setting("k", "v"))
    try context.save()
    let trips = try context.fetch(FetchDescriptor<Trip>())
    let settings = try context.fetch(FetchDescriptor<Setting>())
    #expect(
      trips.first?.persistentModelID.storeIdentifier
        != settings.first?.persistentModelID.storeIdentifier)
    let again = ModelContext(try container(folder))
    #expect(try again.fetch(FetchDescriptor<Trip>()).map(\.name) == ["t"])
    #expect(try again.fetch(FetchDescriptor<Setting>()).map(\.value) == ["v"])
    let alone = ModelContext(
      try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: folder.url.appending(path: "trips.store"))))
    #expect(try alone.fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test func oneStoreCanBeInMemory() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Trip.self, Setting.self,
        configurations: ModelConfiguration(for: Trip.self, isStoredInMemoryOnly: true),
        ModelConfiguration("kept", schema: Schema([Setting.self]), url: folder.store)))
    context.insert(Trip("t"))
    context.insert(Setting("k", "v"))
    try context.save()
    #expect(try context.count(Trip.self) == 1)
    #expect(try context.count(Setting.self) == 1)
  }

  @Test func relatedEntitiesStayInTheFirstStoreThatHasThem() throws {
    let folder = try TemporaryFolder()
    let one = folder.url.appending(path: "one.store")
    let container = try ModelContainer(
      for: Schema([Graph.Depot.self, Graph.Crate.self, Trip.self]),
      configurations: [
        ModelConfiguration("one", schema: Schema([Graph.Depot.self]), url: one),
        ModelConfiguration(
          "two", schema: Schema([Trip.self, Graph.Crate.self]), url: folder.store),
      ])
    let context = ModelContext(container)
    let depot = Graph.Depot("d")
    depot.crates = [Graph.Crate("c")]
    context.insert(depot)
    context.insert(Trip("t"))
    try context.save()
    let linked = "SELECT count(*) FROM ZCRATE WHERE ZDEPOT IS NOT NULL"
    #expect(try SQLiteFile.integer(linked, in: one) == 1)
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZTRIP", in: folder.store) == 1)
  }

  @Test func anEntityWithoutAStoreIsRefused() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Trip.self, Setting.self,
        configurations: ModelConfiguration(for: Trip.self, isStoredInMemoryOnly: true))
    }
    #expect(error?.description.contains("Setting") == true)
  }

  @Test func aConfigurationWithAForeignModelIsRefused() throws {
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(for: Setting.self, isStoredInMemoryOnly: true))
    }
  }

  @Test func aConfigurationWithAnotherClassOfAnEntityIsRefused() throws {
    let error = #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: Setting.self,
        configurations: ModelConfiguration(for: Earlier.Setting.self, isStoredInMemoryOnly: true))
    }
    #expect(error?.entity == "Setting")
    #expect(error?.description.contains("Earlier.Setting") == true)
  }

  @Test func twoConfigurationsOfOneNameAreRefused() throws {
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Trip.self, Setting.self,
        configurations: ModelConfiguration(
          "same", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("same", schema: Schema([Setting.self]), isStoredInMemoryOnly: true))
    }
  }

  /// The first store would have been made, and then refused as one with the models of another.
  @Test(arguments: ["a.store", "b/../a.store", "link.store"])
  func twoConfigurationsOfOneFileAreRefused(_ other: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "a.store")
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "b"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "link.store").path, withDestinationPath: "a.store")
    let error = #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Trip.self, Setting.self,
        configurations: ModelConfiguration("one", schema: Schema([Trip.self]), url: file),
        ModelConfiguration(
          "two", schema: Schema([Setting.self]), url: URL(filePath: folder.url.path + "/" + other)))
    }
    #expect(
      error?.description.contains("The configurations one and two have the same file") == true,
      "\(error as Any)")
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  /// Each transaction of the history would be there twice, and no token could be continued.
  @Test func aFileAndItsCopyAreRefused() async throws {
    let folder = try TemporaryFolder()
    let (file, copy) = (folder.store, folder.url.appending(path: "copy.store"))
    let original = try ModelContainer(
      for: Trip.self, Setting.self, configurations: ModelConfiguration(url: file))
    try await original.backup(to: copy)
    try await original.close()
    func configuration(_ name: String, _ type: any PersistentModel.Type, _ url: URL)
      -> ModelConfiguration
    {
      ModelConfiguration(name, schema: Schema([type]), url: url)
    }
    let error = #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Trip.self, Setting.self,
        configurations: configuration("trips", Trip.self, file),
        configuration("settings", Setting.self, copy))
    }
    #expect(
      error?.description.contains(
        "The stores of the configurations trips and settings have the same identifier") == true,
      "\(error as Any)")
    #expect(error?.description.contains("keepsIdentifier = false") == true)
    // Containers of their own may have them open at once.
    let one = try ModelContainer(
      for: Trip.self, Setting.self, configurations: ModelConfiguration(url: file))
    let other = try ModelContainer(
      for: Trip.self, Setting.self, configurations: ModelConfiguration(url: copy))
    withExtendedLifetime((one, other)) {}
  }

  @Test func insertingAModelOfNoSchemaNamesIt() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Setting("k", "v"))
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(error?.description.contains("Setting") == true)
    #expect(throws: SwiftDataError.unknownSchema) {
      try context.fetch(FetchDescriptor<Setting>())
    }
  }
}
