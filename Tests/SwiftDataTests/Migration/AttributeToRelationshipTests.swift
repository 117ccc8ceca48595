import Foundation
import SwiftData
import Synchronization
import Testing

/// An attribute becomes a relationship of the same name, in a stage whose code copies the values.
@Suite struct AttributeToRelationshipTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
      var title: String
      var tags: [String] = []
      init(_ title: String, _ tags: [String]) { (self.title, self.tags) = (title, tags) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Tag.self] }

    @Model final class Note {
      var title: String
      @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
      init(_ title: String) { self.title = title }
    }

    @Model final class Tag {
      var name: String
      var notes: [Note] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let kept = Mutex<[String: [String]]>([:])
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          for note in try context.fetch(FetchDescriptor<V1.Note>()) {
            kept.withLock { $0[note.title] = note.tags }
          }
        },
        didMigrate: { context in
          for note in try context.fetch(FetchDescriptor<V2.Note>()) {
            note.tags = kept.withLock { $0[note.title] ?? [] }.map(V2.Tag.init)
          }
          try context.save()
        })
    ]
  }

  enum PlanWithoutCode: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)]
  }

  enum TransformPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: V2.self,
        transformation: { transformation in
          try transformation.forEach(V1.Note.self, V2.Note.self) { old, new, _ in
            new?.tags = old.tags.map(V2.Tag.init)
          }
        })
    ]
  }

  private let folder: TemporaryFolder
  private var configuration: ModelConfiguration { ModelConfiguration(url: folder.store) }

  init() throws {
    folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(for: V1.Note.self, configurations: configuration))
    context.insert(V1.Note("a", ["x", "y"]))
    context.insert(V1.Note("b", []))
    try context.save()
  }

  @Test func codeBeforeAndAfterTheChangeCopiesTheValues() throws {
    let schema = Schema(versionedSchema: V2.self)
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: schema, migrationPlan: PlanWithoutCode.self, configurations: [configuration])
    }
    let previews = try ModelContainer.migrationPreview(
      for: schema, migrationPlan: Plan.self, configurations: [configuration])
    // The values leave the column, whatever the code does with them.
    let losses = previews.flatMap(\.stages).flatMap(\.losses)
    #expect(losses.map(\.property) == ["tags"] && losses.map(\.valueCount) == [2])
    let container = try ModelContainer(
      for: schema, migrationPlan: Plan.self, configurations: [configuration])
    let notes = try ModelContext(container).fetch(
      FetchDescriptor<V2.Note>(sortBy: [SortDescriptor(\.title)]))
    #expect(notes.map { $0.tags.map(\.name).sorted() } == [["x", "y"], []])
  }

  @Test func aTransformationCopiesTheValuesAndTheStoreIsKept() throws {
    let schema = Schema(versionedSchema: V2.self)
    let previews = try ModelContainer.migrationPreview(
      for: schema, migrationPlan: TransformPlan.self, configurations: [configuration])
    let losses = previews.flatMap(\.losses)
    #expect(losses.map(\.property) == ["tags"] && losses.map(\.valueCount) == [2])
    var container: ModelContainer?
    let lines = try WarningLog.lines {
      container = try ModelContainer(
        for: schema, migrationPlan: TransformPlan.self, configurations: [configuration])
    }
    #expect(lines.count == 1 && lines[0].contains("2 values of Note.tags"), "\(lines)")
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.contains("-before-") && $0.hasSuffix(".store") }
    #expect(copies.count == 1)
    let notes = try ModelContext(#require(container)).fetch(
      FetchDescriptor<V2.Note>(sortBy: [SortDescriptor(\.title)]))
    #expect(notes.map { $0.tags.map(\.name).sorted() } == [["x", "y"], []])
  }
}
