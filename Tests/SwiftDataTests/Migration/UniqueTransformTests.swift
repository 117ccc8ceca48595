import Foundation
import SwiftData
import Testing

/// Unique values that only the code of a transformation sets. Until then their rows have none: a zero or
/// an empty value would repeat.
@Suite struct UniqueTransformTests {
  struct Place: Codable, Equatable {
    var city: String
  }

  struct PlaceWithZip: Codable, Equatable {
    var city: String
    var zip: Int
  }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      @Attribute(.unique) var code: String
      var place: Place
      init(_ name: String, _ code: String) {
        (self.name, self.code) = (name, code)
        place = Place(city: "city of \(name)")
      }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      #Unique<Item>([\.place.zip], [\.name, \.part])
      var name: String
      @Attribute(.unique) var code: Int
      @Attribute(.unique) var rank: Double
      var place: PlaceWithZip
      var part: Int = 3
      init(_ name: String) {
        (self.name, code, rank) = (name, 0, 0)
        place = PlaceWithZip(city: "", zip: 0)
      }
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

  enum WithDefaults: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      #Unique<Item>([\.token, \.part], [\.name, \.size])
      var name: String
      @Attribute(.unique) var code: String
      var place: Place
      @Attribute(.unique) var key: String = "main"
      @Attribute(.unique) var label: String? = "first"
      var token: UUID = UUID()
      var part: Int = 4
      var size: Int
      init(_ name: String) {
        (self.name, code, size) = (name, "", 0)
        place = Place(city: "")
      }
    }
  }

  enum DefaultsPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, WithDefaults.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: WithDefaults.self,
        transformation: { try Code.current($0) })
    ]
  }

  private let store: MigratedStore

  init() throws {
    store = try MigratedStore()
    try store.make(V1.models) { context in
      for (name, code) in [("a", "7"), ("b", "8")] { context.insert(V1.Item(name, code)) }
    }
  }

  private func migrate(
    _ store: MigratedStore? = nil, to version: any VersionedSchema.Type = V2.self,
    _ plan: any SchemaMigrationPlan.Type = Plan.self,
    _ code: @escaping @Sendable (MigrationTransformation) throws -> Void
  ) throws -> ModelContext {
    let store = store ?? self.store
    return try Code.$current.withValue(code) {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: plan,
          configurations: [ModelConfiguration(url: store.url)]))
    }
  }

  @Test func theCodeSetsUniqueValues() throws {
    let context = try migrate { transformation in
      try transformation.forEach(V1.Item.self, V2.Item.self) { old, new, _ in
        let code = Int(old.code) ?? 0
        new?.code = code
        new?.rank = Double(code) / 2
        new?.place = PlaceWithZip(city: old.place.city, zip: code * 1000)
      }
    }
    let items = try context.fetch(FetchDescriptor<V2.Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.map(\.code) == [7, 8] && items.map(\.rank) == [3.5, 4])
    #expect(items.map(\.place.zip) == [7000, 8000])
    #expect(items.map(\.place.city) == ["city of a", "city of b"])
    // Together with the name a default is unique.
    #expect(items.map(\.part) == [3, 3])
  }

  @Test func forgottenUniqueValuesAreNamed() throws {
    let before = try store.content()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try migrate { _ in } }
    let text = error?.description ?? ""
    for name in ["code", "rank", "place"] {
      #expect(text.contains("Item.\(name) ("), "\(name): \(text)")
    }
    #expect(text.contains("in 2 rows (p1, p2)") && !text.contains("Item.part"), "\(text)")
    #expect(try store.content() == before)
  }

  @Test func theCodeCannotSetEqualValues() throws {
    let before = try store.content()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate { transformation in
        try transformation.forEach(V1.Item.self, V2.Item.self) { old, new, _ in
          new?.code = 1
        }
      }
    }
    #expect(error?.description.contains("failed in transformation") == true)
    #expect(try store.content() == before)
  }

  @Test func aSingleRowGetsUniqueDefaults() throws {
    let store = try MigratedStore()
    try store.make(V1.models) { $0.insert(V1.Item("a", "7")) }
    let context = try migrate(store, to: WithDefaults.self, DefaultsPlan.self) { _ in }
    let items = try context.fetch(FetchDescriptor<WithDefaults.Item>())
    #expect(items.map(\.key) == ["main"] && items.map(\.label) == ["first"])
    #expect(items.map(\.part) == [4] && items.map(\.size) == [0])
  }

  @Test func otherMembersTellRowsApart() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate(to: WithDefaults.self, DefaultsPlan.self) { _ in }
    }
    let text = error?.description ?? ""
    #expect(text.contains("Item.key (String) in 2 rows (p1, p2)"), "\(text)")
    #expect(!text.contains("Item.part") && !text.contains("Item.size"), "\(text)")
    let context = try migrate(to: WithDefaults.self, DefaultsPlan.self) { transformation in
      try transformation.forEach(V1.Item.self, WithDefaults.Item.self) { old, new, _ in
        new?.key = "key of \(old.name)"
      }
    }
    let items = try context.fetch(
      FetchDescriptor<WithDefaults.Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.map(\.key) == ["key of a", "key of b"] && items.map(\.label) == [nil, nil])
    #expect(items.map(\.part) == [4, 4] && items.map(\.size) == [0, 0])
  }

  struct Parts: Codable, Equatable { var city: String; var zip: Int? }

  enum OptionalPart: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      var place: Parts
      init(_ name: String) { (self.name, place) = (name, Parts(city: "city", zip: nil)) }
    }
  }

  enum RequiredPart: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      #Unique<Item>([\.place.zip])
      var name: String
      var place: PlaceWithZip = PlaceWithZip(city: "", zip: 5)
      init(_ name: String) { self.name = name }
    }
  }

  enum PartPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [OptionalPart.self, RequiredPart.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: OptionalPart.self, toVersion: RequiredPart.self,
        transformation: { try Code.current($0) })
    ]
  }

  /// The default would repeat, so that only code can set the member.
  @Test func aUniqueMemberThatBecomesRequiredIsSetByTheCode() throws {
    let store = try MigratedStore()
    try store.make(OptionalPart.models) { context in
      for name in ["a", "b"] { context.insert(OptionalPart.Item(name)) }
    }
    let before = try store.content()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate(store, to: RequiredPart.self, PartPlan.self) { _ in }
    }
    #expect(error?.description.contains("Item.place (") == true)
    #expect(try store.content() == before)
    let context = try migrate(store, to: RequiredPart.self, PartPlan.self) { transformation in
      try transformation.forEach(OptionalPart.Item.self, RequiredPart.Item.self) { old, new, _ in
        new?.place = PlaceWithZip(city: old.place.city, zip: old.name == "a" ? 1 : 2)
      }
    }
    let items = try context.fetch(
      FetchDescriptor<RequiredPart.Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.map(\.place.zip) == [1, 2])
  }
}
