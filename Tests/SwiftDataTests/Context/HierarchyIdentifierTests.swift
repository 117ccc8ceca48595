import Foundation
import SwiftData
import Testing

/// Identifiers of one class of a hierarchy with the key of another class's row, as they are left from before two
/// tables were merged under a superclass. They lead to no row.
@Suite(.databases) struct HierarchyIdentifierTests {
  @Model class Vehicle {
    var name: String
    var owner: Person?

    init(_ name: String) { self.name = name }
  }
  @Model class Car: Vehicle {
    var doors = 4

    override init(_ name: String) { super.init(name) }
  }
  @Model final class Van: Car {
    var load = 1.5

    override init(_ name: String) { super.init(name) }
  }
  @Model final class Bike: Vehicle {
    var gears = 3
    var label = "label"

    override init(_ name: String) { super.init(name) }
  }
  @Model final class Person {
    var name: String
    var car: Car?
    var first: Vehicle?
    @Relationship(deleteRule: .cascade, inverse: \Vehicle.owner) var vehicles: [Vehicle] = []

    init(_ name: String) { self.name = name }
  }

  private let container: ModelContainer
  private let bike: PersistentIdentifier
  private let van: PersistentIdentifier

  init() throws {
    container = try ModelContainer(
      for: Vehicle.self, Car.self, Van.self, Bike.self, Person.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (bike, van, person) = (Bike("bike"), Van("van"), Person("Ann"))
    for model in [bike, van, person] as [any PersistentModel] { context.insert(model) }
    bike.owner = person
    try context.save()
    (self.bike, self.van) = (bike.persistentModelID, van.persistentModelID)
  }

  /// The identifier of a model of another class with the same key.
  private func identifier(
    _ entity: String, keyOf other: PersistentIdentifier
  ) throws -> PersistentIdentifier {
    let text = String(decoding: try JSONEncoder().encode(other), as: UTF8.self)
      .replacing("/\(other.entityName)/", with: "/\(entity)/")
      .replacing("\"\(other.entityName)\"", with: "\"\(entity)\"")
    return try JSONDecoder().decode(PersistentIdentifier.self, from: Data(text.utf8))
  }

  private func wrong() throws -> [PersistentIdentifier] {
    try ["Vehicle", "Car", "Van"].map { try identifier($0, keyOf: bike) }
      + ["Vehicle", "Car", "Bike"].map { try identifier($0, keyOf: van) }
  }

  private func names() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
      .map { "\(type(of: $0)) \($0.name)" }
  }

