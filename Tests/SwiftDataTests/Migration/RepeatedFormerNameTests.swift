import Foundation
import SwiftData
import Testing

/// Properties or classes that declare the same former name: only one of them could continue it.
@Suite(.databases) struct RepeatedFormerNameTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(url: folder.store)))
  }

  private func refusal(_ types: any PersistentModel.Type...) -> String {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(url: folder.store))
    }
    return error?.description ?? ""
  }

  // MARK: Properties

  enum Whole {
    @Model final class Person {
      var full: String
      var friend: Person?
      init(_ full: String) { self.full = full }
    }
  }

  enum Parts {
    @Model final class Person {
      @Attribute(originalName: "full") var first: String
      @Attribute(originalName: "full") var last: String
      var friend: Person?
      init(_ name: String) { (first, last) = (name, name) }
    }
  }

  enum Friends {
    @Model final class Person {
      @Attribute(originalName: "full") var full: String
      @Relationship(originalName: "friend") var best: Person?
      @Relationship(originalName: "friend") var other: Person?
      init(_ full: String) { self.full = full }
    }
  }

  @Test func propertiesOfOneFormerNameAreRefused() throws {
    let context = try open(Whole.Person.self)
    context.insert(Whole.Person("Ann"))
    try context.save()
    let text = refusal(Parts.Person.self)
    #expect(text.contains("Person.last") && text.contains("as Person.first is"), "\(text)")
    #expect(text.contains("original name full") && text.contains("Remove originalName"), "\(text)")
    #expect(!text.contains("Declare a default value"), "\(text)")
  }

  @Test func relationshipsOfOneFormerNameAreRefused() throws {
    let context = try open(Whole.Person.self)
    let (ann, bob) = (Whole.Person("Ann"), Whole.Person("Bob"))
    context.insert(ann)
    context.insert(bob)
    ann.friend = bob
    try context.save()
    let text = refusal(Friends.Person.self)
    #expect(text.contains("Person.other") && text.contains("as Person.best is"), "\(text)")
    #expect(text.contains("1 row"), "\(text)")
  }

  enum Nameless {
    @Model final class Person {
      var full: String?
      var friend: Person?
      init() {}
    }
  }

  enum OptionalParts {
    @Model final class Person {
      @Attribute(originalName: "full") var first: String?
      @Attribute(originalName: "full") var last: String
      var friend: Person?
      init(_ name: String) { (first, last) = (name, name) }
    }
  }

  /// No row has a value of that name, but a new property must have one.
  @Test func aRequiredPropertyNeedsADefaultValueAllTheSame() throws {
    let context = try open(Nameless.Person.self)
    context.insert(Nameless.Person())
    try context.save()
    let text = refusal(OptionalParts.Person.self)
    #expect(text.contains("Person.last") && text.contains("Declare a default value"), "\(text)")
  }

  @Test func withoutValuesNothingIsAmbiguous() throws {
    _ = try open(Whole.Person.self)
    for _ in 0..<2 { _ = try open(Parts.Person.self) }
  }

  @Test func aNewStoreHasNoFormerNames() throws {
    let context = try open(Parts.Person.self)
    context.insert(Parts.Person("Ann"))
    try context.save()
    #expect(try open(Parts.Person.self).fetch(FetchDescriptor<Parts.Person>()).count == 1)
  }

  enum Reused {
    @Model final class Person {
      @Attribute(originalName: "full") var first: String
      var full: String
      init(_ name: String) { (first, full) = (name, name + "!") }
    }
  }

  enum RenamedAgain {
    @Model final class Person {
      @Attribute(originalName: "full") var first: String
      @Attribute(originalName: "full") var nick: String
      init(_ name: String) { (first, nick) = (name, name) }
    }
  }

  /// The first one has left the name, and a later property with it is renamed too.
  @Test func aFormerNameMayStayBesideALaterOne() throws {
    let context = try open(Reused.Person.self)
    context.insert(Reused.Person("Ann"))
    try context.save()
    let person = try #require(
      try open(RenamedAgain.Person.self).fetch(FetchDescriptor<RenamedAgain.Person>()).first)
    #expect(person.first == "Ann" && person.nick == "Ann!")
  }

  // MARK: Hierarchies

  enum Flat {
    @Model final class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Plant {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  @available(macOS 26, iOS 26, *)
  enum Tree {
    @Model class Thing {
      var number = 1
      init() {}
    }

    @Model final class Animal: Thing {
      @Attribute(originalName: "name") var call: String
      init(_ call: String) {
        self.call = call
        super.init()
      }
    }

    @Model final class Plant: Thing {
      @Attribute(originalName: "name") var latin: String
      init(_ latin: String) {
        self.latin = latin
        super.init()
      }
    }
  }

  @Test func siblingsMayHaveTheSameFormerName() throws {
    let context = try open(Flat.Animal.self, Flat.Plant.self)
    context.insert(Flat.Animal("Cat"))
    context.insert(Flat.Plant("Rosa"))
    try context.save()
    let later = try open(Tree.Thing.self, Tree.Animal.self, Tree.Plant.self)
    #expect(try later.fetch(FetchDescriptor<Tree.Animal>()).map(\.call) == ["Cat"])
    #expect(try later.fetch(FetchDescriptor<Tree.Plant>()).map(\.latin) == ["Rosa"])
  }

  // MARK: Classes

  enum Twins {
    @Model(originalName: "Animal") final class Cat {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model(originalName: "Animal") final class Dog {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  @Test func classesOfOneFormerNameAreRefused() throws {
    let context = try open(Flat.Animal.self)
    context.insert(Flat.Animal("Cat"))
    try context.save()
    let text = refusal(Twins.Cat.self, Twins.Dog.self)
    #expect(text.contains("Dog is declared with the original name Animal, as Cat is"), "\(text)")
    #expect(text.contains("1 row"), "\(text)")
  }

  // MARK: Transformations

  enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Whole.Person.self] }
  }

  enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Parts.Person.self] }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
    static var stages: [MigrationStage] {
      [
        .transform(
          fromVersion: Before.self, toVersion: After.self,
          transformation: { transformation in
            try transformation.forEach(Whole.Person.self, Parts.Person.self) { old, new, _ in
              new?.first = old.full + "1"
              new?.last = old.full + "2"
            }
          })
      ]
    }
  }

  @Test func aTransformationMaySetBoth() throws {
    let context = try open(Whole.Person.self)
    context.insert(Whole.Person("Ann"))
    try context.save()
    let container = try ModelContainer(
      for: Schema(versionedSchema: After.self), migrationPlan: Plan.self,
      configurations: ModelConfiguration(url: folder.store))
    let person = try #require(
      try ModelContext(container).fetch(FetchDescriptor<Parts.Person>()).first)
    #expect(person.first == "Ann1" && person.last == "Ann2")
  }
}
