import Foundation
import SwiftData
import Synchronization
import Testing

/// Models and properties that exchange their names. The version hashes before and after are equal.
@Suite(.databases) struct ExchangedNameTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: [any PersistentModel.Type]) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(url: folder.store)))
  }

  enum Before {
    @Model final class Note {
      var number: Int
      var a: String
      var b: String
      var c: String

      init(_ number: Int) {
        self.number = number
        (a, b, c) = ("a\(number)", "b\(number)", "c\(number)")
      }
    }
  }

  enum After {
    @Model final class Note {
      var number: Int
      @Attribute(originalName: "b") var a: String
      @Attribute(originalName: "c") var b: String
      @Attribute(originalName: "a") var c: String

      init(_ number: Int) {
        self.number = number
        (a, b, c) = ("a\(number)", "b\(number)", "c\(number)")
      }
    }
  }

  enum Later {
    @Model final class Note {
      var number: Int
      @Attribute(originalName: "b") var a: String
      @Attribute(originalName: "c") var b: String
      @Attribute(originalName: "a") var c: String
      var extra = 1

      init(_ number: Int) {
        self.number = number
        (a, b, c) = ("a\(number)", "b\(number)", "c\(number)")
      }
    }
  }

  private func insert<T: PersistentModel>(_ models: T...) throws {
    let context = try open([T.self])
    for model in models { context.insert(model) }
    try context.save()
  }

  @Test func propertiesExchangeTheirValuesOnce() throws {
    try insert(Before.Note(1))
    for _ in 0..<2 {
      let note = try #require(
        try open([After.Note.self]).fetch(FetchDescriptor<After.Note>()).first)
      #expect(note.a == "b1" && note.b == "c1" && note.c == "a1")
    }
    try insert(After.Note(2))
    let order = [SortDescriptor(\Later.Note.number)]
    let notes = try open([Later.Note.self]).fetch(FetchDescriptor(sortBy: order))
    #expect(notes.map(\.a) == ["b1", "a2"])
    #expect(notes.map(\.b) == ["c1", "b2"])
    #expect(notes.map(\.c) == ["a1", "c2"])
  }

  /// Another program may have saved rows under the exchanged names before.
  @Test(.sqliteOnly("a copy of a file")) func anExchangeKeepsACopyAndIsReported() throws {
    try insert(Before.Note(1))
    let lines = Mutex<[String]>([])
    try WarningLog.$receiver.withValue({ line in lines.withLock { $0.append(line) } }) {
      for _ in 0..<2 { _ = try open([After.Note.self]) }
    }
    let line = try #require(lines.withLock { $0 }.first)
    #expect(lines.withLock { $0 }.count == 1)
    #expect(line.contains("Note.a, Note.b, Note.c") && line.contains("A copy of the earlier store"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.contains { line.contains($0) && $0 != folder.store.lastPathComponent })
  }

  @Test func aNewStoreHasNothingToExchange() throws {
    try insert(After.Note(1))
    let note = try #require(
      try open([After.Note.self]).fetch(FetchDescriptor<After.Note>()).first)
    #expect(note.a == "a1" && note.b == "b1" && note.c == "c1")
  }

  @Test(.sqliteOnly("a configuration of the test"))
  func withoutPermissionTheStoreIsRefused() throws {
    try insert(Before.Note(1))
    var configuration = ModelConfiguration(url: folder.store)
    configuration.allowsMigration = false
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: After.Note.self, configurations: configuration)
    }
  }

  @Test func anOpenContainerOfTheEarlierNamesIsNotUsedAnyMore() throws {
    try insert(Before.Note(1))
    let earlier = try open([Before.Note.self])
    _ = try open([After.Note.self])
    #expect(throws: SwiftDataError.self) { try earlier.fetch(FetchDescriptor<Before.Note>()) }
  }

  enum OneWay {
    @Model final class Note {
      var number: Int
      @Attribute(originalName: "b") var a: String
      var b: String
      var c: String

      init() { (number, a, b, c) = (0, "", "", "") }
    }
  }

  /// A former name that another property of the store has may be older than the store.
  @Test func aFormerNameAloneExchangesNothing() throws {
    try insert(Before.Note(1))
    let note = try #require(
      try open([OneWay.Note.self]).fetch(FetchDescriptor<OneWay.Note>()).first)
    #expect(note.a == "a1" && note.b == "b1")
  }

  // MARK: Relationships

  enum Bosses {
    @Model final class Person {
      var name: String
      var boss: Person?
      @Relationship(inverse: \Person.boss) var team: [Person] = []
      var deputy: Person?
      @Relationship(inverse: \Person.deputy) var deputyOf: [Person] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Deputies {
    @Model final class Person {
      var name: String
      @Relationship(originalName: "deputy") var boss: Person?
      @Relationship(originalName: "deputyOf", inverse: \Person.boss) var team: [Person] = []
      @Relationship(originalName: "boss") var deputy: Person?
      @Relationship(originalName: "team", inverse: \Person.deputy) var deputyOf: [Person] = []

      init(_ name: String) { self.name = name }
    }
  }

  @Test func relationshipsExchangeTheirLinks() throws {
    let context = try open([Bosses.Person.self])
    let people = ["Ann", "Ben", "Cat"].map(Bosses.Person.init)
    for person in people { context.insert(person) }
    (people[2].boss, people[2].deputy) = (people[0], people[1])
    try context.save()
    for _ in 0..<2 {
      let name = "Cat"
      let cat = try #require(
        try open([Deputies.Person.self]).fetch(
          FetchDescriptor<Deputies.Person>(predicate: #Predicate { $0.name == name })
        ).first)
      #expect(cat.boss?.name == "Ben" && cat.deputy?.name == "Ann")
      #expect(cat.boss?.team.map(\.name) == ["Cat"] && cat.boss?.deputyOf.isEmpty == true)
    }
  }

  // MARK: Classes

  enum Named {
    @Model final class Cat {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
    @Model final class Dog {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  enum Renamed {
    @Model(originalName: "Dog") final class Cat {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
    @Model(originalName: "Cat") final class Dog {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  @Test func modelsExchangeTheirRows() throws {
    let earlier = try open([Named.Cat.self, Named.Dog.self])
    earlier.insert(Named.Cat(1))
    for number in 2...3 { earlier.insert(Named.Dog(number)) }
    try earlier.save()
    for count in 2...3 {
      let context = try open([Renamed.Cat.self, Renamed.Dog.self])
      #expect(try context.fetchCount(FetchDescriptor<Renamed.Cat>()) == count)
      #expect(try context.fetch(FetchDescriptor<Renamed.Dog>()).map(\.number) == [1])
      context.insert(Renamed.Cat(4))
      try context.save()
    }
  }
}
