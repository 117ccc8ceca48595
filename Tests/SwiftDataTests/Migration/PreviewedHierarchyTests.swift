import Foundation
import SwiftData
import Testing

/// What a preview says of classes that get other superclasses.
@Suite struct PreviewedHierarchyTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  private func changes(_ types: [any PersistentModel.Type]) throws -> [String] {
    try ModelContainer.migrationPreview(
      for: Schema(types), configurations: [ModelConfiguration(url: store.url)]
    ).flatMap(\.stages).flatMap(\.changes)
  }

  enum Single {
    @Model final class Car {
      #Index<Car>([\.seats])
      @Attribute(.unique) var plate: String
      var seats = 4

      init(_ plate: String) { self.plate = plate }
    }
  }

  enum Derived {
    @Model class Vehicle {
      #Index<Vehicle>([\.seats])
      @Attribute(.unique) var plate: String
      var seats = 4

      init(_ plate: String) { self.plate = plate }
    }

    @Model final class Car: Vehicle {
      var doors: Int?

      override init(_ plate: String) { super.init(plate) }
    }
  }

  @Test func rulesThatTheSuperclassDeclaresAreKept() throws {
    try store.make([Single.Car.self]) { $0.insert(Single.Car("a")) }
    let up = try changes([Derived.Vehicle.self, Derived.Car.self])
    #expect(up.contains("the model Car inherits from Vehicle; earlier it inherits from no model"))
    #expect(!up.contains { $0.contains("unique") || $0.contains("index") }, "\(up)")
    _ = try store.open([Derived.Vehicle.self, Derived.Car.self])
    let down = try changes([Single.Car.self])
    #expect(!down.contains { $0.contains("Car has") || $0.contains("Car loses") }, "\(down)")
  }

  enum Before {
    @Model class Thing {
      var name: String

      init(_ name: String) { self.name = name }
    }

    @Model final class Item: Thing {
      var size: Int?

      override init(_ name: String) { super.init(name) }
    }
  }

  enum After {
    @Model(originalName: "Thing") class Base {
      var name: String

      init(_ name: String) { self.name = name }
    }

    @Model class Thing: Base {
      var weight: Int?

      override init(_ name: String) { super.init(name) }
    }

    @Model final class Item: Thing {
      var size: Int?

      override init(_ name: String) { super.init(name) }
    }
  }

  @Test func aSuperclassThatTakesTheNameOfTheFormerIsNotTheSame() throws {
    try store.make([Before.Thing.self, Before.Item.self]) { $0.insert(Before.Item("a")) }
    let changes = try changes([After.Base.self, After.Thing.self, After.Item.self])
    #expect(
      changes.contains(
        "the model Item inherits from Thing; earlier it inherited from the model that is now Base"),
      "\(changes)")
  }
}
