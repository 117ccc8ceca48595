import Foundation
import SwiftData
import Testing

/// Plans are read, and their faults refused, before any file is touched.
@Suite struct PlanVersionsTests {
  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Tag.self] }

    @Model final class Trip {
      var name: String
      init(name: String) { self.name = name }
    }

    @Model final class Tag {
      var name: String
      init(name: String) { self.name = name }
    }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Tag.self] }

    typealias Tag = First.Tag

    @Model final class Trip {
      var name: String
      var days = 0
      init(name: String) { self.name = name }
    }
  }

  /// Has the same models as the second.
  enum Third: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static let models = Second.models
  }

  enum Faulty: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static var models: [any PersistentModel.Type] { [First.Trip.self, Second.Trip.self] }
  }

  private static let up = MigrationStage.lightweight(
    fromVersion: First.self, toVersion: Second.self)
  private static let down = MigrationStage.lightweight(
    fromVersion: Second.self, toVersion: First.self)

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self, Second.self, Third.self]
    static let stages = [
      PlanVersionsTests.up,
      MigrationStage.custom(
        fromVersion: Second.self, toVersion: Third.self, willMigrate: nil, didMigrate: { _ in }),
    ]
  }

  enum There: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self, Second.self, First.self]
    static let stages = [PlanVersionsTests.up, PlanVersionsTests.down]
  }

  enum Empty: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = []
    static let stages: [MigrationStage] = []
  }

  enum Unlisted: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self]
    static let stages = [PlanVersionsTests.up]
  }

  /// The list ends before the models, or begins after the first stage.
  enum Later: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Third.self]
    static let stages = Plan.stages
  }

  enum Between: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self, Third.self]
    static let stages = Plan.stages
  }

  /// Two versions with one number.
  enum Unnumbered: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [SecondAgain.self]
    static let stages = [
      MigrationStage.lightweight(fromVersion: First.self, toVersion: SecondAgain.self)
    ]
  }

  enum SecondAgain: VersionedSchema {
    static let versionIdentifier = First.versionIdentifier
    static let models = Second.models
  }

  enum Unordered: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Third.self, Second.self]
    static let stages = [PlanVersionsTests.up]
  }

  enum Reversed: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self, Second.self]
    static let stages = [PlanVersionsTests.down]
  }

  enum Circle: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self, Second.self]
    static let stages = [
      MigrationStage.lightweight(fromVersion: Second.self, toVersion: Second.self)
    ]
  }

  enum Unstorable: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self, Faulty.self]
    static let stages: [MigrationStage] = []
  }

  @Test func versionsAndStagesAreFoundInTheirOrder() throws {
    let plan = try PlanVersions(Plan.self)
    #expect(plan.versions.map(\.name) == ["1.0.0", "2.0.0", "3.0.0"])
    // The unchanged class of the first version has its hash in all of them.
    #expect(Set(plan.versions.map { $0.hashes["Tag"] }).count == 1)
    #expect(plan.versions[0].hashes != plan.versions[1].hashes)
    #expect(plan.versions[1].hashes == plan.versions[2].hashes)
    #expect(
      plan.links == [
        StageLink(from: 0, to: 1, stage: 0, isCustom: false),
        StageLink(from: 1, to: 2, stage: 1, isCustom: true),
      ])
  }

  @Test func aPlanMayLeadUpAndDown() throws {
    #expect(
      try PlanVersions(There.self).links == [
        StageLink(from: 0, to: 1, stage: 0, isCustom: false),
        StageLink(from: 1, to: 2, stage: 1, isCustom: false),
      ])
  }

  /// Real plans forget to list a version that a stage names.
  @Test func aVersionThatOnlyAStageNamesIsUsedInTheOrderOfTheNumbers() throws {
    func names(_ plan: any SchemaMigrationPlan.Type) throws -> [String] {
      try PlanVersions(plan).versions.map(\.name)
    }
    #expect(try names(Unlisted.self) == ["1.0.0", "2.0.0"])
    #expect(try names(Later.self) == ["1.0.0", "2.0.0", "3.0.0"])
    #expect(try names(Between.self) == ["1.0.0", "2.0.0", "3.0.0"])
    #expect(
      try PlanVersions(Unnumbered.self).links == [
        StageLink(from: 0, to: 1, stage: 0, isCustom: false)
      ])
    #expect(try PlanVersions(Between.self).links == PlanVersions(Plan.self).links)
  }

  enum Stopped: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
        didMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<Second.Trip>()) { trip.days = 7 }
          try context.save()
        })
    ]
  }

  @Test func aStageToAVersionThatIsNotListedRuns() throws {
    func open(_ configuration: ModelConfiguration) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Second.self), migrationPlan: Stopped.self,
          configurations: [configuration]))
    }
    let store = try MigratedStore()
    try store.make(First.models) { $0.insert(First.Trip(name: "Rome")) }
    let lines = try WarningLog.lines {
      for _ in 0..<2 {
        let context = try open(ModelConfiguration(url: store.url))
        #expect(try context.fetch(FetchDescriptor<Second.Trip>()).map(\.days) == [7])
      }
      _ = try open(ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.contains("a stage of Second, which its schemas do not list") == true)
  }

  /// The order of the schemas is no evidence of a direction.
  @Test func aStageMayLeadToAVersionThatIsListedBefore() throws {
    #expect(
      try PlanVersions(Reversed.self).links == [
        StageLink(from: 1, to: 0, stage: 0, isCustom: false)
      ])
  }

  enum Down: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [First.self, Second.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: Second.self, toVersion: First.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<Second.Trip>()) {
            trip.name += " \(trip.days)"
          }
          try context.save()
        }, didMigrate: nil)
    ]
  }

  @Test func aPlanWhoseVersionsAscendLeadsDown() throws {
    let store = try MigratedStore()
    try store.make(Second.models, version: Second.versionIdentifier) { context in
      let trip = Second.Trip(name: "Rome")
      trip.days = 4
      context.insert(trip)
    }
    func open(_ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: First.self), migrationPlan: plan,
          configurations: [ModelConfiguration(url: store.url)]))
    }
    // Without a stage that leads down the store is newer.
    let error = #expect(throws: SwiftDataError.backwardMigration) { try open(Plan.self) }
    #expect(error?.description.contains("add stages from version") ?? false)
    #expect(throws: SwiftDataError.backwardMigration) { try open(nil) }
    for _ in 0..<2 {
      #expect(try open(Down.self).fetch(FetchDescriptor<First.Trip>()).map(\.name) == ["Rome 4"])
    }
  }

  @Test func faultsAreNamed() throws {
    func fault(_ plan: any SchemaMigrationPlan.Type) -> String {
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try PlanVersions(plan) }
      return error?.description ?? ""
    }
    #expect(fault(Empty.self).contains("The migration plan Empty lists no versions"))
    #expect(
      fault(Unordered.self)
        .contains("First to Second, but First is not in the schemas of the plan, whose numbers"))
    #expect(fault(Circle.self).contains("goes from Second to the same version"))
    #expect(fault(Unstorable.self).contains("Version 4.0.0 of Unstorable"))
  }

  @Test func versionsAreReadAsFilesNameThem() {
    #expect(Schema.Version(text: "1.2.3") == Schema.Version(1, 2, 3))
    for text in ["", "1", "1.2", "1.2.x", "1.2.3.4"] { #expect(Schema.Version(text: text) == nil) }
  }

  enum Named: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var title: String = ""
      init() {}
    }
  }

  enum NamedPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Named.self]
    static let stages: [MigrationStage] = []
  }

  @Test func aPropertyThatAnUnknownVersionLosesIsNamedOnce() throws {
    let store = try MigratedStore()
    try store.make([Second.Trip.self]) { $0.insert(Second.Trip(name: "Rome")) }
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try ModelContainer(
        for: Schema(versionedSchema: Named.self), migrationPlan: NamedPlan.self,
        configurations: [ModelConfiguration(url: store.url)])
    }
    let text = error?.description ?? ""
    #expect(text.components(separatedBy: "- Trip.name is").count == 2, "\(text)")
  }
}
