import Foundation
import SwiftData
import Testing

/// Stages that name models of several stores: a stage runs once for each store, and sees the rows of that store.
@Suite(.databases) struct SeveralStoresStageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Memo.self] }

    @Model final class Trip {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Memo {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Memo.self] }

    @Model final class Trip {
      var name: String
      var note: String?
      init(_ name: String) { self.name = name }
    }
    @Model final class Memo {
      var text: String
      var note: String?
      init(_ text: String) { self.text = text }
    }
  }

  private func open(
    _ version: any VersionedSchema.Type, _ trips: [any PersistentModel.Type],
    _ memos: [any PersistentModel.Type], _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    let configurations = [("trips", trips), ("memos", memos)].map { (name: String, types) in
      ModelConfiguration(
        name, schema: Schema(types), url: folder.url.appending(path: "\(name).store"))
    }
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: configurations))
  }

  private func make() throws {
    let context = try open(V1.self, [V1.Trip.self], [V1.Memo.self])
    context.insert(V1.Trip("Rome"))
    context.insert(V1.Memo("pack"))
    try context.save()
  }

  private func migrate(_ plan: any SchemaMigrationPlan.Type) throws -> ModelContext {
    try open(V2.self, [V2.Trip.self], [V2.Memo.self], plan)
  }

  private func notes(_ context: ModelContext) throws -> [String?] {
    try context.fetch(FetchDescriptor<V2.Trip>()).map(\.note)
      + context.fetch(FetchDescriptor<V2.Memo>()).map(\.note)
  }

  enum CodePlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          let counts = [
            try context.fetchCount(FetchDescriptor<V1.Trip>()),
            try context.fetchCount(FetchDescriptor<V1.Memo>()),
          ]
          #expect(counts.sorted() == [0, 1])
          try context.delete(model: V1.Memo.self, where: #Predicate { $0.text == "none" })
        },
        didMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.name)]))
          { trip.note = "trip" }
          let text = "pack"
          for memo in try context.fetch(
            FetchDescriptor<V2.Memo>(predicate: #Predicate { $0.text == text }))
          { memo.note = "memo" }
          try context.save()
          // The schema of the container tells for which store the stage runs.
          #expect(context.container.schema.entities.count == 1)
        })
    ]
  }

  @Test func codeFindsTheRowsOfItsStoreOnly() throws {
    try make()
    #expect(try notes(migrate(CodePlan.self)) == ["trip", "memo"])
  }

  enum TransformPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(fromVersion: V1.self, toVersion: V2.self) { transformation in
        try transformation.forEach(V1.Trip.self, V2.Trip.self) { old, new, _ in
          new?.note = old.name
        }
        try transformation.forEach(V1.Memo.self, V2.Memo.self) { old, new, _ in
          new?.note = old.text
        }
      }
    ]
  }

  @Test func aTransformationCompletesTheRowsOfItsStoreOnly() throws {
    try make()
    #expect(try notes(migrate(TransformPlan.self)) == ["Rome", "pack"])
  }

  enum InsertingPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
        didMigrate: { context in
          context.insert(V2.Memo("new"))
          try context.save()
        })
    ]
  }

  enum AskingPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
        didMigrate: { context in
          if context.container.schema.entitiesByName["Memo"] == nil { return }
          context.insert(V2.Memo("new"))
          try context.save()
        })
    ]
  }

  @Test func aModelOfAnotherStoreIsNotInserted() throws {
    try make()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try migrate(InsertingPlan.self)
    }
    let text = error?.description ?? ""
    #expect(
      text.contains("A migration stage runs once for each store") && text.contains("contain Memo"),
      "\(text)")
    let context = try migrate(AskingPlan.self)
    #expect(try context.fetch(FetchDescriptor<V2.Memo>()).map(\.text).sorted() == ["new", "pack"])
  }
}
