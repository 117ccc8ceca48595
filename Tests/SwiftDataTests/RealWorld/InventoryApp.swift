import Foundation
import SwiftData
import Testing

/// A model actor and a model written without macros.
enum InventoryApp {
  @Model final class Shelf {
    var code: String
    @Relationship(deleteRule: .deny) var items: [Item] = []

    init(code: String) { self.code = code }
  }

  @Model final class Item {
    var name: String
    var stock: Int
    @Relationship var shelf: Shelf?

    init(name: String, stock: Int) {
      self.name = name
      self.stock = stock
    }
  }

  actor Clerk: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor

    init(container: ModelContainer) {
      modelContainer = container
      let context = ModelContext(container)
      context.autosaveEnabled = false
      modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }

    private var context: ModelContext { modelExecutor.modelContext }

    func stock<T: PersistentModel>(_ make: @Sendable () -> T) throws -> PersistentIdentifier {
      let model = make()
      context.insert(model)
      try context.save()
      return model.persistentModelID
    }

    func move(_ item: PersistentIdentifier, to shelf: PersistentIdentifier) throws {
      self[item, as: Item.self]?.shelf = self[shelf, as: Shelf.self]
      try context.save()
    }

    func count<T: PersistentModel>(_ type: T.Type) throws -> Int {
      try context.fetchCount(FetchDescriptor<T>())
    }
  }

  /// What the macro would write, by hand.
  final class Reading: PersistentModel {
    private var _backing: any BackingData<Reading> = Reading.createBackingData()

    var persistentBackingData: any BackingData<Reading> {
      get { _backing }
      set { _backing = newValue }
    }

    static var schemaMetadata: [Schema.PropertyMetadata] {
      [
        Schema.PropertyMetadata(name: "sensor", keypath: \Reading.sensor),
        Schema.PropertyMetadata(name: "value", keypath: \Reading.value, defaultValue: 0.0),
        Schema.PropertyMetadata(
          name: "serial", keypath: \Reading.serial, metadata: Schema.Attribute(.unique)),
      ]
    }

    var sensor: String {
      get { getValue(forKey: \.sensor) }
      set { setValue(forKey: \.sensor, to: newValue) }
    }

    var value: Double {
      get { getValue(forKey: \.value) }
      set { setValue(forKey: \.value, to: newValue) }
    }

    var serial: Int {
      get { getValue(forKey: \.serial) }
      set { setValue(forKey: \.serial, to: newValue) }
    }

    init(backingData: any BackingData<Reading>) { _backing = backingData }

    init(sensor: String, value: Double, serial: Int) {
      self.sensor = sensor
      self.value = value
      self.serial = serial
    }
  }
}

@Suite(.databases) struct InventoryAppTests {
  @Test func aHandWrittenActorMovesModelsByIdentifier() async throws {
    let container = try ModelContainer(
      for: InventoryApp.Shelf.self, InventoryApp.Item.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let clerk = InventoryApp.Clerk(container: container)
    let shelf = try await clerk.stock { InventoryApp.Shelf(code: "A1") }
    let item = try await clerk.stock { InventoryApp.Item(name: "Bolt", stock: 7) }
    try await clerk.move(item, to: shelf)
    #expect(try await clerk.count(InventoryApp.Item.self) == 1)
    let context = ModelContext(container)
    let stored = try #require(context.model(for: shelf) as? InventoryApp.Shelf)
    #expect(stored.items.map(\.name) == ["Bolt"])
    context.delete(stored)
    #expect(throws: SwiftDataError.self) { try context.save() }
  }

  @Test func aModelWithoutMacrosIsStoredFetchedAndChanged() throws {
    let container = try ModelContainer(
      for: InventoryApp.Reading.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let reading = InventoryApp.Reading(sensor: "s", value: 1.5, serial: 1)
    context.insert(reading)
    try context.save()
    reading.value = 2.5
    #expect(context.hasChanges)
    try context.save()
    let warm = FetchDescriptor<InventoryApp.Reading>(
      predicate: #Predicate { $0.value > 2 && $0.sensor == "s" })
    let stored = try #require(try ModelContext(container).fetch(warm).first)
    #expect(stored.value == 2.5)
    #expect(stored.serial == 1)
    context.insert(InventoryApp.Reading(sensor: "t", value: 3, serial: 1))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<InventoryApp.Reading>()).map(\.sensor) == ["t"])
    context.delete(reading)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<InventoryApp.Reading>()) == 0)
  }
}
