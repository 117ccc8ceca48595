import Foundation
import SwiftData
import Testing

/// Which new model a transformation gets for an old one: that of the same row, and nil if the row has none
/// in the class.
@Suite struct TransformCounterpartTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Trip.self, Excursion.self, Vehicle.self, Car.self]
    }

    @Model final class Trip {
      var name: String
      var note: String
      init(_ name: String, _ note: String) { (self.name, self.note) = (name, note) }
    }

    @Model final class Excursion {
      var name: String
      var note: String
      init(_ name: String, _ note: String) { (self.name, self.note) = (name, note) }
    }

    @Model class Vehicle {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Car: Vehicle {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Vehicle.self, Car.self] }

    @Model final class Trip {
      var name: String
      var note: String
      init(_ name: String, _ note: String) { (self.name, self.note) = (name, note) }
    }

    @Model class Vehicle {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Car: Vehicle {
      var doors: Int = 0
      override init(_ name: String) { super.init(name) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: V2.self,
        transformation: { transformation in
          try transformation.forEach(V1.Excursion.self, V2.Trip.self, batchSize: 2) {
            old, new, context in
            if let new {
              new.note = old.note
            } else {
              context.insert(V2.Trip(old.name, old.note))
            }
          }
          try transformation.forEach(V1.Vehicle.self, V2.Car.self) { old, new, _ in
            new?.name = "car \(old.name)"
            new?.doors = 5
          }
        })
    ]
  }

  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  private func migrate(_ fill: (ModelContext) -> Void) throws -> ModelContext {
    try store.make(V1.models, fill)
    let container = try ModelContainer(
      for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
      configurations: [ModelConfiguration(url: store.url)])
    return ModelContext(container)
  }

  @Test func aModelOfAnotherClassWithTheSameKeyIsNoCounterpart() throws {
    let context = try migrate { context in
      for number in 0..<2 { context.insert(V1.Trip("t\(number)", "trip")) }
      for number in 0..<3 { context.insert(V1.Excursion("x\(number)", "excursion")) }
    }
    let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["t0", "t1", "x0", "x1", "x2"])
    #expect(trips.map(\.note) == ["trip", "trip", "excursion", "excursion", "excursion"])
  }

  @Test func aModelOfASuperclassHasNoCounterpartInASubclass() throws {
    let context = try migrate { context in
      for vehicle in [V1.Vehicle("a"), V1.Car("b"), V1.Vehicle("c")] { context.insert(vehicle) }
    }
    let vehicles = try context.fetch(FetchDescriptor<V2.Vehicle>(sortBy: [SortDescriptor(\.name)]))
    #expect(vehicles.map(\.name) == ["a", "c", "car b"])
    #expect(vehicles.map { ($0 as? V2.Car)?.doors } == [nil, nil, 5])
  }
}
