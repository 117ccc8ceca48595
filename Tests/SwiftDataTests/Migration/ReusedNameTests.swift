import Foundation
import SwiftData
import Testing

/// Identifiers of deleted rows whose model's name others get, more than once: all stay different, and lead to no row.
@Suite struct ReusedNameTests {
  enum First {
    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Other {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class More {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Mark {
      var name: String
      @Attribute(.unique) var target: PersistentIdentifier?
      init(_ name: String, _ target: PersistentIdentifier) {
        (self.name, self.target) = (name, target)
      }
    }
  }

  enum Second {
    @Model(originalName: "Other") final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Third {
    @Model(originalName: "More") final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model(originalName: "Item") final class More {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Joined {
    @Model class Base {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Item: Base {
      override init(_ name: String) { super.init(name) }
    }
    @Model final class More: Base {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models: [any PersistentModel.Type] = [
      First.Item.self, First.Other.self, First.More.self, First.Mark.self,
    ]
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [
      First.Other.self, First.More.self, First.Mark.self,
    ]
  }
  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static let models: [any PersistentModel.Type] = [
      Second.Item.self, First.More.self, First.Mark.self,
    ]
  }
  enum V4: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static let models: [any PersistentModel.Type] = [First.More.self, First.Mark.self]
  }
  enum V5: VersionedSchema {
    static let versionIdentifier = Schema.Version(5, 0, 0)
    static let models: [any PersistentModel.Type] = [Third.Item.self, First.Mark.self]
  }
  enum V6: VersionedSchema {
    static let versionIdentifier = Schema.Version(6, 0, 0)
    static let models: [any PersistentModel.Type] = [Third.More.self, First.Mark.self]
  }

  enum Twice: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self, V4.self, V5.self]
    static let stages: [MigrationStage] = []
  }

  enum WithoutMore: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static let models: [any PersistentModel.Type] = [Second.Item.self, First.Mark.self]
  }

  enum TwoNames: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [
      V1.self, V2.self, V3.self, WithoutMore.self, V6.self,
    ]
    static let stages: [MigrationStage] = []
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContext {
    try open(Schema(versionedSchema: version), plan)
  }

  private func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: schema, migrationPlan: plan, configurations: ModelConfiguration(url: folder.store)))
  }

  /// Makes rows of each model, and a mark for each row.
  private func make() throws {
    let context = try open(V1.self, nil)
    for name in ["a", "b"] {
      let rows: [any PersistentModel] = [First.Item(name), First.Other(name), First.More(name)]
      for row in rows { context.insert(row) }
      try context.save()
      for row in rows {
        let id = row.persistentModelID
        context.insert(First.Mark(id.entityName + name, id))
      }
      try context.save()
    }
  }

  private func targets(_ context: ModelContext) throws -> [String: PersistentIdentifier] {
    let marks = try context.fetch(FetchDescriptor<First.Mark>())
    return Dictionary(uniqueKeysWithValues: marks.map { ($0.name, $0.target!) })
  }

  @Test func aNameIsReusedTwice() throws {
    try make()
    let earlier = try targets(try open(V3.self, Twice.self))
    let context = try open(V5.self, Twice.self)
    let targets = try targets(context)
    #expect(Set(targets.values).count == 6)
    let rows = try context.fetch(FetchDescriptor<Third.Item>())
    let ids = Dictionary(
      uniqueKeysWithValues: rows.map { ("More" + $0.name, $0.persistentModelID) })
    #expect(ids.count == 2)
    for (name, target) in targets { #expect(target == ids[name] || ids[name] == nil, "\(name)") }
    #expect(!targets.contains { ids[$0.key] == nil && ids.values.contains($0.value) })
    // What leads to no row already stays.
    #expect(targets["Itema"] == earlier["Itema"])
  }

  @Test func anotherReusedNameGetsTheIdentifiersOfAReusedOne() throws {
    try make()
    let context = try open(V6.self, TwoNames.self)
    let targets = try targets(context)
    #expect(Set(targets.values).count == 6)
    let rows = try context.fetch(FetchDescriptor<Third.More>())
    #expect(Set(rows.map(\.persistentModelID)) == [targets["Othera"], targets["Otherb"]])
  }

  @Test func anIdentifierOfADeletedRowStaysWhenRowsGetOtherKeys() throws {
    try make()
    let earlier = try targets(try open(V3.self, Twice.self))
    let context = try open(
      Schema(
        [Joined.Base.self, Joined.Item.self, Joined.More.self, First.Mark.self],
        version: Schema.Version(7, 0, 0)))
    let targets = try targets(context)
    #expect(targets["Itema"] == earlier["Itema"])
    #expect(targets["Itemb"] == earlier["Itemb"])
    let rows = try context.fetch(FetchDescriptor<Joined.Base>())
    #expect(rows.count == 4)
    let living = targets.filter { !$0.key.hasPrefix("Item") }.values
    #expect(Set(rows.map(\.persistentModelID)) == Set(living))
  }
}