  @Test func theyLeadToNoModel() throws {
    for wrong in try wrong() {
      let context = ModelContext(container)
      #expect(context.model(for: wrong).isDeleted)
      #expect(context.model(for: wrong).modelContext == nil)
      #expect(throws: SwiftDataError.modelNotFound) {
        try context.existingModel(Vehicle.self, for: wrong)
      }
      #expect(throws: SwiftDataError.modelNotFound) {
        try context.model(Vehicle.self, urlText: wrong.urlText)
      }
    }
  }

  @Test func theModelsOfTheRowsAreFoundBesideThem() throws {
    for wrong in try wrong() {
      let context = ModelContext(container)
      let fault = context.model(for: wrong)
      #expect(try context.fetch(FetchDescriptor<Bike>()).map(\.label) == ["label"])
      #expect(try context.fetch(FetchDescriptor<Van>()).map(\.load) == [1.5])
      #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 2)
      #expect(try context.fetch(FetchDescriptor<Vehicle>()).count == 2)
      #expect((context.model(for: bike) as? Bike)?.gears == 3)
      #expect(fault.isDeleted)
      let registered: Vehicle? = context.registeredModel(for: wrong)
      #expect(registered == nil || registered === fault)
    }
  }

  @Test func aModelInMemoryIsNotFoundByThem() throws {
    let context = ModelContext(container)
    let models = try context.fetch(FetchDescriptor<Vehicle>())
    #expect(models.count == 2)
    for wrong in try wrong() {
      let registered: Vehicle? = context.registeredModel(for: wrong)
      #expect(registered == nil)
      #expect(context.model(for: wrong).isDeleted)
    }
    #expect(try Set(context.fetch(FetchDescriptor<Vehicle>())) == Set(models))
  }

  @Test func editsByThemChangeNoRow() throws {
    for wrong in try wrong() {
      let context = ModelContext(container)
      let model = try #require(context.model(for: wrong) as? Vehicle)
      model.name = "changed"
      (model as? Car)?.doors = 1
      model.owner = nil
      try context.save()
      #expect(try names() == ["Bike bike", "Van van"])
    }
    let bikes = try ModelContext(container).fetch(FetchDescriptor<Bike>())
    #expect(bikes.map(\.owner?.name) == ["Ann"])
  }

  @Test func deletionsByThemDeleteNoRow() throws {
    for wrong in try wrong() {
      let context = ModelContext(container)
      context.delete(context.model(for: wrong))
      try context.save()
      #expect(try names() == ["Bike bike", "Van van"])
    }
    let context = ModelContext(container)
    for wrong in try wrong() { context.delete(context.model(for: wrong)) }
    context.delete(context.model(for: van))
    try context.save()
    #expect(try names() == ["Bike bike"])
    #expect(try context.fetch(FetchDescriptor<Person>()).map(\.vehicles.count) == [1])
  }

  @Test func linksToThemAreNotStored() throws {
    let context = ModelContext(container)
    let person = try #require(try context.fetch(FetchDescriptor<Person>()).first)
    person.car = context.model(for: try identifier("Car", keyOf: bike)) as? Car
    person.name = "Ben"
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Person>()).first)
    #expect(read.car == nil && read.name == "Ben")
    let right = ModelContext(container)
    let again = try #require(try right.fetch(FetchDescriptor<Person>()).first)
    again.car = right.model(for: van) as? Car
    try right.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Person>()).first?.car is Van)
  }

  @Test func predicatesCompareTheClassToo() throws {
    let context = ModelContext(container)
    func names(_ predicate: Predicate<Vehicle>) throws -> [String] {
      let stored = try ModelContext(container).fetch(FetchDescriptor(predicate: predicate))
      let all = try context.fetch(FetchDescriptor<Vehicle>())
      #expect(try all.filter { try predicate.evaluate($0) }.map(\.name) == stored.map(\.name))
      #expect(
        try ModelContext(container).fetchCount(FetchDescriptor(predicate: predicate))
          == stored.count)
      return stored.map(\.name).sorted()
    }
    let wrong = try wrong()
    for wrong in wrong {
      #expect(try names(#Predicate { $0.persistentModelID == wrong }) == [])
      #expect(try names(#Predicate { $0.persistentModelID != wrong }) == ["bike", "van"])
    }
    let right = [bike, van]
    for (identifier, name) in zip(right, ["bike", "van"]) {
      #expect(try names(#Predicate { $0.persistentModelID == identifier }) == [name])
      #expect(try names(#Predicate { $0.persistentModelID != identifier }).count == 1)
    }
    #expect(try names(#Predicate { wrong.contains($0.persistentModelID) }) == [])
    #expect(try names(#Predicate { !wrong.contains($0.persistentModelID) }) == ["bike", "van"])
    let mixed = wrong + [bike]
    #expect(try names(#Predicate { mixed.contains($0.persistentModelID) }) == ["bike"])
    #expect(try names(#Predicate { right.contains($0.persistentModelID) }) == ["bike", "van"])
  }

  @Test func predicatesOnLinksCompareTheClassToo() throws {
    let context = ModelContext(container)
    let person = try #require(try context.fetch(FetchDescriptor<Person>()).first)
    person.first = context.model(for: bike) as? Vehicle
    try context.save()
    func count(_ identifier: PersistentIdentifier) throws -> Int {
      try ModelContext(container).fetchCount(
        FetchDescriptor<Person>(predicate: #Predicate { $0.first?.persistentModelID == identifier })
      )
    }
    #expect(try count(bike) == 1)
    #expect(try count(van) == 0)
    for wrong in try wrong() { #expect(try count(wrong) == 0) }
    let bike = try #require(context.model(for: bike) as? Vehicle)
    #expect(
      try context.fetchCount(
        FetchDescriptor<Person>(predicate: #Predicate { $0.first == bike })) == 1)
    #expect(
      try context.fetchCount(
        FetchDescriptor<Person>(predicate: #Predicate { $0.first != bike })) == 0)
    #expect(
      try context.fetchCount(
        FetchDescriptor<Person>(predicate: #Predicate { $0.vehicles.contains(bike) })) == 1)
  }
}
