import Foundation
import SwiftData
import Synchronization
import Testing

/// What stages should not do, and plans that nobody would write: errors in words or sense, never a trap or a loss.
@Suite struct StageMisuseTests {
  private typealias Trip1 = Journey.V1.Trip

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Journey.make(folder.store)
  }

  /// What the first stage does; set by each test, for its own task.
  private enum Code {
    @TaskLocal static var willMigrate: @Sendable (ModelContext) throws -> Void = { _ in }
  }

  private enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Journey.V1.self, Journey.V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: Journey.V1.self, toVersion: Journey.V2.self,
        willMigrate: { try Code.willMigrate($0) }, didMigrate: nil)
    ]
  }

  private func migrate(
    _ body: @escaping @Sendable (ModelContext) throws -> Void
  ) throws -> ModelContext {
    try Code.$willMigrate.withValue(body) {
      try Journey.open(Journey.V2.self, at: folder.store, plan: Plan.self)
    }
  }

  private func expectUntouched() throws {
    let context = try Journey.open(Journey.V1.self, at: folder.store)
    let trips = try context.fetch(FetchDescriptor<Trip1>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Oslo", "Rome", "Rome"])
    #expect(Set(trips.map(\.stops.count)) == [0, 1, 2])
  }

  @Test func aStageThatOpensItsStoreWithThePlanFails() throws {
    let url = folder.store
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try migrate { _ in
        _ = try Journey.open(Journey.V2.self, at: url, plan: Plan.self)
      }
    }
    let text = error?.description ?? ""
    #expect(text.contains("failed in willMigrate") && text.contains("is being written"), "\(text)")
    try expectUntouched()
  }

  /// Another container of the same version reads what was there before.
  @Test func aStageMayReadItsStoreThroughAnotherContainer() throws {
    let url = folder.store
    let context = try migrate { context in
      try context.delete(model: Journey.V1.Memo.self)
      let configuration = ModelConfiguration(url: url, allowsSave: false)
      let other = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Journey.V1.self), configurations: configuration))
      #expect(try other.fetchCount(FetchDescriptor<Journey.V1.Memo>()) == 1)
    }
    #expect(try context.fetchCount(FetchDescriptor<Journey.V1.Memo>()) == 0)
  }

  @Test(.timeLimit(.minutes(1))) func aContextThatIsGivenToAnotherThreadDoesNotHang() throws {
    let context = try migrate { context in
      let count = Mutex<Result<Int, any Error>?>(nil)
      let isDone = DispatchSemaphore(value: 0)
      let lent = Lent(context.container)
      Thread.detachNewThread {
        let result = Result {
          try ModelContext(lent.container).fetchCount(FetchDescriptor<Trip1>())
        }
        count.withLock { $0 = result }
        isDone.signal()
      }
      #expect(isDone.wait(timeout: .now() + 20) == .success)
      // It is told, or it is answered.
      switch count.withLock({ $0 }) {
      case .success(let count)?: #expect(count == 3)
      case .failure(let error)?: #expect(error is SwiftDataError)
      case nil: Issue.record("no answer")
      }
    }
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Trip>()) == 3)
  }

  private struct Lent: @unchecked Sendable {
    let container: ModelContainer
    init(_ container: ModelContainer) { self.container = container }
  }

  @Test func aStageMayEraseItsStore() throws {
    let context = try migrate { context in
      try context.container.erase()
      #expect(try context.fetchCount(FetchDescriptor<Trip1>()) == 0)
      context.insert(Trip1(name: "new"))
      try context.save()
    }
    let trips = try context.fetch(FetchDescriptor<Journey.V2.Trip>())
    #expect(trips.map(\.title) == ["new"] && trips.map(\.days) == [3])
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Stop>()) == 0)
    // No key is given twice.
    #expect(try SQLiteFile.integer("SELECT Z_PK FROM ZTRIP", in: folder.store) == 4)
  }

  @Test func aStageThatErasesAndThrowsChangesNothing() throws {
    struct Failure: Error {}
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try migrate { context in
        try context.container.erase()
        throw Failure()
      }
    }
    try expectUntouched()
  }

  @Test func anOpenContainerOfTheOldModelsIsNamed() throws {
    let context = try Journey.open(Journey.V1.self, at: folder.store)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip1>()).first)
    trip.name = "edited"
    let new = try migrate { _ in }
    #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    context.insert(Trip1(name: "late"))
    #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    #expect(throws: SwiftDataError.storeReadFailure) {
      try context.fetch(FetchDescriptor<Trip1>())
    }
    #expect(throws: SwiftDataError.storeReadFailure) {
      try ModelContext(context.container).fetchCount(FetchDescriptor<Journey.V1.Memo>())
    }
    // What is in memory stays.
    #expect(trip.name == "edited")
    let titles = try new.fetch(FetchDescriptor<Journey.V2.Trip>()).map(\.title)
    #expect(titles.sorted() == ["Oslo", "Rome", "Rome"])
  }

  // MARK: Plans

  @Test func aFileWithoutBytesIsANewStore() throws {
    let url = folder.url.appending(path: "empty.store")
    try Data().write(to: url)
    for _ in 0..<2 {
      let context = try Journey.open(Journey.V2.self, at: url, plan: Plan.self)
      #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Trip>()) == 0)
    }
  }

  private enum Repeated: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [
      Journey.V1.self, Journey.V1.self, Journey.V2.self, Journey.V2.self,
    ]
    static let stages: [MigrationStage] = []
  }

  private enum TwiceLed: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Journey.V1.self, Journey.V2.self]
    static let stages = [
      MigrationStage.lightweight(fromVersion: Journey.V1.self, toVersion: Journey.V2.self),
      MigrationStage.custom(
        fromVersion: Journey.V1.self, toVersion: Journey.V2.self,
        willMigrate: { try $0.delete(model: Trip1.self) }, didMigrate: nil),
    ]
  }

  @Test func aVersionThatIsListedTwiceIsOneStepMore() throws {
    for _ in 0..<2 {
      let context = try Journey.open(Journey.V2.self, at: folder.store, plan: Repeated.self)
      #expect(try context.fetch(FetchDescriptor<Journey.V2.Trip>()).map(\.days) == [3, 3, 3])
    }
  }

  /// Which of them is meant nobody knows.
  @Test func twoStagesBetweenTheSameVersionsAreRefused() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try Journey.open(Journey.V2.self, at: folder.store, plan: TwiceLed.self)
    }
    let text = error?.description ?? ""
    #expect(text.contains("1.0.0") || text.contains("V1"), "\(text)")
    #expect(text.contains("two stages"), "\(text)")
    try expectUntouched()
  }
}

