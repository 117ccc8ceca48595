import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// Stages with code: what it sees, what it may do, and what becomes of a store whose stage throws.
@Suite struct CustomStageTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

    typealias Trip = Journey.V1.Trip
    typealias Stop = Journey.V1.Stop
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

    @Model final class Trip {
      var name: String
      var length: Int?
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      init(name: String) { self.name = name }
    }

    @Model final class Stop {
      var city: String
      var trip: Trip?
      init(city: String) { self.city = city }
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    var description: String { "the guide is on holiday" }
  }

  /// What the code of the plan does; set by each test, for its own task.
  private struct Code: Sendable {
    @TaskLocal static var current = Code()

    var willMigrate: @Sendable (ModelContext) throws -> Void = { _ in }
    var didMigrate: @Sendable (ModelContext) throws -> Void = { _ in }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { try Code.current.willMigrate($0) },
        didMigrate: { try Code.current.didMigrate($0) })
    ]
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let context = ModelContext(try CustomStageTests.open(V1.self, folder.store))
    for number in 0..<3 {
      let trip = V1.Trip(name: "trip \(number)")
      context.insert(trip)
      for place in 0..<number { trip.stops.append(V1.Stop(city: "city \(place)")) }
    }
    try context.save()
  }

  private static func open(
    _ version: any VersionedSchema.Type, _ url: URL, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan,
      configurations: ModelConfiguration(url: url))
  }

  private func migrate(
    willMigrate: @escaping @Sendable (ModelContext) throws -> Void = { _ in },
    didMigrate: @escaping @Sendable (ModelContext) throws -> Void = { _ in }
  ) throws -> ModelContext {
    let code = Code(willMigrate: willMigrate, didMigrate: didMigrate)
    return try Code.$current.withValue(code) {
      ModelContext(try CustomStageTests.open(V2.self, folder.store, plan: Plan.self))
    }
  }

  /// The old models find what they have stored.
  private func expectUntouched() throws {
    let context = ModelContext(try CustomStageTests.open(V1.self, folder.store))
    let trips = try context.fetch(FetchDescriptor<V1.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["trip 0", "trip 1", "trip 2"])
    #expect(trips.map(\.stops.count) == [0, 1, 2])
  }

  @Test func eachSideSeesItsModels() throws {
    let context = try migrate(
      willMigrate: { context in
        let trips = try context.fetch(FetchDescriptor<V1.Trip>())
        #expect(trips.count == 3)
        #expect(throws: SwiftDataError.unknownSchema) {
          try context.fetch(FetchDescriptor<V2.Trip>())
        }
        for trip in trips { trip.name += "!" }
        try context.save()
      },
      didMigrate: { context in
        for trip in try context.fetch(FetchDescriptor<V2.Trip>()) {
          #expect(trip.name.hasSuffix("!") && trip.length == nil)
          trip.length = trip.stops.count
        }
        try context.save()
      })
    let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["trip 0!", "trip 1!", "trip 2!"])
    #expect(trips.map(\.length) == [0, 1, 2])
  }

  @Test func insertsAndDeletionsAndRelationshipsWork() throws {
    let context = try migrate(
      willMigrate: { context in
        let first = try #require(
          try context.fetch(FetchDescriptor<V1.Trip>(predicate: #Predicate { $0.name == "trip 2" }))
            .first)
        context.delete(first)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<V1.Stop>()) == 1)
        try context.delete(model: V1.Stop.self)
      },
      didMigrate: { context in
        for trip in try context.fetch(FetchDescriptor<V2.Trip>()) {
          trip.stops.append(V2.Stop(city: "new"))
          try context.save()
        }
        try context.transaction { context.insert(V2.Trip(name: "trip 9")) }
      })
    let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["trip 0", "trip 1", "trip 9"])
    #expect(trips.map { $0.stops.map(\.city) } == [["new"], ["new"], []])
    #expect(trips.map(\.persistentModelID.storeIdentifier).allSatisfy { $0 != nil })
  }

  @Test func savesAmidAnEnumerationWork() throws {
    let context = try migrate(willMigrate: { context in
      try context.enumerate(FetchDescriptor<V1.Trip>(), batchSize: 1) { trip in
        trip.name = trip.name.uppercased()
        try context.save()
      }
    })
    #expect(
      Set(try context.fetch(FetchDescriptor<V2.Trip>()).map(\.name))
        == ["TRIP 0", "TRIP 1", "TRIP 2"])
  }

  @Test func anEnumerationSavesGroupsOfModels() throws {
    let context = try migrate(willMigrate: { context in
      var count = 0
      try context.enumerate(
        FetchDescriptor<V1.Trip>(), batchSize: 2, allowEscapingMutations: true
      ) { trip in
        trip.name = trip.name.uppercased()
        count += 1
        if count.isMultiple(of: 2) { try context.save() }
      }
      try context.save()
    })
    #expect(
      Set(try context.fetch(FetchDescriptor<V2.Trip>()).map(\.name))
        == ["TRIP 0", "TRIP 1", "TRIP 2"])
  }

  @Test(arguments: [false, true])
  func aStageThatThrowsLeavesTheStore(_ isAfter: Bool) throws {
    let content = try contents()
    let code: @Sendable (ModelContext) throws -> Void = { context in
      if isAfter {
        for trip in try context.fetch(FetchDescriptor<V2.Trip>()) { trip.name = "gone" }
      } else {
        try context.delete(model: V1.Trip.self)
      }
      try context.save()
      throw Failure()
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try isAfter ? migrate(didMigrate: code) : migrate(willMigrate: code)
    }
    let text = error?.description ?? ""
    #expect(text.contains("stage 1.0.0 to 2.0.0 failed in \(isAfter ? "did" : "will")Migrate"))
    #expect(text.contains("the guide is on holiday") && error?.underlyingError is Failure)
    #expect(try contents() == content)
    try expectUntouched()
  }

  @Test(.enabled(if: FailureInjector.isAvailable))
  func aPropertyThatCouldNotBeReadFailsTheStage() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try migrate(willMigrate: { context in
        let trips = try context.fetch(FetchDescriptor<V1.Trip>())
        FailureInjector(failingAt: 1).run {
          for trip in trips { trip.name += " with \(trip.stops.count) stops" }
        }
        try context.save()
      })
    }
    #expect(error?.description.contains("could not be read in willMigrate") == true)
    try expectUntouched()
  }

  @Test func changesThatAreLeftUnsavedAreAnError() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try migrate(didMigrate: { context in
        try context.fetch(FetchDescriptor<V2.Trip>()).first?.name = "unsaved"
        context.insert(V2.Trip(name: "new"))
      })
    }
    let text = error?.description ?? ""
    #expect(text.contains("left changes unsaved in didMigrate (1 inserted, 1 changed, 0 deleted)"))
    try expectUntouched()
  }

  @Test func aContextThatIsKeptCanNotBeUsedLater() throws {
    final class Kept: @unchecked Sendable {
      var context: ModelContext?
      var model: V1.Trip?
    }
    let kept = Kept()
    @Sendable func expectClosed(_ context: ModelContext?) {
      #expect(throws: SwiftDataError.storeReadFailure) {
        try context?.fetch(FetchDescriptor<V1.Trip>())
      }
      context?.insert(V1.Trip(name: "late"))
      #expect(throws: SwiftDataError.storeWriteFailure) { try context?.save() }
      context?.rollback()
    }
    let context = try migrate(
      willMigrate: { context in
        kept.context = context
        kept.model = try context.fetch(FetchDescriptor<V1.Trip>()).first
      },
      didMigrate: { _ in expectClosed(kept.context) })
    expectClosed(kept.context)
    #expect(kept.model?.name.hasPrefix("trip") == true)
    #expect(kept.model?.stops.isEmpty == true)
    #expect(try context.fetchCount(FetchDescriptor<V2.Trip>()) == 3)
  }

  @Test func aStageRunsOnce() throws {
    let count = Mutex(0)
    for _ in 0..<3 {
      _ = try migrate(didMigrate: { _ in count.withLock { $0 += 1 } })
    }
    #expect(count.withLock { $0 } == 1)
    #expect(throws: SwiftDataError.backwardMigration) {
      _ = try CustomStageTests.open(V1.self, folder.store)
    }
  }

  @Test func aStoreIsMigratedOnlyWhereThatIsAllowed() throws {
    let content = try contents()
    var configuration = ModelConfiguration(url: folder.store)
    configuration.allowsMigration = false
    let refused = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
        configurations: configuration)
    }
    #expect(refused?.description.contains("1.0.0 to 2.0.0 (by a stage of the plan)") == true)
    let readOnly = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
        configurations: ModelConfiguration(url: folder.store, allowsSave: false))
    }
    #expect(readOnly?.description.contains("allowsSave: true once") == true)
    #expect(try contents() == content)
  }

  @Test func aNewStoreHasTheLastVersion() throws {
    let other = try TemporaryFolder()
    for _ in 0..<2 {
      // The schema itself has no version.
      let container = try ModelContainer(
        for: Schema([V2.Trip.self, V2.Stop.self]), migrationPlan: Plan.self,
        configurations: ModelConfiguration(url: other.store))
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<V2.Trip>()) == 0)
    }
    #expect(throws: SwiftDataError.backwardMigration) {
      _ = try CustomStageTests.open(V1.self, other.store)
    }
  }

  @Test func theStoreItselfFollowsThePlan() throws {
    var configuration = ModelConfiguration(url: folder.store)
    configuration.schema = Schema(versionedSchema: V2.self)
    let code = Code(didMigrate: { try $0.delete(model: V2.Trip.self) })
    let store = try Code.$current.withValue(code) {
      try DefaultStore(configuration, migrationPlan: Plan.self)
    }
    let result = try store.fetch(
      DataStoreFetchRequest<V2.Trip>(
        descriptor: FetchDescriptor(), editingState: EditingState()))
    #expect(result.fetchedSnapshots.isEmpty)
  }

  /// The files of the folder, of which SQLite's own log and index are left out.
  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    where !name.hasSuffix("-shm") && !name.hasSuffix("-wal") {
      contents[name] = try? Data(contentsOf: folder.url.appending(path: name))
    }
    return contents
  }
}
