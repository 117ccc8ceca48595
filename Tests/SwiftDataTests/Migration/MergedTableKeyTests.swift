import Foundation
import SwiftData
import Synchronization
import Testing

/// Identifiers of rows whose tables are merged under a new superclass: they lead to their rows, or to none.
@Suite struct MergedTableKeyTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models: [any PersistentModel.Type] = [Car.self, Bike.self, Tram.self]

    @Model final class Car {
      var name: String
      var price: String

      init(_ name: String, _ price: String) { (self.name, self.price) = (name, price) }
    }
    @Model final class Bike {
      var name: String
      var seen: PersistentIdentifier?
      var all: [PersistentIdentifier] = []

      init(_ name: String) { self.name = name }
    }
    @Model final class Tram {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [
      Vehicle.self, Car.self, Bike.self, Tram.self,
    ]

    @Model class Vehicle {
      var name: String

      init(_ name: String) { self.name = name }
    }
    @Model final class Car: Vehicle {
      var cents = 0

      override init(_ name: String) { super.init(name) }
    }
    @Model final class Bike: Vehicle {
      var seen: PersistentIdentifier?
      var all: [PersistentIdentifier] = []

      override init(_ name: String) { super.init(name) }
    }
    @Model final class Tram: Vehicle {
      override init(_ name: String) { super.init(name) }
    }
  }

  /// Bikes become vehicles, which are stored already.
  enum Joining {
    @Model class Vehicle {
      var name: String

      init(_ name: String) { self.name = name }
    }
    @Model final class Tram: Vehicle {
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Bike {
      var name: String
      var seen: PersistentIdentifier?
      var all: [PersistentIdentifier] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          prices.withLock { prices in
            prices = [:]
            for car in (try? context.fetch(FetchDescriptor<V1.Car>())) ?? [] {
              prices[car.persistentModelID] = car.price
            }
          }
        },
        didMigrate: { context in
          for car in try context.fetch(FetchDescriptor<V2.Car>()) {
            let price = prices.withLock { $0[car.persistentModelID] }
            car.cents = price.flatMap { Int($0) } ?? -1
          }
          try context.save()
        })
    ]
  }

  private static let prices = Mutex<[PersistentIdentifier: String]>([:])

  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  private func json(_ model: any PersistentModel) throws -> Data {
    try JSONEncoder().encode(model.persistentModelID)
  }

  private func makeFlat() throws -> [String: Data] {
    var identifiers: [String: Data] = [:]
    try store.make(V1.models) { context in
      let bikes = (1...2).map { V1.Bike("bike\($0)") }
      let cars = (1...5).map { V1.Car("car\($0)", "\($0)00") }
      let trams = (1...3).map { V1.Tram("tram\($0)") }
      for model in bikes + cars + trams as [any PersistentModel] { context.insert(model) }
      try context.save()
      for model in bikes { identifiers[model.name] = try json(model) }
      for model in cars { identifiers[model.name] = try json(model) }
      for model in trams { identifiers[model.name] = try json(model) }
    }
    return identifiers
  }

  @Test func identifiersLeadToTheirRowsOrToNone() throws {
    let identifiers = try makeFlat()
    let context = try store.open(V2.models)
    #expect(try context.fetchCount(FetchDescriptor<V2.Vehicle>()) == 10)
    for (name, json) in identifiers {
      let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: json)
      let found = try? context.existingModel(V2.Vehicle.self, for: identifier)
      // The table of bikes is the first one.
      #expect(found?.name == (name.hasPrefix("bike") ? name : nil))
      let other = ModelContext(context.container)
      other.delete(other.model(for: identifier))
      try other.save()
    }
    #expect(try context.fetchCount(FetchDescriptor<V2.Vehicle>()) == 8)
    #expect(try context.fetchCount(FetchDescriptor<V2.Bike>()) == 0)
  }

  @Test func propertiesWithIdentifiersLeadToTheSameRows() throws {
    try store.make(V1.models) { context in
      let (car, tram) = (V1.Car("car", "1"), V1.Tram("tram"))
      let (first, second) = (V1.Bike("first"), V1.Bike("second"))
      for model in [car, tram, first, second] as [any PersistentModel] { context.insert(model) }
      try context.save()
      first.seen = car.persistentModelID
      first.all = [second.persistentModelID, car.persistentModelID, tram.persistentModelID]
    }
    let context = try store.open(V2.models)
    let bikes = try context.fetch(FetchDescriptor<V2.Bike>(sortBy: [SortDescriptor(\.name)]))
    let seen = try #require(bikes[0].seen)
    #expect((context.model(for: seen) as? V2.Car)?.name == "car")
    let all = bikes[0].all.map { context.model(for: $0) as? V2.Vehicle }
    #expect(all.map { $0?.name } == ["second", "car", "tram"])
    #expect(bikes[1].seen == nil && bikes[1].all == [])
  }

  @Test func rowsOfATableThatStaysKeepTheirKeys() throws {
    var identifiers: [String: Data] = [:]
    try store.make([Joining.Vehicle.self, Joining.Tram.self, Joining.Bike.self]) { context in
      let tram = Joining.Tram("tram")
      context.insert(tram)
      context.insert(Joining.Bike("bike"))
      try context.save()
      identifiers["tram"] = try json(tram)
    }
    let context = try store.open([V2.Vehicle.self, V2.Tram.self, V2.Bike.self])
    let identifier = try JSONDecoder().decode(
      PersistentIdentifier.self, from: #require(identifiers["tram"]))
    #expect(try context.existingModel(V2.Tram.self, for: identifier).name == "tram")
    #expect(try context.fetch(FetchDescriptor<V2.Bike>()).map(\.name) == ["bike"])
  }

  @Test func aStageFindsNoRowByTheIdentifierOfAnother() throws {
    _ = try makeFlat()
    let lines = Mutex<[String]>([])
    func open() throws -> ModelContainer {
      try ModelContainer(
        for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
        configurations: ModelConfiguration(url: store.url))
    }
    let container = try WarningLog.$receiver.withValue(
      { line in lines.withLock { $0.append(line) } }, operation: open)
    let cars = try ModelContext(container).fetch(FetchDescriptor<V2.Car>())
    #expect(cars.map(\.cents) == [-1, -1, -1, -1, -1])
    let warnings = lines.withLock { $0 }.filter { $0.contains("other keys") }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("rows of Car, Tram,") == true, "\(warnings)")
    #expect(warnings.first?.contains("MigrationStage.transform") == true, "\(warnings)")
  }
}
