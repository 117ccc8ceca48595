import Foundation
import SwiftData
import Testing

/// Stages whose code sees both sides: types that change, models that are split and merged.
@Suite struct TransformStageTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Note.self] }

    @Model final class Person {
      var name: String
      var age: String
      var friends: [Person] = []
      @Relationship(inverse: \Note.author) var notes: [Note] = []
      init(name: String, age: String) {
        self.name = name
        self.age = age
      }
    }

    @Model final class Note {
      var text: String
      var author: Person?
      init(text: String) { self.text = text }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Name.self] }

    @Model final class Person {
      var age: Int
      var name: Name?
      var summary: String
      init(age: Int) {
        self.age = age
        summary = ""
      }
    }

    @Model final class Name {
      var first: String
      var last: String
      @Relationship(inverse: \Person.name) var person: Person?
      init(first: String, last: String) {
        self.first = first
        self.last = last
      }
    }
  }

  private struct Failure: Error {}

  private struct Code: Sendable {
    @TaskLocal static var current: @Sendable (MigrationTransformation) throws -> Void = { _ in }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: V2.self, transformation: { try Code.current($0) })
    ]
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: V1.self), configurations: ModelConfiguration(url: folder.store)
      ))
    for number in 0..<25 {
      let person = V1.Person(name: "First\(number) Last\(number)", age: "\(number)")
      context.insert(person)
      for place in 0..<(number % 3) { person.notes.append(V1.Note(text: "note \(place)")) }
    }
    try context.save()
    let first = try #require(try context.fetch(FetchDescriptor<V1.Person>()).first)
    context.delete(first)
    try context.save()
  }

  private func migrate(
    _ code: @escaping @Sendable (MigrationTransformation) throws -> Void
  ) throws -> ModelContext {
    try Code.$current.withValue(code) {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
          configurations: ModelConfiguration(url: folder.store)))
    }
  }

  private func expectUntouched() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: V1.self), configurations: ModelConfiguration(url: folder.store)
      ))
    #expect(try context.fetchCount(FetchDescriptor<V1.Person>()) == 24)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
  }

  @Test(arguments: [1, 7, 1000])
  func bothSidesAreThere(_ batchSize: Int) throws {
    let context = try migrate { transformation in
      try transformation.forEach(V1.Person.self, V2.Person.self, batchSize: batchSize) {
        old, new, context in
        let new = try #require(new)
        #expect(new.age == 0 && new.summary.isEmpty)
        new.age = Int(old.age) ?? -1
        new.summary = old.notes.map(\.text).sorted().joined(separator: ", ")
        let parts = old.name.split(separator: " ").map(String.init)
        let name = V2.Name(first: parts[0], last: parts[1])
        context.insert(name)
        new.name = name
      }
      var count = 0
      try transformation.forEach(V1.Note.self) { old, _ in
        #expect(old.author != nil)
        count += 1
      }
      #expect(count == 24)
    }
    let people = try context.fetch(FetchDescriptor<V2.Person>(sortBy: [SortDescriptor(\.age)]))
    #expect(people.count == 24)
    #expect(people.allSatisfy { $0.name?.last == "Last\($0.age)" && $0.name?.person === $0 })
    let expected = ["", "note 0", "note 0, note 1"]
    #expect(people.allSatisfy { $0.summary == expected[$0.age % 3] })
    let names = try SQLiteFile.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'OLD%' OR name LIKE 'NEW%'",
      in: folder.store)
    #expect(names == 0)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
  }

  @Test func theHistoryHasTheChangesOfTablesAndCode() throws {
    let notes = try SQLiteFile.integer("SELECT count(*) FROM ZNOTE", in: folder.store)
    let context = try migrate { transformation in
      try transformation.forEach(V1.Person.self, V2.Person.self) { old, new, _ in
        new?.age = Int(old.age) ?? -1
      }
    }
    let found = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(found.map(\.contextName) == [nil, nil, "migration to 2.0.0", nil])
    // Empty until the code gives them a value.
    func updates(_ place: Int) -> [[PartialKeyPath<V2.Person>]] {
      found[place].changes.compactMap { change in
        guard case .update(let update as DefaultHistoryUpdate<V2.Person>) = change else {
          return nil
        }
        return update.updatedAttributes
      }
    }
    #expect(updates(2).count == 24 && updates(2).allSatisfy { Set($0) == [\.age, \.summary] })
    #expect(found[2].changes.count - 24 == notes)
    #expect(updates(3).count == found[3].changes.count)
    #expect(updates(3).allSatisfy { $0 == [\.age] })
  }

  @Test func aBatchIsReleasedAfterItsRows() throws {
    final class Seen: @unchecked Sendable {
      var models: [Weak] = []
      var most = 0
    }
    struct Weak { weak var model: V2.Person? }
    let seen = Seen()
    _ = try migrate { transformation in
      try transformation.forEach(V1.Person.self, V2.Person.self, batchSize: 4) { _, new, _ in
        new?.age = 1
        seen.models.append(Weak(model: new))
        seen.most = max(seen.most, seen.models.count { $0.model != nil })
      }
    }
    #expect(seen.models.count == 24 && seen.most <= 8)
  }

  @Test func codeThatThrowsLeavesTheStore() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate { transformation in
        try transformation.forEach(V1.Person.self, V2.Person.self, batchSize: 5) { old, new, _ in
          new?.age = 1
          if old.age == "17" { throw Failure() }
        }
      }
    }
    #expect(error?.description.contains("1.0.0 to 2.0.0 failed in transformation") == true)
    #expect(error?.underlyingError is Failure)
    try expectUntouched()
  }

  @Test func changesOfTheOldSideAreAnError() throws {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate { transformation in
        try transformation.forEach(V1.Person.self) { old, _ in old.name = "changed" }
      }
    }
    try expectUntouched()
  }
}
