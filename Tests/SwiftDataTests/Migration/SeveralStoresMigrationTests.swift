import Foundation
import SwiftData
import Testing

/// Containers with several stores: each has a migration of its own.
@Suite struct SeveralStoresMigrationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configurations(_ version: any VersionedSchema.Type) -> [ModelConfiguration] {
    let memos = version.models.filter { "\($0)" == "Memo" }
    let others = version.models.filter { "\($0)" != "Memo" }
    return [("trips", others), ("memos", memos)].filter { !$0.1.isEmpty }.map { name, types in
      ModelConfiguration(
        name, schema: Schema(types), url: folder.url.appending(path: "\(name).store"))
    }
  }

  private func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: configurations(version)))
  }

  private func fill() throws {
    let context = try open(Journey.V1.self)
    for name in ["Rome", "Rome"] { context.insert(Journey.V1.Trip(name: name)) }
    context.insert(Journey.V1.Memo(text: "pack"))
    try context.save()
  }

  @Test func aStoreOfSomeModelsFollowsThePlan() throws {
    try fill()
    // The stages name models that only one of the stores has.
    let context = try open(Journey.V2.self, plan: Journey.PlainPlan.self)
    #expect(try context.fetch(FetchDescriptor<Journey.V2.Trip>()).map(\.days) == [3, 3])
    #expect(try context.fetch(FetchDescriptor<Journey.V1.Memo>()).map(\.text) == ["pack"])
    let again = try open(Journey.V2.self, plan: Journey.PlainPlan.self)
    #expect(try again.fetchCount(FetchDescriptor<Journey.V2.Trip>()) == 2)
  }

  @Test func whatFailsInOneStoreDoesNotUndoTheOther() throws {
    try fill()
    let memos = folder.url.appending(path: "memos.store")
    try FileManager.default.removeItem(at: memos)
    try Data("no store at all, and longer than nothing".utf8).write(to: memos)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(Journey.V2.self, plan: Journey.PlainPlan.self)
    }
    let trips = try Journey.open(
      [Journey.V2.Trip.self, Journey.V2.Stop.self, Journey.V2.Guide.self],
      at: folder.url.appending(path: "trips.store"))
    #expect(try trips.fetch(FetchDescriptor<Journey.V2.Trip>()).map(\.days) == [3, 3])
  }

  @Test func entitiesOfOtherModulesStay() throws {
    let url = folder.store
    try Journey.make(url)
    // A module of its own works on the memos of the same file.
    let context = try Journey.open(
      [Journey.V2.Trip.self, Journey.V2.Stop.self, Journey.V2.Guide.self], at: url)
    #expect(try context.fetch(FetchDescriptor<Journey.V2.Trip>()).count == 3)
    let memos = try Journey.open([Journey.V1.Memo.self], at: url)
    #expect(try memos.fetch(FetchDescriptor<Journey.V1.Memo>()).map(\.text) == ["pack"])
  }
}
