import Foundation
import SwiftData
import Testing

/// Hierarchies of models that change: rows move between tables, and links follow them.
@Suite struct HierarchyMigrationTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum Apart {
    @Model final class Car {
      var name: String
      var doors: Int
      var owner: Person?

      init(_ name: String, _ doors: Int) { (self.name, self.doors) = (name, doors) }
    }
    @Model final class Boat {
      var name: String
      var length: Double
      var owner: Person?

      init(_ name: String, _ length: Double) { (self.name, self.length) = (name, length) }
    }
    @Model final class Person {
      var name: String
      @Relationship(inverse: \Car.owner) var cars: [Car] = []
      @Relationship(inverse: \Boat.owner) var boats: [Boat] = []
      var favourite: Boat?

      init(_ name: String) { self.name = name }
    }
  }

  enum Joined {
    @Model class Vehicle {
      var name: String
      var owner: Person?

      init(_ name: String) { self.name = name }
    }
    @Model final class Car: Vehicle {
      var doors: Int

      init(_ name: String, _ doors: Int) {
        self.doors = doors
        super.init(name)
      }
    }
    @Model final class Boat: Vehicle {
      var length: Double

      init(_ name: String, _ length: Double) {
        self.length = length
        super.init(name)
      }
    }
    @Model final class Person {
      var name: String
      @Relationship(inverse: \Vehicle.owner) var vehicles: [Vehicle] = []
      var favourite: Vehicle?

      init(_ name: String) { self.name = name }
    }
  }

  private static let apart: [any PersistentModel.Type] = [
    Apart.Car.self, Apart.Boat.self, Apart.Person.self,
  ]
  private static let joined: [any PersistentModel.Type] = [
    Joined.Vehicle.self, Joined.Car.self, Joined.Boat.self, Joined.Person.self,
  ]

  private func makeApart() throws {
    try store.make(Self.apart) { context in
      let (ann, ben) = (Apart.Person("Ann"), Apart.Person("Ben"))
      ann.cars = [Apart.Car("Fiat", 3), Apart.Car("Audi", 5)]
      ben.boats = [Apart.Boat("Gig", 4.5)]
      ann.boats = [Apart.Boat("Yawl", 9)]
      ann.favourite = ben.boats[0]
      context.insert(ann)
      context.insert(ben)
      context.insert(Apart.Car("Lada", 4))
    }
  }

  @Test func aSuperclassIsAdded() throws {
    try makeApart()
    let context = try store.open(Self.joined)
    let vehicles = try context.fetch(
      FetchDescriptor<Joined.Vehicle>(sortBy: [SortDescriptor(\.name)]))
    #expect(vehicles.map(\.name) == ["Audi", "Fiat", "Gig", "Lada", "Yawl"])
    #expect(vehicles.map(\.owner?.name) == ["Ann", "Ann", "Ben", nil, "Ann"])
    #expect(vehicles.compactMap { ($0 as? Joined.Car)?.doors } == [5, 3, 4])
    #expect(vehicles.compactMap { ($0 as? Joined.Boat)?.length } == [4.5, 9])
    let people = try context.fetch(
      FetchDescriptor<Joined.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { Set($0.vehicles.map(\.name)) } == [["Audi", "Fiat", "Yawl"], ["Gig"]])
    #expect(people.map(\.favourite?.name) == ["Gig", nil])
    // New rows get keys behind those of both tables.
    context.insert(Joined.Car("Opel", 5))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Joined.Vehicle>()) == 6)
  }

  @Test func aSuperclassIsRemoved() throws {
    try store.make(Self.joined) { context in
      let ann = Joined.Person("Ann")
      ann.vehicles = [Joined.Car("Fiat", 3), Joined.Boat("Gig", 4.5)]
      context.insert(ann)
    }
    // The list of all vehicles has no counterpart in lists of cars and boats, but their owners have.
    let context = try store.open(Self.apart)
    #expect(try context.fetch(FetchDescriptor<Apart.Car>()).map(\.name) == ["Fiat"])
    #expect(try context.fetch(FetchDescriptor<Apart.Boat>()).map(\.length) == [4.5])
    #expect(try context.fetch(FetchDescriptor<Apart.Car>()).map(\.owner?.name) == ["Ann"])
    #expect(
      try context.fetch(FetchDescriptor<Apart.Person>()).map { $0.boats.map(\.name) } == [["Gig"]])
  }

  enum Above {
    @Model class Vehicle {
      var name: String
      var doors: Int?

      init(_ name: String) { self.name = name }
    }
    @Model final class Car: Vehicle {
      var gears: Int?

      override init(_ name: String) { super.init(name) }
    }
    @Model final class Boat: Vehicle {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum Below {
    @Model class Vehicle {
      var name: String

      init(_ name: String) { self.name = name }
    }
    @Model final class Car: Vehicle {
      var gears: Int?
      var doors: Int?

      override init(_ name: String) { super.init(name) }
    }
    @Model final class Boat: Vehicle {
      override init(_ name: String) { super.init(name) }
    }
  }

  private static let above: [any PersistentModel.Type] = [
    Above.Vehicle.self, Above.Car.self, Above.Boat.self,
  ]
  private static let below: [any PersistentModel.Type] = [
    Below.Vehicle.self, Below.Car.self, Below.Boat.self,
  ]

  @Test(arguments: RelationshipMigrationTests.sizes)
  func aPropertyMovesUpAndDown(_ size: Int64) throws {
    try store.make(Self.below) { context in
      let car = Below.Car("Fiat")
      (car.doors, car.gears) = (3, 5)
      context.insert(car)
      context.insert(Below.Boat("Gig"))
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open(Self.above)
      let vehicles = try context.fetch(
        FetchDescriptor<Above.Vehicle>(sortBy: [SortDescriptor(\.name)]))
      #expect(vehicles.map(\.doors) == [3, nil])
      #expect(vehicles.compactMap { ($0 as? Above.Car)?.gears } == [5])
      vehicles[1].doors = 1
      try context.save()
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open(Self.below)
      #expect(try context.fetch(FetchDescriptor<Below.Car>()).map(\.doors) == [3])
      #expect(try context.fetchCount(FetchDescriptor<Below.Vehicle>()) == 2)
    }
    // What a boat had is gone, not hidden in its row.
    #expect(try SQLiteFile.integer("SELECT count(ZDOORS) FROM ZVEHICLE", in: store.url) == 1)
  }

  // MARK: Values that become unique in a superclass

  enum Plated {
    @Model final class Car {
      @Attribute(.unique) var plate: String

      init(_ plate: String) { self.plate = plate }
    }
    @Model final class Bike {
      @Attribute(.unique) var plate: String

      init(_ plate: String) { self.plate = plate }
    }
  }

  enum PlatedTogether {
    @Model class Vehicle {
      @Attribute(.unique) var plate: String

      init(_ plate: String) { self.plate = plate }
    }
    @Model final class Car: Vehicle {
      override init(_ plate: String) { super.init(plate) }
    }
    @Model final class Bike: Vehicle {
      override init(_ plate: String) { super.init(plate) }
    }
  }

  @Test func valuesThatTwoClassesShareAreReportedForTheirClasses() throws {
    try store.make([Plated.Car.self, Plated.Bike.self]) { context in
      // The car is the first row of its table, and the bike the second one.
      context.insert(Plated.Bike("b"))
      try context.save()
      context.insert(Plated.Bike("a"))
      context.insert(Plated.Car("a"))
    }
    let text = try store.refusal([
      PlatedTogether.Vehicle.self, PlatedTogether.Car.self, PlatedTogether.Bike.self,
    ])
    #expect(text.contains("not unique in Bike and Car together"), "\(text)")
    #expect(text.contains("1 row (p1) of Car repeat"), "\(text)")
    #expect(text.contains("FetchDescriptor<OldVersion.Car>"), "\(text)")
    #expect(!text.contains("OldVersion.Vehicle"), "\(text)")
  }
}
