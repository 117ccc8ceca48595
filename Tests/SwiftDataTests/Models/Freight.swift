import Foundation
import SwiftData

/// What the second process migrates; the same as there.
enum Freight {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Crate.self, Depot.self] }

    @Model final class Crate {
      var number: Int
      var name: String
      @Attribute(.externalStorage) var data: Data?
      var depot: Depot?

      init(_ number: Int) { (self.number, name) = (number, "crate \(number)") }
    }

    @Model final class Depot {
      var name: String
      @Relationship(inverse: \Crate.depot) var crates: [Crate] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Crate.self, Depot.self, Mark.self] }

    @Model final class Crate {
      var number: Int
      @Attribute(originalName: "name") var label: String
      @Attribute(.externalStorage) var data: Data?
      var weight: Double?
      var depot: Depot?

      init(_ number: Int) { (self.number, label) = (number, "crate \(number)") }
    }

    @Model final class Depot {
      var name: String
      @Relationship(inverse: \Crate.depot) var crates: [Crate] = []

      init(_ name: String) { self.name = name }
    }

    /// A run of the stage.
    @Model final class Mark {
      var number: Int

      init(_ number: Int) { self.number = number }
    }
  }

  /// Each tenth crate goes, each hundredth gets other data, all are weighed.
  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          try context.enumerate(
            FetchDescriptor<V1.Crate>(), batchSize: 200, allowEscapingMutations: true
          ) { crate in
            if crate.number % 10 == 9 { context.delete(crate) }
            if crate.number % 100 == 0 { crate.data = data(crate.number, edit: 2) }
          }
          try context.save()
        },
        didMigrate: { context in
          try context.enumerate(
            FetchDescriptor<V2.Crate>(), batchSize: 200, allowEscapingMutations: true
          ) { crate in
            crate.weight = Double(crate.number) / 2
            if crate.number % 200 == 198 { try context.save() }
          }
          context.insert(V2.Mark(1))
          try context.save()
        })
    ]
  }

  static func data(_ number: Int, edit: Int) -> Data {
    Data("\(number).\(edit) ".utf8) + Data(repeating: UInt8(edit), count: 200_000)
  }

  static func make(_ url: URL, count: Int) throws {
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: V1.self), configurations: ModelConfiguration(url: url)))
    let depots = (0..<5).map { V1.Depot("depot \($0)") }
    for number in 0..<count {
      let crate = V1.Crate(number)
      context.insert(crate)
      crate.depot = depots[number % 5]
      if number % 50 == 0 { crate.data = data(number, edit: 1) }
    }
    try context.save()
  }

  static func open(
    _ version: any VersionedSchema.Type, _ url: URL, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: url)))
  }
}
