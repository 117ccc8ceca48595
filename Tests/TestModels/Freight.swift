package import Foundation
package import SwiftData

/// Two versions of models and the plan from one to the other. The second process migrates a store that a
/// test has made.
package enum Freight {
  package enum V1: VersionedSchema {
    package static let versionIdentifier = Schema.Version(1, 0, 0)
    package static var models: [any PersistentModel.Type] { [Crate.self, Depot.self] }

    @Model package final class Crate {
      package var number: Int
      package var name: String
      @Attribute(.externalStorage) package var data: Data?
      package var depot: Depot?

      package init(_ number: Int) { (self.number, name) = (number, "crate \(number)") }
    }

    @Model package final class Depot {
      package var name: String
      @Relationship(inverse: \Crate.depot) package var crates: [Crate] = []

      package init(_ name: String) { self.name = name }
    }
  }

  package enum V2: VersionedSchema {
    package static let versionIdentifier = Schema.Version(2, 0, 0)
    package static var models: [any PersistentModel.Type] { [Crate.self, Depot.self, Mark.self] }

    @Model package final class Crate {
      package var number: Int
      @Attribute(originalName: "name") package var label: String
      @Attribute(.externalStorage) package var data: Data?
      package var weight: Double?
      package var depot: Depot?

      package init(_ number: Int) { (self.number, label) = (number, "crate \(number)") }
    }

    @Model package final class Depot {
      package var name: String
      @Relationship(inverse: \Crate.depot) package var crates: [Crate] = []

      package init(_ name: String) { self.name = name }
    }

    /// A run of the stage.
    @Model package final class Mark {
      package var number: Int

      package init(_ number: Int) { self.number = number }
    }
  }

  /// Deletes each tenth crate, gives each hundredth other data, and gives each a weight.
  package enum Plan: SchemaMigrationPlan {
    package static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    package static let stages = [
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

  package static func data(_ number: Int, edit: Int) -> Data {
    Data("\(number).\(edit) ".utf8) + Data(repeating: UInt8(edit), count: 200_000)
  }

  package static func make(_ url: URL, count: Int) throws {
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

  package static func open(
    _ version: any VersionedSchema.Type, _ url: URL, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: url)))
  }
}
