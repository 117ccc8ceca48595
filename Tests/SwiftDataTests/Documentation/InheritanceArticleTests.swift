import Foundation
import SwiftData
import Testing

enum InheritanceArticle {
  @Model
  class Vehicle {
    var name: String
    var wheels = 4
    var owner: Owner?

    init(name: String) { self.name = name }
  }

  @Model
  class Truck: Vehicle {
    var load: Double

    init(name: String, load: Double) {
      self.load = load
      super.init(name: name)
    }
  }

  @Model
  final class Tanker: Truck {
    var liquid = "water"

    override init(name: String, load: Double) { super.init(name: name, load: load) }
  }

  @Model
  final class Owner {
    var name: String
    @Relationship(inverse: \Vehicle.owner) var vehicles: [Vehicle] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Trailer: Vehicle {
    @Transient var changes: [Int] = []
    override var wheels: Int { didSet { changes.append(oldValue) } }

    override init(name: String) { super.init(name: name) }
  }

  @Model
  class Ship {
    @Attribute(.unique) var name: String

    init(name: String) { self.name = name }
  }

  @Model
  final class Ferry: Ship {
    var cars = 0

    override init(name: String) { super.init(name: name) }
  }
}

/// The samples of the article *Inheritance*.
@Suite struct InheritanceArticleTests {
  typealias Vehicle = InheritanceArticle.Vehicle
  typealias Truck = InheritanceArticle.Truck
  typealias Tanker = InheritanceArticle.Tanker
  typealias Owner = InheritanceArticle.Owner

  private let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(
      for: Vehicle.self, Truck.self, Tanker.self, Owner.self, configurations: configuration)
    let context = ModelContext(container)

    self.context = context
  }

  private func insertVehicles() throws {
    context.insert(Vehicle(name: "Van"))
    context.insert(Truck(name: "Tipper", load: 12))
    context.insert(Tanker(name: "Milk", load: 20))
    try context.save()
  }

  @Test func aFetchGivesSubclassesToo() throws {
    try insertVehicles()

    let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
    let trucks = try context.fetch(FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.name)]))

    #expect(vehicles.map { "\(type(of: $0))" } == ["Tanker", "Truck", "Vehicle"])
    #expect(trucks.map(\.name) == ["Milk", "Tipper"])
  }

  @Test func predicatesAskForTheClass() throws {
    try insertVehicles()

    let allTrucks = #Predicate<Vehicle> { $0 is Truck }
    let heavy = #Predicate<Vehicle> {
      if let truck = $0 as? Truck { return truck.load > 15 } else { return false }
    }

    #expect(try context.fetchCount(FetchDescriptor(predicate: allTrucks)) == 2)
    #expect(try context.fetch(FetchDescriptor(predicate: heavy)).map(\.name) == ["Milk"])
  }

  @Test func theConditionsRunInSQL() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(
      try recorder.container([Vehicle.self, Truck.self, Tanker.self, Owner.self]))
    let work = try recorder.leftToMemory {
      let isTruck = #Predicate<Vehicle> { $0 is Truck }
      _ = try context.fetchCount(FetchDescriptor(predicate: isTruck))
      let isHeavy = #Predicate<Vehicle> {
        if let truck = $0 as? Truck { return truck.load > 15 } else { return false }
      }
      _ = try context.fetchCount(FetchDescriptor(predicate: isHeavy))
    }
    #expect(work.isEmpty)
  }

  @Test func aRelationshipHoldsSubclasses() throws {
    let owner = Owner(name: "Ann")
    context.insert(owner)
    owner.vehicles = [Truck(name: "Crane", load: 30), Vehicle(name: "Bus")]
    let loads = owner.vehicles.compactMap { ($0 as? Truck)?.load }

    #expect(loads == [30])
    try context.save()
    let stored = try #require(try context.stored(Owner.self).first)
    #expect(Set(stored.vehicles.map(\.name)) == ["Crane", "Bus"])
    #expect(stored.vehicles.count { $0 is Truck } == 1)
  }

  @Test func aBatchDeletionMaySpareSubclasses() throws {
    try insertVehicles()

    try context.delete(model: Truck.self, includeSubclasses: false)

    #expect(try Set(context.stored(Vehicle.self).map(\.name)) == ["Van", "Milk"])
  }

  @Test func aHierarchyIsOneTable() throws {
    let folder = try TemporaryFolder()
    _ = try ModelContainer(
      for: Vehicle.self, Truck.self, Tanker.self, Owner.self,
      configurations: ModelConfiguration(url: folder.store))
    let columns = try SQLiteFile.texts(
      "SELECT name FROM pragma_table_info('ZVEHICLE')", in: folder.store)
    #expect(Set(["Z_ENT", "ZNAME", "ZWHEELS", "ZLOAD", "ZLIQUID"]).isSubset(of: columns))
    let tables = try SQLiteFile.texts(
      "SELECT name FROM sqlite_schema WHERE name IN ('ZTRUCK', 'ZTANKER')", in: folder.store)
    #expect(tables.isEmpty)
  }

  @Test func aSubclassHasToBeListed() throws {
    let folder = try TemporaryFolder()
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Vehicle.self, Truck.self, Owner.self,
          configurations: ModelConfiguration(url: folder.store)))
      context.insert(Truck(name: "Tipper", load: 12))
      try context.save()
    }
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Vehicle.self, Owner.self, configurations: ModelConfiguration(url: folder.store))
    }
  }

  @Test func aUniqueValueOfAnotherClassIsRefused() throws {
    typealias Ship = InheritanceArticle.Ship
    typealias Ferry = InheritanceArticle.Ferry
    let context = ModelContext(
      try ModelContainer(
        for: Ship.self, Ferry.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Ferry(name: "Ada"))
    try context.save()
    context.insert(Ship(name: "Ada"))
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
  }

  @Test func anOverridingPropertyHasObservers() throws {
    typealias Trailer = InheritanceArticle.Trailer
    let context = ModelContext(
      try ModelContainer(
        for: Vehicle.self, Trailer.self, Owner.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let trailer = Trailer(name: "Box")
    context.insert(trailer)
    trailer.wheels = 2
    #expect(trailer.changes == [4])
  }
}
