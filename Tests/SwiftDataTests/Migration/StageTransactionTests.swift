import Foundation
import SwiftData
import Testing

/// Transactions of contexts in the code of a stage: parts of the migration that can be undone on their own.
@Suite(.databases) struct StageTransactionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      @Attribute(.unique) var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      @Attribute(.unique) var name: String
      var days: Int?
      init(_ name: String, _ days: Int? = nil) { (self.name, self.days) = (name, days) }
    }
  }

  struct Failure: Error {}

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          try context.transaction { context.insert(V1.Trip("before")) }
        },
        didMigrate: { context in
          try context.transaction {
            for trip in try context.fetch(FetchDescriptor<V2.Trip>()) { trip.days = 4 }
            try context.save()
            context.insert(V2.Trip("within", 1))
          }
          #expect(throws: Failure.self) {
            try context.transaction {
              context.insert(V2.Trip("undone"))
              try context.save()
              throw Failure()
            }
          }
          let other = ModelContext(context.container)
          try other.transaction { other.insert(V2.Trip("other", 2)) }
          context.insert(V2.Trip("after", 3))
          try context.save()
        })
    ]
  }

  enum Failing: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
        didMigrate: { context in
          try context.transaction { context.insert(V2.Trip("lost")) }
          throw Failure()
        })
    ]
  }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    let configuration = ModelConfiguration(url: folder.store)
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: configuration))
  }

  private func make() throws {
    let context = try open(V1.self)
    context.insert(V1.Trip("Rome"))
    try context.save()
  }

  @Test func transactionsInAStageArePartsOfTheMigration() throws {
    try make()
    let context = try open(V2.self, Plan.self)
    let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Rome", "after", "before", "other", "within"])
    #expect(trips.map(\.days) == [4, 3, 4, 2, 1])
  }

  @Test func theirChangesAreLostIfTheStageThrows() throws {
    try make()
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(V2.self, Failing.self) }
    #expect(try open(V1.self).fetch(FetchDescriptor<V1.Trip>()).map(\.name) == ["Rome"])
  }
}
