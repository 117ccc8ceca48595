import Foundation
import SwiftData
import Testing

/// Subclasses that the models do not have any more: their rows would be in no fetch and in no list.
@Suite struct GoneSubclassTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Part.self, Button.self, Label.self] }

    @Model class Part {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Button: Part {
      var action: String

      override init(_ name: String) {
        action = "go"
        super.init(name)
      }
    }
    @Model final class Label: Part {
      var text: String

      override init(_ name: String) {
        text = "…"
        super.init(name)
      }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Part.self, Label.self] }

    @Model class Part {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Label: Part {
      var text: String

      override init(_ name: String) {
        text = "…"
        super.init(name)
      }
    }
  }

  enum Renamed: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Part.self, Knob.self, Label.self] }

    @Model class Part {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Knob: Part {
      var action: String

      override init(_ name: String) {
        action = "go"
        super.init(name)
      }
    }
    @Model final class Label: Part {
      var text: String

      override init(_ name: String) {
        text = "…"
        super.init(name)
      }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)]
  }

  enum KeepingPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          for button in try context.fetch(FetchDescriptor<V1.Button>()) {
            context.insert(V1.Label(button.name))
          }
          try context.save()
        }, didMigrate: nil)
    ]
  }

  enum RenamedPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, Renamed.self]
    static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: Renamed.self)]
  }

  private func make() throws {
    try store.make(V1.models) { context in
      context.insert(V1.Part("p"))
      context.insert(V1.Button("b"))
      context.insert(V1.Button("c"))
      context.insert(V1.Label("l"))
    }
  }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: [ModelConfiguration(url: store.url)]))
  }

  @Test func withoutAPlanItIsRefused() throws {
    try make()
    let text = try store.refusal(V2.models)
    #expect(text.contains("Button") && text.contains("2 rows (p"), "\(text)")
    #expect(text.contains("subclass of Part"), "\(text)")
    let renamed = try store.refusal(Renamed.models)
    #expect(renamed.contains("@Model(originalName: \"Button\")"), "\(renamed)")
    // Nothing else changes, so the hashes of the models are those of the file.
    let context = try open(V1.self, nil)
    #expect(try context.fetchCount(FetchDescriptor<V1.Part>()) == 4)
  }

  @Test func withoutRowsTheSubclassGoes() throws {
    try store.make(V1.models) { context in
      context.insert(V1.Part("p"))
      context.insert(V1.Label("l"))
    }
    let context = try store.open(V2.models)
    #expect(try context.fetchCount(FetchDescriptor<V2.Part>()) == 2)
  }

  @Test func aPlanThatListsItDeletesItsRows() throws {
    try make()
    let preview = try #require(
      try ModelContainer.migrationPreview(
        for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
        configurations: [ModelConfiguration(url: store.url)]
      ).first)
    #expect(preview.losses.map(\.description) == ["2 rows of Button"])
    let context = try open(V2.self, Plan.self)
    #expect(
      try context.fetch(FetchDescriptor<V2.Part>(sortBy: [SortDescriptor(\.name)])).map(\.name)
        == ["l", "p"])
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZPART", in: store.url) == 2)
  }

  @Test func codeOfThePlanSaysWhatBecomesOfThem() throws {
    try make()
    let context = try open(V2.self, KeepingPlan.self)
    #expect(
      try context.fetch(FetchDescriptor<V2.Label>(sortBy: [SortDescriptor(\.name)])).map(\.name)
        == ["b", "c", "l"])
  }

  /// With a plan the rows would be deleted.
  @Test func aSubclassUnderAnotherNameIsRefusedWithAPlanToo() throws {
    try make()
    let before = try store.content()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(Renamed.self, RenamedPlan.self)
    }
    let text = error?.description ?? ""
    #expect(text.contains("@Model(originalName: \"Button\")"), "\(text)")
    #expect(try store.content() == before)
  }
}
