import Foundation
import SwiftData
import Testing

/// Links, and values outside of rows, that belong to classes which the new models have otherwise or not
/// at all.
@Suite struct LostLinkTests {
  enum Above {
    @Model class Animal {
      var name: String
      var owner: Person?
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      @Relationship(inverse: \Animal.owner) var pets: [Animal] = []
      init() {}
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Person.self,
    ]
  }

  enum Below {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var owner: Person?
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Cat: Animal {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      @Relationship(inverse: \Dog.owner) var pets: [Dog] = []
      init() {}
    }

    static let types: [any PersistentModel.Type] = [
      Animal.self, Dog.self, Cat.self, Person.self,
    ]
  }

  @Test func linksOfClassesThatLoseTheRelationshipAreTold() throws {
    let store = try MigratedStore().make(Above.types) { context in
      let person = Above.Person()
      context.insert(person)
      person.pets = [Above.Dog("d"), Above.Cat("c"), Above.Cat("e"), Above.Animal("a")]
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(Below.types), configurations: [ModelConfiguration(url: store.url)])
    let losses = preview[0].losses
    #expect(losses.count == 1 && losses.first?.valueCount == 3, "\(losses)")
    let context = try store.open(Below.types)
    #expect(try context.fetch(FetchDescriptor<Below.Person>()).first?.pets.map(\.name) == ["d"])
  }

  @Test func nothingIsToldIfOnlyClassesWithTheRelationshipHaveLinks() throws {
    let store = try MigratedStore().make(Above.types) { context in
      let person = Above.Person()
      context.insert(person)
      person.pets = [Above.Dog("d")]
      context.insert(Above.Cat("c"))
    }
    let preview = try ModelContainer.migrationPreview(
      for: Schema(Below.types), configurations: [ModelConfiguration(url: store.url)])
    #expect(preview[0].losses.isEmpty && preview[0].problems.isEmpty)
  }

  enum Required {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var owner: Person
      init(_ name: String, _ owner: Person) {
        self.owner = owner
        super.init(name)
      }
    }

