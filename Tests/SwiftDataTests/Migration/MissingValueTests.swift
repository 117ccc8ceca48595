import Foundation
import SwiftData
import Testing

/// Required properties that the code of a transformation does not set: the stage names them and fails, unless
/// their type has a zero or an empty value.
@Suite struct MissingValueTests {
  enum Kind: String, Codable { case short, long }
  enum Shape: Codable, Equatable { case round(Double), square }
  struct Place: Codable, Equatable {
    var city: String
    var link: URL
  }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Person.self] }

    @Model final class Trip {
      var name: String
      var rank: Int
      init(_ name: String, rank: Int = 1) { (self.name, self.rank) = (name, rank) }
    }
    @Model final class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Person.self] }

    @Model final class Trip {
      var name: String
      var rank: Int8
      var days: Int
      var title: String
      var data: Data
      var kind: Kind
      var shape: Shape
      var place: Place
      var link: URL
      var tags: [String]
      var groups: Set<Int>
      var counts: [String: Int]
      var owner: Person

      init(_ owner: Person) {
        (name, rank, days, title, data) = ("", 1, 1, "", Data())
        (kind, shape, tags, groups, counts) = (.short, .square, [], [], [:])
        link = URL(filePath: "/")
        place = Place(city: "", link: URL(filePath: "/"))
        self.owner = owner
      }
    }
    @Model final class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  private enum Code {
    @TaskLocal static var current: @Sendable (MigrationTransformation) throws -> Void = { _ in }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: V2.self, transformation: { try Code.current($0) })
    ]
  }

  private let store: MigratedStore

  init() throws {
    store = try MigratedStore()
    try store.make(V1.models) { context in
      for (name, rank) in [("a", 1), ("b", 300), ("c", 3)] {
        context.insert(V1.Trip(name, rank: rank))
      }
      context.insert(V1.Person("Ann"))
    }
  }

  private func migrate(
    _ code: @escaping @Sendable (MigrationTransformation) throws -> Void
  ) throws -> ModelContext {
    try Code.$current.withValue(code) {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
          configurations: [ModelConfiguration(url: store.url)]))
    }
  }

  private static func fill(_ new: V2.Trip, _ context: ModelContext) throws {
    new.kind = .long
    new.shape = .round(2)
    new.place = Place(city: "Rome", link: URL(filePath: "/rome"))
    new.link = URL(filePath: "/trip")
    new.tags = ["x"]
    new.groups = [1]
    new.counts = ["a": 1]
    new.owner = try #require(try context.fetch(FetchDescriptor<V2.Person>()).first)
  }

  @Test func forgottenPropertiesAreNamed() throws {
    let before = try store.content()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate { _ in }
    }
    let text = error?.description ?? ""
    for name in ["kind", "shape", "place", "link", "tags", "groups", "counts", "owner"] {
      #expect(text.contains("Trip.\(name) ("), "\(name): \(text)")
    }
    #expect(text.contains("in 3 rows (p1, p2, p3)"), "\(text)")
    // These have a zero or an empty value.
    for name in ["days", "title", "data", "rank"] {
      #expect(!text.contains("Trip.\(name) ("), "\(name): \(text)")
    }
    #expect(try store.content() == before)
  }

  @Test func theRowsAreCounted() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate { transformation in
        try transformation.forEach(V1.Trip.self, V2.Trip.self) { old, new, context in
          let new = try #require(new)
          if old.name == "b" {
            new.kind = .long
          } else {
            try Self.fill(new, context)
          }
        }
      }
    }
    let text = error?.description ?? ""
    #expect(text.contains("Trip.link (URL) in 1 row (p") && !text.contains("Trip.kind"), "\(text)")
  }

  @Test func whatTheCodeSetsIsEnough() throws {
    let context = try migrate { transformation in
      try transformation.forEach(V1.Trip.self, V2.Trip.self) { _, new, context in
        try Self.fill(try #require(new), context)
      }
    }
    let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.kind) == [.long, .long, .long] && trips.map(\.days) == [0, 0, 0])
    #expect(trips.map(\.title) == ["", "", ""] && trips.map(\.tags) == [["x"], ["x"], ["x"]])
    #expect(trips.map(\.owner.name) == ["Ann", "Ann", "Ann"])
    // A number that the new type has not is zero until the code sets it.
    #expect(trips.map(\.rank) == [1, 0, 3])
  }
}
