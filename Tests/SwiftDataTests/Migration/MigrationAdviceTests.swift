import Foundation
import SwiftData
import Testing

/// The stages that refusals print stand here word for word, so that they compile, and are run.
@Suite struct MigrationAdviceTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum OldVersion: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      var note: String?
      init(_ name: String) { self.name = name }
    }
  }

  private func make(_ names: String...) throws {
    try store.make(OldVersion.models) { context in
      for name in names { context.insert(OldVersion.Trip(name)) }
    }
  }

  /// The code of the refusal, which this file has too.
  private func printedCode(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(version, plan)
    }
    let text = error?.description ?? ""
    let start = try #require(text.range(of: "of a migration plan:\n"), "\(text)").upperBound
    let end = try #require(text.range(of: "\n// See MigrationStage"), "\(text)").lowerBound
    func words(_ text: some StringProtocol) -> String {
      // Without plan the file's versions are OldVersion and NewVersion, which are scopes here.
      text.split(separator: "\n").map {
        $0.prefix(upTo: $0.range(of: "//")?.lowerBound ?? $0.endIndex)
      }
      .joined().filter { !$0.isWhitespace && $0 != "," }
    }
    let code = text[start..<end]
    let source = words(try String(contentsOfFile: #filePath, encoding: .utf8))
    for stage in code.components(separatedBy: "\nMigrationStage") {
      let stage = stage.hasPrefix("(") || stage.hasPrefix(".") ? "MigrationStage" + stage : stage
      #expect(source.contains(words(stage)), "\(stage)", sourceLocation: sourceLocation)
    }
    return String(code)
  }

  @discardableResult
  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: [ModelConfiguration(url: store.url)]))
  }

  // MARK: A new required property

  enum NewVersion: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      var note: String?
      var days: Int
      init(_ name: String, _ days: Int) { (self.name, self.days) = (name, days) }
    }
  }

  enum TransformPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [OldVersion.self, NewVersion.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: OldVersion.self, toVersion: NewVersion.self,
        transformation: { transformation in
          try transformation.forEach(OldVersion.Trip.self, NewVersion.Trip.self) {
            old, new, context in
            // Set days of new.
          }
        })
    ]
  }

  enum LightPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [OldVersion.self, NewVersion.self]
    static let stages: [MigrationStage] = []
  }

  @Test func aNewRequiredPropertyIsSetInATransformation() throws {
    try make("a", "b")
    let code = try printedCode(NewVersion.self)
    #expect(code.contains("MigrationStage.transform"))
    #expect(try printedCode(NewVersion.self, LightPlan.self) == code)
    let context = try open(NewVersion.self, TransformPlan.self)
    // A number is zero until the code sets it.
    #expect(try context.fetch(FetchDescriptor<NewVersion.Trip>()).map(\.days) == [0, 0])
  }

  // MARK: Rows that break a new rule

  enum Unique: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      @Attribute(.unique) var name: String
      var note: String
      init(_ name: String) { (self.name, note) = (name, "") }
    }
  }

  enum EmptyPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [OldVersion.self, Unique.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: OldVersion.self, toVersion: Unique.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<OldVersion.Trip>()) {
            _ = trip  // Repair note, name.
          }
          try context.save()
        },
        didMigrate: nil)
    ]
  }

  enum RepairPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [OldVersion.self, Unique.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: OldVersion.self, toVersion: Unique.self,
        willMigrate: { context in
          var seen: Set<String> = []
          for trip in try context.fetch(FetchDescriptor<OldVersion.Trip>()) {
            trip.note = trip.note ?? "none"
            if !seen.insert(trip.name).inserted { context.delete(trip) }
          }
          try context.save()
        },
        didMigrate: nil)
    ]
  }

  @Test func rowsAreRepairedBeforeTheTablesChange() throws {
    try make("a", "b", "a")
    let code = try printedCode(Unique.self, EmptyPlan.self)
    #expect(code.contains("MigrationStage.custom") && !code.contains("transform"))
    let context = try open(Unique.self, RepairPlan.self)
    #expect(
      try context.fetch(FetchDescriptor<Unique.Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
        == ["a", "b"])
  }

  // MARK: Both

  enum UniqueAndNew: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      @Attribute(.unique) var name: String
      var note: String?
      var days: Int
      init(_ name: String) { (self.name, days) = (name, 1) }
    }
  }

  // An intermediate version with the models of OldVersion. Add it to the schemas of the plan.
  enum OldVersionRepaired: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 1)
    static var models: [any PersistentModel.Type] { OldVersion.models }
  }

  enum BothPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [
      OldVersion.self, OldVersionRepaired.self, UniqueAndNew.self,
    ]
    static let stages = [
      MigrationStage.custom(
        fromVersion: OldVersion.self, toVersion: OldVersionRepaired.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<OldVersion.Trip>()) {
            _ = trip  // Repair name.
          }
          try context.save()
        },
        didMigrate: nil),
      MigrationStage.transform(
        fromVersion: OldVersionRepaired.self, toVersion: UniqueAndNew.self,
        transformation: { transformation in
          try transformation.forEach(OldVersion.Trip.self, UniqueAndNew.Trip.self) {
            old, new, context in
            // Set days of new.
          }
        }),
    ]
  }

  enum FilledPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [
      OldVersion.self, OldVersionRepaired.self, UniqueAndNew.self,
    ]
    static let stages = [
      MigrationStage.custom(
        fromVersion: OldVersion.self, toVersion: OldVersionRepaired.self,
        willMigrate: { context in
          var seen: Set<String> = []
          for trip in try context.fetch(FetchDescriptor<OldVersion.Trip>()) {
            if !seen.insert(trip.name).inserted { context.delete(trip) }
          }
          try context.save()
        },
        didMigrate: nil),
      MigrationStage.transform(
        fromVersion: OldVersionRepaired.self, toVersion: UniqueAndNew.self,
        transformation: { transformation in
          try transformation.forEach(OldVersion.Trip.self, UniqueAndNew.Trip.self) {
            old, new, context in
            new?.days = old.name.count
          }
        }),
    ]
  }

  enum UniqueTransformPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [OldVersion.self, UniqueAndNew.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: OldVersion.self, toVersion: UniqueAndNew.self, transformation: { _ in })
    ]
  }

  enum UniqueLightPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [OldVersion.self, UniqueAndNew.self]
    static let stages: [MigrationStage] = []
  }

  @Test func aVersionInBetweenSeparatesRepairAndTransformation() throws {
    try make("a", "b", "a")
    let code = try printedCode(UniqueAndNew.self, UniqueLightPlan.self)
    #expect(code.contains("enum OldVersionRepaired") && code.contains("MigrationStage.transform"))
    let context = try open(UniqueAndNew.self, FilledPlan.self)
    #expect(
      try context.fetch(FetchDescriptor<UniqueAndNew.Trip>(sortBy: [SortDescriptor(\.name)]))
        .map(\.days) == [1, 1])
  }

  /// A transformation sees rows that are unique already.
  @Test func aTransformationCannotDeduplicateAndTheAdviceSaysHow() throws {
    try make("a", "b", "a")
    let code = try printedCode(UniqueAndNew.self, UniqueTransformPlan.self)
    #expect(code.contains("enum OldVersionRepaired") && code.contains("MigrationStage.custom"))
    #expect(code.contains("it goes from OldVersionRepaired.self to UniqueAndNew.self"))
    #expect(
      try open(UniqueAndNew.self, FilledPlan.self).fetchCount(FetchDescriptor<UniqueAndNew.Trip>())
        == 2)
  }

  // MARK: A new unique property

  enum Uncoded: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Coded: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      @Attribute(.unique) var code: String
      init(_ name: String, _ code: String) { (self.name, self.code) = (name, code) }
    }
  }

  enum CodedLightPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Uncoded.self, Coded.self]
    static let stages: [MigrationStage] = []
  }

  enum UnsetCodePlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Uncoded.self, Coded.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Uncoded.self, toVersion: Coded.self,
        transformation: { transformation in
          try transformation.forEach(Uncoded.Item.self, Coded.Item.self) { old, new, context in
            // Set code of new.
          }
        })
    ]
  }

  enum SetCodePlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Uncoded.self, Coded.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Uncoded.self, toVersion: Coded.self,
        transformation: { transformation in
          try transformation.forEach(Uncoded.Item.self, Coded.Item.self) { old, new, context in
            new?.code = "code of \(old.name)"
          }
        })
    ]
  }

  private func makeItems() throws {
    try store.make(Uncoded.models) { context in
      for name in ["a", "b"] { context.insert(Uncoded.Item(name)) }
    }
  }

  @Test func aNewUniquePropertyIsSetInATransformation() throws {
    try makeItems()
    let code = try printedCode(Coded.self, CodedLightPlan.self)
    #expect(code.contains("MigrationStage.transform") && !code.contains("custom"), "\(code)")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(Coded.self, UnsetCodePlan.self)
    }
    let text = error?.description ?? ""
    #expect(text.contains("Item.code (String) in 2 rows (p1, p2)"), "\(text)")
    let context = try open(Coded.self, SetCodePlan.self)
    func codes() throws -> [String] {
      try context.fetch(FetchDescriptor<Coded.Item>(sortBy: [SortDescriptor(\.name)])).map(\.code)
    }
    #expect(try codes() == ["code of a", "code of b"])
    // The constraint holds.
    context.insert(Coded.Item("c", "code of a"))
    try context.save()
    #expect(try codes() == ["code of b", "code of a"])
  }

  enum CodedEqually: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      @Attribute(.unique) var code: String = ""
      init(_ name: String) { self.name = name }
    }
  }

  enum EqualLightPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Uncoded.self, CodedEqually.self]
    static let stages: [MigrationStage] = []
  }

  enum UnsetEqualPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Uncoded.self, CodedEqually.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Uncoded.self, toVersion: CodedEqually.self,
        transformation: { transformation in
          try transformation.forEach(Uncoded.Item.self, CodedEqually.Item.self) {
            old, new, context in
            // Set code of new.
          }
        })
    ]
  }

  enum SetEqualPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Uncoded.self, CodedEqually.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Uncoded.self, toVersion: CodedEqually.self,
        transformation: { transformation in
          try transformation.forEach(Uncoded.Item.self, CodedEqually.Item.self) {
            old, new, context in
            new?.code = "code of \(old.name)"
          }
        })
    ]
  }

  /// The old class has no such property, so nothing can be repaired in willMigrate.
  @Test func anEqualDefaultOfANewUniquePropertyIsReplacedInATransformation() throws {
    try makeItems()
    let code = try printedCode(CodedEqually.self, EqualLightPlan.self)
    #expect(code.contains("MigrationStage.transform") && !code.contains("custom"), "\(code)")
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(CodedEqually.self, UnsetEqualPlan.self)
    }
    let context = try open(CodedEqually.self, SetEqualPlan.self)
    let items = try context.fetch(
      FetchDescriptor<CodedEqually.Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.map(\.code) == ["code of a", "code of b"])
  }

  enum CodedDifferently: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      @Attribute(.unique) var code: String = UUID().uuidString
      init(_ name: String) { self.name = name }
    }
  }

  @Test func aDefaultThatDiffersInEachRowIsUnique() throws {
    try makeItems()
    let refusal = try store.refusal([Coded.Item.self])
    #expect(refusal.contains("a default value that differs in each row, such as UUID()"))
    let context = try open(CodedDifferently.self, nil)
    let codes = try context.fetch(FetchDescriptor<CodedDifferently.Item>()).map(\.code)
    #expect(Set(codes).count == 2)
  }
}