/// A plan with thirty versions, in which a property comes and goes.
@Suite struct LongPlanTests {
  enum Narrow {
    typealias Trip = Named.Trip
  }

  enum Wide {
    @Model final class Trip {
      var name: String
      var days: Int = 3
      init(_ name: String) { self.name = name }
    }
  }

  protocol Number { static var value: Int { get } }
  enum One: Number { static var value: Int { 1 } }
  enum Next<N: Number>: Number { static var value: Int { N.value + 1 } }

  enum Version<N: Number>: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(N.value, 0, 0) }
    static var models: [any PersistentModel.Type] {
      N.value % 2 == 0 ? [Wide.Trip.self] : [Narrow.Trip.self]
    }
  }

  private static func versions<N: Number>(
    from number: N.Type, count: Int
  ) -> [any VersionedSchema.Type] {
    if count == 0 { return [] }
    return [Version<N>.self] + versions(from: Next<N>.self, count: count - 1)
  }

  private enum Plan: SchemaMigrationPlan {
    static let schemas = versions(from: One.self, count: 30)
    static let stages = zip(schemas, schemas.dropFirst()).map { from, to in
      MigrationStage.custom(
        fromVersion: from, toVersion: to, willMigrate: nil,
        didMigrate: { context in
          for trip in (try? context.fetch(FetchDescriptor<Wide.Trip>())) ?? [] {
            #expect(trip.days == 3)
            trip.days = 4
            trip.name += "."
          }
          try context.save()
        })
    }
  }

  @Test(arguments: [1, 2, 7, 30]) func aStoreOfAnyVersionGoesTheRest(_ first: Int) throws {
    let store = try MigratedStore()
    let version = Plan.schemas[first - 1]
    try store.make(version.models, version: version.versionIdentifier) { context in
      if first % 2 == 0 {
        context.insert(Wide.Trip("Rome"))
      } else {
        context.insert(Narrow.Trip("Rome"))
      }
    }
    for _ in 0..<2 {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Plan.schemas[29]), migrationPlan: Plan.self,
          configurations: ModelConfiguration(url: store.url)))
      let trip = try #require(try context.fetch(FetchDescriptor<Wide.Trip>()).first)
      // Every second of the stages behind it adds the property.
      #expect(trip.name == "Rome" + String(repeating: ".", count: 15 - first / 2))
      #expect(trip.days == (first == 30 ? 3 : 4))
    }
  }
}
