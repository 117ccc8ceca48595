import Foundation
import SwiftData
import Testing

@Suite(.databases) struct ModelInheritanceTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Animal.self, Dog.self, Puppy.self, Owner.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func initialisersOfAllLevelsFillOneModel() throws {
    let puppy = Puppy(name: "Rex", breed: "Collie", weeks: 9)
    puppy.legs = 3
    puppy.tricks = ["sit"]
    #expect(puppy.name == "Rex" && puppy.breed == "Collie" && puppy.weeks == 9)
    let container = try container()
    let context = ModelContext(container)
    context.insert(puppy)
    #expect(puppy.name == "Rex" && puppy.breed == "Collie" && puppy.weeks == 9 && puppy.legs == 3)
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Puppy>()).first)
    #expect(read.name == "Rex" && read.breed == "Collie" && read.weeks == 9 && read.legs == 3)
    #expect(read.tricks == ["sit"])
  }

  @Test func aBaseFetchReturnsSubclassesAsWhatTheyAre() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Animal(name: "Cat"))
    context.insert(Dog(name: "Dog", breed: "Boxer"))
    context.insert(Puppy(name: "Pup", breed: "Boxer", weeks: 1))
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map { "\(type(of: $0))" } == ["Animal", "Dog", "Puppy"])
    #expect(
      try other.fetch(FetchDescriptor<Dog>(sortBy: [SortDescriptor(\.name)])).map(\.name) == [
        "Dog", "Pup",
      ])
    #expect(try other.fetchCount(FetchDescriptor<Puppy>()) == 1)
    let boxers = #Predicate<Dog> { $0.breed == "Boxer" && $0.name == "Pup" }
    #expect(try other.fetch(FetchDescriptor(predicate: boxers)).count == 1)
    let dogs = #Predicate<Animal> { $0 is Dog }
    #expect(try other.fetchCount(FetchDescriptor(predicate: dogs)) == 2)
    let cast = #Predicate<Animal> { ($0 as? Dog)?.breed == "Boxer" }
    #expect(try other.fetchCount(FetchDescriptor(predicate: cast)) == 2)
  }

  @Test func relationshipsToABaseClassHoldSubclasses() throws {
    let container = try container()
    let context = ModelContext(container)
    let owner = Owner(name: "Ann")
    context.insert(owner)
    owner.animals = [Dog(name: "A", breed: "x"), Puppy(name: "B", breed: "y", weeks: 2)]
    owner.favourite = owner.animals.last
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Owner>()).first)
    #expect(Set(read.animals.map(\.name)) == ["A", "B"])
    #expect((read.favourite as? Puppy)?.weeks == 2)
    #expect(read.animals.allSatisfy { $0.owner === read })
  }

  @Test func batchDeletionSparesSubclassesOnRequest() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Dog(name: "Dog", breed: "x"))
    context.insert(Puppy(name: "Pup", breed: "x", weeks: 1))
    try context.save()
    try context.delete(model: Dog.self, includeSubclasses: false)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Animal>()).map(\.name) == ["Pup"])
    try context.delete(model: Animal.self)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Animal>()) == 0)
  }
  @Test func batchDeletionGoesByTheMetatypeThatItGets() throws {
    func left(_ delete: (ModelContext) throws -> Void) throws -> [String] {
      let context = ModelContext(try container())
      context.insert(Animal(name: "Cat"))
      context.insert(Dog(name: "Dog", breed: "x"))
      context.insert(Puppy(name: "Pup", breed: "x", weeks: 1))
      try context.save()
      try delete(context)
      try context.save()
      return try ModelContext(context.container)
        .fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    let puppy: Animal.Type = Puppy.self
    #expect(try left { try $0.delete(model: puppy) } == ["Cat", "Dog"])
    let dog: Animal.Type = Dog.self
    #expect(try left { try $0.delete(model: dog) } == ["Cat"])
    #expect(try left { try $0.delete(model: dog, includeSubclasses: false) } == ["Cat", "Pup"])
    #expect(
      try left { try $0.delete(model: dog, where: #Predicate { $0.name != "Pup" }) } == [
        "Cat", "Pup",
      ])
    let withUndo = try left { context in
      context.undoManager = UndoManager()
      try context.delete(model: puppy, where: #Predicate { $0.legs == 4 || $0.name != "" })
    }
    #expect(withUndo == ["Cat", "Dog"])
  }

  @Test func anExistingModelIsAskedForByTheMetatypeToo() throws {
    let context = ModelContext(try container())
    let animal = Animal(name: "Cat")
    context.insert(animal)
    try context.save()
    let dog: Animal.Type = Dog.self
    #expect(throws: SwiftDataError.invalidIdentifier) {
      try context.existingModel(dog, for: animal.persistentModelID)
    }
    #expect(try context.existingModel(type(of: animal), for: animal.persistentModelID) === animal)
  }
}
