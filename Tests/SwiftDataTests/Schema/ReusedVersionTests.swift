import Foundation
import SwiftData
import Testing

/// A versioned schema that goes on using a class of an older version.
private enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Entry.self, Person.self, Tag.self] }

  @Model final class Entry {
    var title: String
    var person: V1.Person?
    @Relationship(inverse: \V1.Tag.entries) var tags: [V1.Tag] = []
    init(title: String) { self.title = title }
  }

  @Model final class Person {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \V1.Entry.person) var entries: [V1.Entry] = []
    init(name: String) { self.name = name }
  }

  @Model final class Tag {
    var name: String
    var entries: [V1.Entry] = []
    init(name: String) { self.name = name }
  }
}

private enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Entry.self, Person.self, Tag.self] }

  typealias Entry = V1.Entry

  @Model final class Person {
    var age: Int = 0
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \V1.Entry.person) var entries: [Entry] = []
    init(name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }

  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Entry.tags) var entries: [Entry] = []
    init(name: String) { self.name = name }
  }
}

/// The same without inverses that are written down.
private enum V3 {
  typealias Note = Old.Note

  enum Old {
    @Model final class Note {
      var text: String
      var folder: Old.Folder?
      init(text: String) { self.text = text }
    }

    @Model final class Folder {
      var name: String
      var notes: [Old.Note] = []
      init(name: String) { self.name = name }
    }
  }

  @Model final class Folder {
    var name: String
    var notes: [Note] = []
    init(name: String) { self.name = name }
  }
}

@Suite struct ReusedVersionTests {
  private func context(_ schema: Schema) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func filled() throws -> ModelContext {
    let context = try context(Schema(versionedSchema: V2.self))
    for (name, age) in [("Ann", 30), ("Bob", 40)] {
      let person = V2.Person(name: name, age: age)
      context.insert(person)
      for number in 1...2 { person.entries.append(V1.Entry(title: "\(name) \(number)")) }
      let tag = V2.Tag(name: "of \(name)")
      context.insert(tag)
      tag.entries = person.entries
    }
    try context.save()
    return ModelContext(context.container)
  }

  @Test func theSchemaHasOneEntityPerNameAndBothInverses() throws {
    for schema in [
      Schema(versionedSchema: V2.self), Schema(V2.Person.self, V2.Entry.self, V2.Tag.self),
    ] {
      #expect(schema.entities.count == 3)
      let entry = try #require(schema.entitiesByName["Entry"])
      #expect(entry.relationshipsByName["person"]?.inverseName == "entries")
      #expect(entry.relationshipsByName["person"]?.destination == "Person")
      #expect(entry.relationshipsByName["tags"]?.inverseName == "entries")
      #expect(
        schema.entitiesByName["Person"]?.relationshipsByName["entries"]?.inverseName == "person")
      #expect(schema.entitiesByName["Person"]?.attributesByName["age"] != nil)
    }
    _ = try context(Schema(versionedSchema: V1.self))
  }

  @Test func inversesAreInferredByName() throws {
    let context = try context(Schema(V3.Note.self, V3.Folder.self))
    let folder = V3.Folder(name: "f")
    context.insert(folder)
    folder.notes = [V3.Note(text: "a"), V3.Note(text: "b")]
    try context.save()
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<V3.Folder>()).first)
    #expect(Set(stored.notes.map(\.text)) == ["a", "b"])
    let note = try #require(stored.notes.first)
    other.delete(note)
    try other.save()
    #expect(stored.notes.count == 1)
  }

  @Test func relationshipsOfTheNewClassWork() throws {
    let context = try filled()
    let people = try context.fetch(FetchDescriptor<V2.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map(\.age) == [30, 40])
    #expect(
      people.map { Set($0.entries.map(\.title)) } == [["Ann 1", "Ann 2"], ["Bob 1", "Bob 2"]])
    // The inverse of an appended entry is stored, and taken from its old owner.
    let moved = try #require(people[0].entries.first)
    people[1].entries.append(moved)
    #expect(people[0].entries.count == 1)
    try context.save()
    let other = ModelContext(context.container)
    let stored = try other.fetch(FetchDescriptor<V2.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.entries.count) == [1, 3])
    other.delete(stored[1])
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<V1.Entry>()) == 1)
  }

  @Test func keyPathsOfTheOldClassFindTheRows() throws {
    let context = try filled()
    func titles(_ predicate: Predicate<V1.Entry>) throws -> [String] {
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])
      descriptor.relationshipKeyPathsForPrefetching = [\V1.Entry.person, \.tags]
      return try context.fetch(descriptor).map(\.title)
    }
    #expect(try titles(#Predicate { $0.person?.name == "Bob" }) == ["Bob 1", "Bob 2"])
    #expect(try titles(#Predicate { $0.person != nil && $0.title.hasSuffix("1") }).count == 2)
    #expect(
      try titles(#Predicate { $0.tags.contains { $0.name == "of Ann" } }) == ["Ann 1", "Ann 2"])
    let sorted = try context.fetch(
      FetchDescriptor<V1.Entry>(sortBy: [
        SortDescriptor(\.person?.name, order: .reverse), SortDescriptor(\.title),
      ]))
    #expect(sorted.map(\.title) == ["Bob 1", "Bob 2", "Ann 1", "Ann 2"])
  }

  @Test func aPropertyOfTheOldClassReadsAsNilAndLosesNothing() throws {
    let context = try filled()
    let entry = try #require(
      try context.fetch(FetchDescriptor<V1.Entry>(sortBy: [SortDescriptor(\.title)])).first)
    #expect(entry.person == nil)
    #expect(entry.tags.isEmpty)
    entry.tags = []
    entry.tags.removeAll()
    entry.title = "changed"
    try context.save()
    let other = ModelContext(context.container)
    let tag = try #require(
      try other.fetch(FetchDescriptor<V2.Tag>(predicate: #Predicate { $0.name == "of Ann" })).first)
    #expect(Set(tag.entries.map(\.title)) == ["changed", "Ann 2"])
    // A model of the older class is none of the schema.
    entry.person = V1.Person(name: "old")
    #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    context.rollback()
    entry.person = nil
    try context.save()
    #expect(
      try other.fetchCount(FetchDescriptor<V1.Entry>(predicate: #Predicate { $0.person == nil }))
        == 1)
  }

  @Test func anOldFileOpensWithTheMixedSchema() throws {
    let folder = try TemporaryFolder()
    func open(_ schema: Schema) throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: schema, configurations: ModelConfiguration(url: folder.store)))
    }
    do {
      let context = try open(Schema(versionedSchema: V2.self))
      context.insert(V2.Person(name: "Ann", age: 3))
      try context.save()
    }
    let context = try open(Schema([V2.Tag.self, V2.Entry.self, V2.Person.self]))
    #expect(try context.fetch(FetchDescriptor<V2.Person>()).map(\.age) == [3])
  }

  @Test func twoListedClassesOfOneNameAreStillRefused() {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try context(Schema(V1.Person.self, V2.Person.self, V1.Entry.self, V1.Tag.self))
    }
  }
}