    @Model final class Person {
      init() {}
    }
  }

  enum RequiredAbove {
    @Model class Animal {
      var name: String
      var owner: Person
      init(_ name: String, _ owner: Person) { (self.name, self.owner) = (name, owner) }
    }

    @Model final class Dog: Animal {
      override init(_ name: String, _ owner: Person) { super.init(name, owner) }
    }

    @Model final class Person {
      init() {}
    }
  }

  @Test(arguments: [true, false])
  func aRequiredRelationshipThatMovesUpNeedsLinks(hasOther: Bool) throws {
    let store = try MigratedStore().make(
      [Required.Animal.self, Required.Dog.self, Required.Person.self]
    ) { context in
      context.insert(Required.Dog("d", Required.Person()))
      if hasOther { context.insert(Required.Animal("a")) }
    }
    let types: [any PersistentModel.Type] = [
      RequiredAbove.Animal.self, RequiredAbove.Dog.self, RequiredAbove.Person.self,
    ]
    if hasOther {
      #expect(try store.refusal(types).contains("have no model for it"))
    } else {
      let context = try store.open(types)
      let dogs = try context.fetch(FetchDescriptor<RequiredAbove.Dog>())
      #expect(dogs.map(\.name) == ["d"] && dogs[0].owner.modelContext != nil)
    }
  }

  enum Kept: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Required.Animal.self, Required.Dog.self, Required.Person.self]
    }
  }

  enum KeptAbove: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [RequiredAbove.Animal.self, RequiredAbove.Dog.self, RequiredAbove.Person.self]
    }
  }

  enum KeptPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Kept.self, KeptAbove.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Kept.self, toVersion: KeptAbove.self,
        transformation: { transformation in
          try transformation.forEach(Required.Animal.self, RequiredAbove.Animal.self) {
            old, new, context in
            if old is Required.Dog { return }
            new?.owner = try #require(
              try context.fetch(FetchDescriptor<RequiredAbove.Person>()).first)
          }
        })
    ]
  }

  /// The class that gets it had nothing that code before the change could set.
  @Test func aRequiredRelationshipThatMovesUpIsSetInATransformation() throws {
    let store = try MigratedStore().make(Kept.models) { context in
      context.insert(Required.Dog("d", Required.Person()))
      context.insert(Required.Animal("a"))
    }
    let text = try store.refusal(KeptAbove.models)
    #expect(text.contains("but nothing in the store: 1 row (p"), "\(text)")
    #expect(text.contains("// Set owner of new.") && !text.contains("willMigrate"), "\(text)")
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: KeptAbove.self), migrationPlan: KeptPlan.self,
        configurations: [ModelConfiguration(url: store.url)]))
    let animals = try context.fetch(
      FetchDescriptor<RequiredAbove.Animal>(sortBy: [SortDescriptor(\.name)]))
    #expect(animals.map(\.name) == ["a", "d"])
    #expect(animals.allSatisfy { $0.owner === animals[0].owner })
  }

  enum Owned: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Boat.self, Car.self, Person.self, Worker.self]
    }

    @Model final class Boat {
      var owner: Person
      init(_ owner: Person) { self.owner = owner }
    }

    @Model final class Car {
      var owner: Person
      init(_ owner: Person) { self.owner = owner }
    }

    @Model class Person {
      init() {}
    }

    @Model final class Worker: Person {
      override init() { super.init() }
    }
  }

  enum OwnedByWorkers: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Boat.self, Car.self, Person.self, Vehicle.self, Worker.self]
    }

    @Model class Vehicle {
      var owner: Worker
      init(_ owner: Worker) { self.owner = owner }
    }

    @Model final class Boat: Vehicle {
      override init(_ owner: Worker) { super.init(owner) }
    }

    @Model final class Car: Vehicle {
      override init(_ owner: Worker) { super.init(owner) }
    }

    @Model class Person {
      init() {}
    }

    @Model final class Worker: Person {
      override init() { super.init() }
    }
  }

  enum OwnersPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Owned.self, OwnedByWorkers.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Owned.self, toVersion: OwnedByWorkers.self, transformation: { _ in })
    ]
  }

  @Test func aTransformationMustReplaceRequiredLinksToOtherClasses() throws {
    let store = try MigratedStore().make(Owned.models) { context in
      context.insert(Owned.Boat(Owned.Worker()))
      context.insert(Owned.Car(Owned.Person()))
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(versionedSchema: OwnedByWorkers.self), migrationPlan: OwnersPlan.self,
        configurations: ModelConfiguration(url: store.url))
    }
    let text = error?.description ?? ""
    #expect(text.contains("Car.owner (Worker, no inverse) in 1 row (p"), "\(text)")
    #expect(!text.contains("Boat.owner"), "\(text)")
  }

  enum Driven: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Bike.self, Car.self, Person.self, Worker.self]
    }

    @Model final class Bike {
      var driver: Person?
      init(_ driver: Person) { self.driver = driver }
    }

    @Model final class Car {
      var driver: Person
      init(_ driver: Person) { self.driver = driver }
    }

    @Model class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Worker: Person {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum DrivenByWorkers: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Bike.self, Car.self, Person.self, Worker.self]
    }

    @Model final class Bike {
      var driver: Worker?
      init() {}
    }

    @Model final class Car {
      var driver: Worker
      init(_ driver: Worker) { self.driver = driver }
    }

    @Model class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Worker: Person {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum DriversPlan: SchemaMigrationPlan {
    @TaskLocal static var code: @Sendable (MigrationTransformation) throws -> Void = { _ in }

    static let schemas: [any VersionedSchema.Type] = [Driven.self, DrivenByWorkers.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Driven.self, toVersion: DrivenByWorkers.self,
        transformation: { try code($0) })
    ]
  }

  private func makeDrivers() throws -> MigratedStore {
    try MigratedStore().make(Driven.models) { context in
      let (ann, ben) = (Driven.Person("Ann"), Driven.Worker("Ben"))
      for driver in [ann, ben] {
        context.insert(Driven.Bike(driver))
        context.insert(Driven.Car(driver))
      }
    }
  }

  private func openDrivers(_ store: MigratedStore) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: DrivenByWorkers.self), migrationPlan: DriversPlan.self,
        configurations: [ModelConfiguration(url: store.url)]))
  }

  /// The tables of both sides stay, so the old keys would fit.
  @Test func aTransformationKeepsNoLinksToOtherClasses() throws {
    let store = try makeDrivers()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try openDrivers(store) }
    let text = error?.description ?? ""
    #expect(text.contains("Car.driver (Worker, no inverse) in 1 row (p"), "\(text)")
    #expect(!text.contains("Bike.driver"), "\(text)")
  }

  @Test func aTransformationReplacesLinksToOtherClasses() throws {
    let store = try makeDrivers()
    let preview = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: DrivenByWorkers.self), migrationPlan: DriversPlan.self,
      configurations: [ModelConfiguration(url: store.url)])
    #expect(
      preview.flatMap(\.losses).map { "\($0.entity).\($0.property ?? ""): \($0.valueCount)" }
        .sorted()
        == ["Bike.driver: 1", "Car.driver: 1"])
    let code: @Sendable (MigrationTransformation) throws -> Void = { transformation in
      try transformation.forEach(Driven.Car.self, DrivenByWorkers.Car.self) { old, new, _ in
        if !(old.driver is Driven.Worker) {
          new?.driver = DrivenByWorkers.Worker("for \(old.driver.name)")
        }
      }
    }
    let context = try DriversPlan.$code.withValue(code) { try openDrivers(store) }
    let drivers = try context.fetch(FetchDescriptor<DrivenByWorkers.Car>()).map(\.driver.name)
    #expect(Set(drivers) == ["Ben", "for Ann"])
    let others = try context.fetch(FetchDescriptor<DrivenByWorkers.Bike>()).map(\.driver?.name)
    #expect(Set(others) == ["Ben", nil])
  }

  enum DriversByName: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Bike.self, Car.self, Person.self, Worker.self]
    }

    @Model final class Bike {
      var driver: String?
      init() {}
    }

    @Model final class Car {
      var driver: Person
      init(_ driver: Person) { self.driver = driver }
    }

    @Model class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Worker: Person {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum NamesPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Driven.self, DriversByName.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Driven.self, toVersion: DriversByName.self,
        transformation: { transformation in
          try transformation.forEach(Driven.Bike.self, DriversByName.Bike.self) { old, new, _ in
            new?.driver = old.driver?.name
          }
        })
    ]
  }

  @Test func linksThatBecomeValuesAreReportedOnce() throws {
    let store = try makeDrivers()
    let schema = Schema(versionedSchema: DriversByName.self)
    let configuration = ModelConfiguration(url: store.url)
    let preview = try ModelContainer.migrationPreview(
      for: schema, migrationPlan: NamesPlan.self, configurations: [configuration])
    #expect(
      preview.flatMap(\.losses).map { "\($0.entity).\($0.property ?? ""): \($0.valueCount)" }
        == ["Bike.driver: 2"])
    let context = ModelContext(
      try ModelContainer(
        for: schema, migrationPlan: NamesPlan.self, configurations: [configuration]))
    let drivers = try context.fetch(FetchDescriptor<DriversByName.Bike>()).map(\.driver)
    #expect(Set(drivers) == ["Ann", "Ben"])
  }

  enum First {
    @Model final class Trip {
      var name = ""
      init() {}
    }

    @Model final class Photo {
      @Attribute(.externalStorage) var data: Data
      init(_ data: Data) { self.data = data }
    }
  }

  enum Second {
    @Model final class Trip {
      var name = ""
      var isLong = false
      init() {}
    }
  }

  /// Random values begin like the name of a file, or the mark of a value in its row.
  @Test func largeValuesOfAnUnknownClassStay() throws {
    let values = [
      Data([1, 7]), Data([2, 65, 66]), Data(), Data(repeating: 9, count: 300_000),
      Data(repeating: 1, count: 300_000),
    ]
    let store = try MigratedStore().make([First.Trip.self, First.Photo.self]) { context in
      for value in values { context.insert(First.Photo(value)) }
      context.insert(First.Trip())
    }
    let configuration = ModelConfiguration(url: store.url)
    for _ in 0..<2 {
      let container = try ModelContainer(for: Second.Trip.self, configurations: configuration)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Second.Trip>()) == 1)
    }
    let container = try ModelContainer(
      for: Second.Trip.self, First.Photo.self, configurations: configuration)
    let found = try ModelContext(container).fetch(FetchDescriptor<First.Photo>()).map(\.data)
    #expect(Set(found) == Set(values))
  }

  enum Inline {
    @Model final class Photo {
      var data: Data?
      init(_ data: Data) { self.data = data }
    }
  }

  enum Outside {
    @Model final class Photo {
      @Attribute(.externalStorage) var data: Data?
      init(_ data: Data) { self.data = data }
    }
  }

  @Test func anOpenContainerNoticesThatValuesMovedOut() throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.store)
    let first = try ModelContainer(for: Inline.Photo.self, configurations: configuration)
    let context = ModelContext(first)
    context.insert(Inline.Photo(Data([9])))
    try context.save()
    let second = try ModelContainer(for: Outside.Photo.self, configurations: configuration)
    #expect(throws: SwiftDataError.self) {
      try ModelContext(first).fetch(FetchDescriptor<Inline.Photo>())
    }
    context.insert(Inline.Photo(Data([1, 2])))
    #expect(throws: SwiftDataError.self) { try context.save() }
    let found = try ModelContext(second).fetch(FetchDescriptor<Outside.Photo>())
    #expect(found.map(\.data) == [Data([9])])
  }
}
