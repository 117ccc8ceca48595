import Foundation
import SwiftData
import Testing

/// Stores that a plan has brought to a higher version than the models have, which are newer all the same.
@Suite(.databases) struct DroppedPlanTests {
  enum Second {
    @Model final class Note {
      var title: String
      var days: Int

      init(_ title: String) { (self.title, days) = (title, 3) }
    }
  }

  /// Only adds to them.
  enum Added {
    @Model final class Note {
      @Attribute(originalName: "title") var name: String
      var days: Int
      var extra: String?
      var tag: Tag?

      init(_ name: String) { (self.name, days) = (name, 3) }
    }

    @Model final class Tag {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// Changes a property.
  enum Changed {
    @Model final class Note {
      var title: String
      var days: Double

      init(_ title: String) { (self.title, days) = (title, 3) }
    }
  }

  enum Again: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Changed.Note.self] }
  }

  enum Ahead: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Changed.Note.self] }
  }

  enum PlanAgain: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Again.self] }
    static var stages: [MigrationStage] { [] }
  }

  enum PlanAhead: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Ahead.self] }
    static var stages: [MigrationStage] { [] }
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let context = try open(Schema([Second.Note.self], version: Schema.Version(2, 0, 0)))
    context.insert(Second.Note("a"))
    try context.save()
  }

  private func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: schema, migrationPlan: plan, configurations: ModelConfiguration(url: folder.store)))
  }

  /// An older program that starts again would take the store back.
  @Test(arguments: [Schema.Version(1, 0, 0), Schema.Version(1, 5, 0)])
  func modelsWithALowerVersionMayNotAdd(_ version: Schema.Version) throws {
    let types: [any PersistentModel.Type] = [Added.Note.self, Added.Tag.self]
    let error = #expect(throws: SwiftDataError.backwardMigration) {
      try open(Schema(types, version: version))
    }
    #expect(error?.description.contains("version: Schema.Version(2, 0, 0))") == true)
    let context = try open(Schema(types, version: Schema.Version(2, 0, 0)))
    let note = try #require(try context.fetch(FetchDescriptor<Added.Note>()).first)
    #expect(note.name == "a" && note.days == 3 && note.extra == nil)
  }

  @Test func theErrorNamesTheDifferencesAndTheVersionThatHelps() throws {
    let error = #expect(throws: SwiftDataError.backwardMigration) {
      try open(Schema([Changed.Note.self]))
    }
    let text = error?.description ?? ""
    #expect(text.contains("Differences: Note.days is Double in the model and Int"), "\(text)")
    #expect(text.contains("Schema([…], version: Schema.Version(2, 0, 0))"), "\(text)")
    let context = try open(Schema([Changed.Note.self], version: Schema.Version(2, 0, 0)))
    #expect(try context.fetch(FetchDescriptor<Changed.Note>()).map(\.days) == [3])
  }

  @Test func aPlanThatCountsAgainIsToldWhereToBegin() throws {
    let error = #expect(throws: SwiftDataError.backwardMigration) {
      try open(Schema(versionedSchema: Again.self), PlanAgain.self)
    }
    let text = error?.description ?? ""
    #expect(text.contains("give them numbers of at least 2.0.0"), "\(text)")
    let context = try open(Schema(versionedSchema: Ahead.self), PlanAhead.self)
    #expect(try context.fetch(FetchDescriptor<Changed.Note>()).map(\.days) == [3])
  }
}
