import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Unique values that only the code of a transformation sets.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct UniqueTransformTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      @Attribute(.unique) var code: String = ""
      @Attribute(.unique) var rank: Double
      init(_ name: String) { (self.name, rank) = (name, 0) }
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

  @Test func theCodeSetsUniqueValues() throws {
    let store = try MigratedServerStore()
    let old = try store.open(V1.self)
    for name in ["a", "b"] { old.insert(V1.Item(name)) }
    try old.save()
    let refusal = #expect(throws: SwiftDataError.self) { try store.open(V2.self) }
    #expect(refusal?.description.contains("in a stage .transform") == true)
    let error = #expect(throws: SwiftDataError.self) { try store.open(V2.self, plan: Plan.self) }
    let text = error?.description ?? ""
    #expect(text.contains("Item.code (String) in 2 rows"), "\(text)")
    #expect(text.contains("Item.rank (Double) in 2 rows"), "\(text)")
    let code: @Sendable (MigrationTransformation) throws -> Void = { transformation in
      try transformation.forEach(V1.Item.self, V2.Item.self) { old, new, _ in
        new?.code = "code of \(old.name)"
        new?.rank = old.name == "a" ? 1 : 2
      }
    }
    let context = try Code.$current.withValue(code) { try store.open(V2.self, plan: Plan.self) }
    let items = try context.fetch(FetchDescriptor<V2.Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.map(\.code) == ["code of a", "code of b"] && items.map(\.rank) == [1, 2])
  }
}
