import Foundation
import SwiftData
import Testing

/// A copy of a store that is kept up to date by its history alone stays so through a migration.
@Suite struct MigratedCopyTests {
  /// Versions whose tables have the same names.
  enum Copied {
    enum V1 {
      @Model class Shape {
        var name: String
        var sides: Int?
        var box: Box?
        init(_ name: String) { self.name = name }
      }

      @Model final class Star: Shape {
        override init(_ name: String) { super.init(name) }
      }

      @Model final class Box {
        var label: String
        @Relationship(inverse: \Shape.box) var shapes: [Shape] = []
        var best: Shape?
        var known: [Shape] = []
        init(_ label: String) { self.label = label }
      }
    }

    enum V2: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 0, 0)
      static var models: [any PersistentModel.Type] { [Shape.self, Box.self] }

      @Model class Shape {
        var name: String
        var sides: Int = 4
        var colour: String = "red"
        var weight: Double?
        var box: Box?
        init(_ name: String) { self.name = name }
      }

      @Model final class Box {
        var label: String
        @Relationship(inverse: \Shape.box) var shapes: [Shape] = []
        var best: Shape?
        var known: [Shape] = []
        var isOpen: Bool = false
        init(_ label: String) { self.label = label }
      }
    }

    enum First: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] {
        [V1.Shape.self, V1.Star.self, V1.Box.self]
      }
    }

    enum Plan: SchemaMigrationPlan {
      static let schemas: [any VersionedSchema.Type] = [First.self, V2.self]
      static let stages: [MigrationStage] = []
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open<V: VersionedSchema>(
    _ version: V.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: folder.store)))
  }

  @Test(arguments: [Int64(20_000), 0]) func aCopyFollowsAMigration(_ smallTable: Int64) throws {
    var replica = HistoryReplica()
    do {
      let context = try open(Copied.First.self)
      let boxes = [Copied.V1.Box("1"), Copied.V1.Box("2")]
      for number in 0..<8 {
        let name = "\(number)"
        let shape = number % 2 == 0 ? Copied.V1.Shape(name) : Copied.V1.Star(name)
        context.insert(shape)
        shape.sides = number % 3 == 0 ? nil : number
        shape.box = boxes[number / 4]
        boxes[number % 2].known.append(shape)
        boxes[number % 2].best = shape
      }
      try context.save()
      #expect(try replica.follow(context.container) == [])
    }
    try SchemaChange.$smallTable.withValue(smallTable) {
      let context = try open(Copied.V2.self, Copied.Plan.self)
      let difference = try replica.follow(context.container)
      #expect(difference == [])
      #expect(try context.fetchCount(FetchDescriptor<Copied.V2.Shape>()) == 4)
    }
  }
}
