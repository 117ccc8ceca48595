import Foundation
import SwiftData
import Testing

/// Requests for a class that has no relationships, whose predicates lead through those of a subclass.
@Suite(.databases) struct SubclassRelationshipTests {
  @Model class Vehicle {
    var name: String

    init(_ name: String) { self.name = name }
  }

  @Model final class Truck: Vehicle {
    var weight = 0
    var driver: Driver?
    @Relationship(deleteRule: .cascade, inverse: \Load.truck) var loads: [Load] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Van: Vehicle {
    override init(_ name: String) { super.init(name) }
  }

  @Model final class Driver {
    var name: String
    @Relationship(inverse: \Truck.driver) var trucks: [Truck] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Load {
    var truck: Truck?

    init() {}
  }

  @Model final class Garage {
    var label: String
    var vehicle: Vehicle?

    init(_ label: String, _ vehicle: Vehicle) { (self.label, self.vehicle) = (label, vehicle) }
  }

  private let context: ModelContext

  init() throws {
    let types: [any PersistentModel.Type] = [
      Vehicle.self, Truck.self, Van.self, Driver.self, Load.self, Garage.self,
    ]
    context = ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func anEditOfTheirModelIsSeen() throws {
    let truck = Truck("T")
    context.insert(truck)
    truck.driver = Driver("Bob")
    try context.save()
    let request = FetchDescriptor<Vehicle>(
      predicate: #Predicate {
        if let truck = $0 as? Truck { truck.driver?.name == "Ann" } else { false }
      })
    let observer = try ResultsObserver<Vehicle, Never>(
      fetchDescriptor: request, modelContext: context)
    #expect(observer.results.isEmpty)
    truck.driver?.name = "Ann"
    #expect(try context.fetch(request).count == 1 && context.fetchCount(request) == 1)
    #expect(observer.results.count == 1)
    try context.save()
    #expect(observer.results.count == 1)
  }

  @Test func aDeletionOfAMemberIsSeen() throws {
    let truck = Truck("T")
    context.insert(truck)
    truck.loads = [Load(), Load()]
    try context.save()
    let request = FetchDescriptor<Vehicle>(
      predicate: #Predicate {
        if let truck = $0 as? Truck { truck.loads.count > 1 } else { false }
      })
    let observer = try ResultsObserver<Vehicle, Never>(
      fetchDescriptor: request, modelContext: context)
    #expect(observer.results.count == 1)
    context.delete(truck.loads[0])
    try context.save()
    #expect(try context.fetch(request).isEmpty)
    #expect(observer.results.isEmpty)
  }

  @Test func aCastDoesNotHideOtherClasses() throws {
    let vans = [Van("m"), Van("n")]
    for (van, label) in zip(vans, ["a", "b"]) { context.insert(Garage(label, van)) }
    try context.save()
    let request = FetchDescriptor<Garage>(
      predicate: #Predicate { ($0.vehicle as? Truck)?.weight != 3 },
      sortBy: [SortDescriptor(\.vehicle?.name)])
    let observer = try ResultsObserver<Garage, Never>(
      fetchDescriptor: request, modelContext: context)
    #expect(observer.results.map(\.label) == ["a", "b"])
    vans[0].name = "z"
    #expect(try context.fetch(request).map(\.label) == ["b", "a"])
    #expect(observer.results.map(\.label) == ["b", "a"])
    try context.save()
    #expect(observer.results.map(\.label) == ["b", "a"])
  }
}
