import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Stores of each version, opened with the models of the last.
@Suite struct MigrationPathTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expectMigrated(_ context: ModelContext) throws {
    let trips = try context.fetch(
      FetchDescriptor<Journey.Current.Trip>(sortBy: [SortDescriptor(\.title)]))
    #expect(trips.map(\.title) == ["Oslo", "Rome", "Rome 2"])
    #expect(trips.map(\.days) == [3, 3, 3])
    #expect(trips.map(\.stops.count).sorted() == [0, 1, 2])
    #expect(trips.allSatisfy { $0.guide?.name == "Gina" })
    #expect(
      try SQLiteFile.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'ZMEMO'", in: folder.store) == 0)
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
  }

  @Test func theFirstVersionGoesThroughAllStages() throws {
    try Journey.make(folder.store)
    for _ in 0..<2 {
      let context = try Journey.open(
        Journey.Current.models, at: folder.store, plan: Journey.Plan.self)
      try expectMigrated(context)
    }
  }

  @Test func aVersionInBetweenGoesThroughTheRest() throws {
    try Journey.make(folder.store)
    _ = try Journey.open(Journey.V2.self, at: folder.store, plan: Journey.Plan.self)
    let context = try Journey.open(Journey.V2.self, at: folder.store)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V2.Guide>()) == 1)
    try expectMigrated(
      try Journey.open(Journey.Current.models, at: folder.store, plan: Journey.Plan.self))
  }

  @Test func aPlanIsIntroducedAfterTheFirstRelease() throws {
    // The models of the first release had no version, and an entity less.
    do {
      let context = try Journey.open([Journey.V1.Trip.self], at: folder.store)
      context.insert(Journey.V1.Trip(name: "Rome"))
      try context.save()
    }
    let context = try Journey.open(
      Journey.Current.models, at: folder.store, plan: Journey.Plan.self)
    let trips = try context.fetch(FetchDescriptor<Journey.Current.Trip>())
    #expect(trips.map(\.title) == ["Rome"] && trips.first?.guide?.name == "Gina")
  }

  @Test func withoutAPlanTheTablesFollowTheModels() throws {
    try Journey.make(folder.store)
    let context = try Journey.open(Journey.V2.models, at: folder.store)
    let trips = try context.fetch(
      FetchDescriptor<Journey.V2.Trip>(sortBy: [SortDescriptor(\.title)]))
    #expect(trips.map(\.title) == ["Oslo", "Rome", "Rome"])
    #expect(trips.allSatisfy { $0.days == 3 && $0.guide == nil })
    #expect(trips.map(\.stops.count).sorted() == [0, 1, 2])
    #expect(try context.fetchCount(FetchDescriptor<Journey.V1.Memo>()) == 1)
  }

  @Test func aStoreIsLedBackToAnOlderVersion() throws {
    do {
      let context = try Journey.open(Journey.V3.self, at: folder.store)
      let trip = Journey.V3.Trip(title: "Rome")
      trip.guide = Journey.V3.Guide(name: "Gina")
      context.insert(trip)
      try context.save()
    }
    #expect(throws: SwiftDataError.backwardMigration) {
      try Journey.open(Journey.V2.self, at: folder.store, plan: Journey.Plan.self)
    }
    let context = try Journey.open(Journey.V2.self, at: folder.store, plan: Journey.Downward.self)
    let trips = try context.fetch(FetchDescriptor<Journey.V2.Trip>())
    #expect(trips.map(\.title) == ["Rome"] && trips.first?.guide?.name == "Gina")
    #expect(try context.fetchCount(FetchDescriptor<Journey.V1.Memo>()) == 0)
  }

  @Test func whatStandsInTheWayIsNamedWithTheStageToWrite() throws {
    try Journey.make(folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try Journey.open(Journey.V3.self, at: folder.store, plan: Journey.PlainPlan.self)
    }
    let text = error?.description ?? ""
    #expect(text.contains("can't be migrated from 2.0.0 to 3.0.0 without losing values"))
    #expect(text.contains("1 row (p3) repeat the values of another row"))
    #expect(text.contains("fromVersion: V2.self, toVersion: V3.self"))
    #expect(text.contains("for trip in try context.fetch(FetchDescriptor<V2.Trip>()) {"))
    #expect(error?.entity == "Trip" && error?.property == "title")
    let context = try Journey.open(Journey.V1.self, at: folder.store)
    #expect(try context.fetchCount(FetchDescriptor<Journey.V1.Trip>()) == 3)
  }

  @Test func aRefusalChangesNoByteOfAFileWithAJournal() throws {
    try Journey.make(folder.store)
    _ = try Journey.open(Journey.V2.self, at: folder.store)
    try SQLiteFile.execute("PRAGMA journal_mode = DELETE", in: folder.store)
    let before = try Data(contentsOf: folder.store)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try Journey.open(Journey.V3.self, at: folder.store, plan: Journey.PlainPlan.self)
    }
    #expect(try Data(contentsOf: folder.store) == before)
  }

  @Test func aForeignStoreIsLeftAsItIs() throws {
    do {
      let context = try Journey.open([Journey.V1.Memo.self], at: folder.store)
      context.insert(Journey.V1.Memo(text: "mine"))
      try context.save()
    }
    let before = try Data(contentsOf: folder.store)
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try Journey.open(
        [Journey.V2.Guide.self, Journey.V2.Trip.self, Journey.V2.Stop.self], at: folder.store)
    }
    #expect(error?.description.contains("the store has Memo, which is not a model") == true)
    #expect(try Data(contentsOf: folder.store) == before)
  }

  @Test func aCopyIsKeptOnRequest() throws {
    try Journey.make(folder.store)
    var configuration = ModelConfiguration(url: folder.store)
    configuration.keepsMigrationBackup = true
    for _ in 0..<2 {
      _ = try ModelContainer(
        for: Schema(versionedSchema: Journey.V3.self), migrationPlan: Journey.Plan.self,
        configurations: configuration)
    }
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.contains("-before-") && $0.hasSuffix(".store") }
    #expect(copies == ["test-before-3.0.0.store"])
    let context = try Journey.open(
      Journey.V1.self, at: folder.url.appending(path: "test-before-3.0.0.store"))
    #expect(try context.fetchCount(FetchDescriptor<Journey.V1.Trip>()) == 3)
  }

  @Test func containersThatOpenAtOnceMigrateOnce() async throws {
    try Journey.make(folder.store)
    let url = folder.store
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let context = try Journey.open(
            Journey.Current.models, at: url, plan: Journey.Plan.self)
          return try context.fetchCount(FetchDescriptor<Journey.Current.Guide>())
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == [1, 1, 1, 1])
  }

  @Test func aFileOfTheReleaseWithoutDescriptionsIsFoundInThePlan() throws {
    try Journey.make(folder.store)
    try SQLiteFile.execute(
      "DELETE FROM Z_MODELCACHE; UPDATE Z_METADATA SET Z_PLIST = x''", in: folder.store)
    try expectMigrated(
      try Journey.open(Journey.Current.models, at: folder.store, plan: Journey.Plan.self))
  }
}
