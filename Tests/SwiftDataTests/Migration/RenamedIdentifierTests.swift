import Foundation
import SwiftData
import Synchronization
import Testing

/// Identifiers that rows have as values, after models get other names: they lead to the same rows as before.
@Suite(.databases) struct RenamedIdentifierTests {
  struct Place: Codable, Equatable {
    var target: PersistentIdentifier?
    var line = 0
  }

  enum Target: Codable, Equatable {
    case row(PersistentIdentifier)
    case text(String)
  }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models: [any PersistentModel.Type] = [Item.self, Other.self, Mark.self]

    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Other {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Mark {
      var name: String
      @Attribute(.unique, .preserveValueOnDeletion) var target: PersistentIdentifier?
      var list: [PersistentIdentifier] = []
      var set: Set<PersistentIdentifier> = []
      var byName: [String: PersistentIdentifier] = [:]
      var place: Place?
      @Attribute(.codable) var whole: Place?
      var places: [Place] = []
      var choice = Target.text("")
      @Attribute(.externalStorage) var large: [PersistentIdentifier] = []
      var days: [Int] = [1]

      init(_ name: String) { self.name = name }
    }
  }

  /// A mark of any version.
  protocol AnyMark: PersistentModel {
    var name: String { get }
    var target: PersistentIdentifier? { get set }
    var list: [PersistentIdentifier] { get set }
    var set: Set<PersistentIdentifier> { get set }
    var byName: [String: PersistentIdentifier] { get set }
    var place: Place? { get set }
    var whole: Place? { get set }
    var places: [Place] { get set }
    var choice: Target { get set }
    var large: [PersistentIdentifier] { get set }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: schema, migrationPlan: plan, configurations: ModelConfiguration(url: folder.store)))
  }

  /// Makes a store whose marks `item` and `other` have the identifiers of the two rows, and returns the texts of these.
  @discardableResult
  private func make(copies: Int = 1) throws -> [String] {
    let context = try open(Schema(versionedSchema: V1.self))
    let (item, other) = (V1.Item("item"), V1.Other("other"))
    context.insert(item)
    context.insert(other)
    try context.save()
    let rows: [any PersistentModel] = [item, other]
    for (name, row) in zip(["item", "other"], rows) {
      let (mark, id) = (V1.Mark(name), row.persistentModelID)
      context.insert(mark)
      mark.target = id
      mark.list = [id, id]
      mark.set = [id]
      mark.byName = ["a": id]
      mark.place = Place(target: id, line: 1)
      mark.whole = Place(target: id, line: 2)
      mark.places = [Place(), Place(target: id)]
      mark.choice = .row(id)
      mark.large = Array(repeating: id, count: copies)
    }
    try context.save()
    return try rows.map { try $0.persistentModelID.urlText }
  }

  /// Expects that all identifiers of a mark are those of a row.
  private func expect<Mark: AnyMark>(
    _ type: Mark.Type, _ name: String, leadsTo row: any PersistentModel, _ context: ModelContext,
    copies: Int = 1, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let id = row.persistentModelID
    let mark = try #require(
      try context.fetch(FetchDescriptor<Mark>()).first { $0.name == name },
      sourceLocation: location)
    #expect(mark.target == id, "optional", sourceLocation: location)
    #expect(mark.list == [id, id], "list", sourceLocation: location)
    #expect(mark.set == [id], "set", sourceLocation: location)
    #expect(mark.byName == ["a": id], "dictionary", sourceLocation: location)
    #expect(mark.place == Place(target: id, line: 1), "struct", sourceLocation: location)
    #expect(mark.whole == Place(target: id, line: 2), "codable", sourceLocation: location)
    #expect(mark.places == [Place(), Place(target: id)], "structs", sourceLocation: location)
    #expect(mark.choice == .row(id), "enum", sourceLocation: location)
    #expect(
      mark.large == Array(repeating: id, count: copies), "file", sourceLocation: location)
    #expect(context.unreadableValues.isEmpty, sourceLocation: location)
  }

  // MARK: Names

  enum Renamed: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [Thing.self, V1.Other.self, V1.Mark.self]

    @Model(originalName: "Item") final class Thing {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  @Test(arguments: [1, 2000]) func aModelIsRenamed(_ copies: Int) throws {
    try make(copies: copies)
    let context = try open(Schema(versionedSchema: Renamed.self))
    let thing = try context.fetch(FetchDescriptor<Renamed.Thing>())[0]
    try expect(V1.Mark.self, "item", leadsTo: thing, context, copies: copies)
    let other = try context.fetch(FetchDescriptor<V1.Other>())[0]
    try expect(V1.Mark.self, "other", leadsTo: other, context, copies: copies)
    let id: PersistentIdentifier? = thing.persistentModelID
    let found = FetchDescriptor<V1.Mark>(predicate: #Predicate { $0.target == id })
    #expect(try context.fetch(found).map(\.name) == ["item"])
  }

  enum Reused {
    @Model(originalName: "Item") final class Thing {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Item {
      var code = 0
      init() {}
    }
  }

  @Test func theEarlierNameIsThatOfANewModel() throws {
    let texts = try make()
    let context = try open(
      Schema([Reused.Thing.self, Reused.Item.self, V1.Other.self, V1.Mark.self]))
    let item = Reused.Item()
    context.insert(item)
    try context.save()
    let thing = try context.fetch(FetchDescriptor<Reused.Thing>())[0]
    try expect(V1.Mark.self, "item", leadsTo: thing, context)
    // A text outside the store keeps the earlier name.
    #expect(try item.persistentModelID.urlText != texts[0])
  }

  enum Exchanged {
    @Model(originalName: "Item") final class Other {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model(originalName: "Other") final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  @Test func modelsExchangeTheirNames() throws {
    try make()
    for _ in 0..<2 {
      let context = try open(Schema([Exchanged.Other.self, Exchanged.Item.self, V1.Mark.self]))
      let first = try context.fetch(FetchDescriptor<Exchanged.Other>())[0]
      #expect(first.name == "item")
      try expect(V1.Mark.self, "item", leadsTo: first, context)
      let second = try context.fetch(FetchDescriptor<Exchanged.Item>())[0]
      try expect(V1.Mark.self, "other", leadsTo: second, context)
    }
  }

  enum Chain: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, Renamed.self, Again.self]
    static let stages: [MigrationStage] = []

    enum Again: VersionedSchema {
      static let versionIdentifier = Schema.Version(3, 0, 0)
      static let models: [any PersistentModel.Type] = [Entry.self, Item.self, Note.self]

      @Model(originalName: "Thing") final class Entry {
        var name: String
        init(_ name: String) { self.name = name }
      }
      @Model(originalName: "Other") final class Item {
        var name: String
        init(_ name: String) { self.name = name }
      }
      @Model(originalName: "Mark") final class Note {
        var name: String
        @Attribute(.unique, .preserveValueOnDeletion) var target: PersistentIdentifier?
        var list: [PersistentIdentifier] = []
        var set: Set<PersistentIdentifier> = []
        @Attribute(originalName: "byName") var byText: [String: PersistentIdentifier] = [:]
        var place: Place?
        @Attribute(.codable) var whole: Place?
        var places: [Place] = []
        var choice = Target.text("")
        @Attribute(.externalStorage) var large: [PersistentIdentifier] = []
        var days: [Int] = [1]

        init(_ name: String) { self.name = name }
      }
    }
  }

  @Test func aPlanRenamesTwice() throws {
    try make()
    let context = try open(Schema(versionedSchema: Chain.Again.self), Chain.self)
    let entry = try context.fetch(FetchDescriptor<Chain.Again.Entry>())[0]
    try expect(Chain.Again.Note.self, "item", leadsTo: entry, context)
    let item = try context.fetch(FetchDescriptor<Chain.Again.Item>())[0]
    #expect(item.name == "other")
    try expect(Chain.Again.Note.self, "other", leadsTo: item, context)
  }

  enum Keeping: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, Renamed.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: Renamed.self, willMigrate: { _ in },
        didMigrate: { context in
          let thing = try context.fetch(FetchDescriptor<Renamed.Thing>())[0].persistentModelID
          let marks = try context.fetch(FetchDescriptor<V1.Mark>())
          for mark in marks where mark.target == thing { mark.name = "of the thing" }
          try context.save()
        })
    ]
  }

  @Test func codeOfAStageIsWarnedAboutIdentifiersItKeeps() throws {
    try make()
    let lines = Mutex<[String]>([])
    let context = try WarningLog.$receiver.withValue(
      { line in lines.withLock { $0.append(line) } },
      operation: { try open(Schema(versionedSchema: Renamed.self), Keeping.self) })
    let marks = try context.fetch(FetchDescriptor<V1.Mark>())
    #expect(Set(marks.map(\.name)) == ["of the thing", "other"])
    let warnings = lines.withLock { $0 }.filter { $0.contains("Item is now Thing") }
    #expect(warnings.count == 1)
  }

  enum Joined {
    @Model class Base {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model(originalName: "Item") final class Thing: Base {
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Other: Base {
      override init(_ name: String) { super.init(name) }
    }
  }

  @Test func aRenamedModelGetsASuperclass() throws {
    try make()
    let context = try open(
      Schema([Joined.Base.self, Joined.Thing.self, Joined.Other.self, V1.Mark.self]))
    let thing = try context.fetch(FetchDescriptor<Joined.Thing>())[0]
    try expect(V1.Mark.self, "item", leadsTo: thing, context)
    let other = try context.fetch(FetchDescriptor<Joined.Other>())[0]
    try expect(V1.Mark.self, "other", leadsTo: other, context)
  }

  @Test func preservedValuesOfTheHistoryAreAdjusted() throws {
    try make()
    let context = try open(Schema(versionedSchema: V1.self))
    try context.delete(model: V1.Mark.self, where: #Predicate { $0.name == "item" })
    try context.save()
    let later = try open(Schema(versionedSchema: Renamed.self))
    let thing = try later.fetch(FetchDescriptor<Renamed.Thing>())[0]
    let changes = try later.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes)
    let values = changes.compactMap { change -> PersistentIdentifier? in
      guard case .delete(let deletion as DefaultHistoryDelete<V1.Mark>) = change else { return nil }
      return deletion.tombstone[\.target] as? PersistentIdentifier
    }
    #expect(values == [thing.persistentModelID])
  }

  // MARK: Removed models

  enum Without: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [V1.Other.self, V1.Mark.self]
  }

  enum Returned: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static let models: [any PersistentModel.Type] = [
      Reused.Item.self, V1.Other.self, V1.Mark.self,
    ]
  }

  enum Removal: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, Without.self, Returned.self]
    static let stages: [MigrationStage] = []
  }

  @Test(.sqliteOnly("a PostgreSQL store of the tests may not lose rows"), arguments: [true, false])
  func aRemovedModelReturns(_ isOneMigration: Bool) throws {
    let texts = try make()
    if !isOneMigration { _ = try open(Schema(versionedSchema: Without.self), Removal.self) }
    let context = try open(Schema(versionedSchema: Returned.self), Removal.self)
    let items = (0..<3).map { _ in Reused.Item() }
    for item in items { context.insert(item) }
    try context.save()
    let mark = try #require(
      try context.fetch(FetchDescriptor<V1.Mark>()).first { $0.name == "item" })
    let target = try #require(mark.target)
    #expect(!items.map(\.persistentModelID).contains(target))
    #expect(try !items.map { try $0.persistentModelID.urlText }.contains(texts[0]))
    #expect(throws: SwiftDataError.self) {
      try context.existingModel(Reused.Item.self, for: target)
    }
  }

  enum Taken: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static let models: [any PersistentModel.Type] = [Item.self, V1.Mark.self]

    @Model(originalName: "Other") final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Taking: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, Without.self, Taken.self]
    static let stages: [MigrationStage] = []
  }

  @Test(.sqliteOnly("a PostgreSQL store of the tests may not lose rows"))
  func anotherModelGetsTheNameOfARemovedOne() throws {
    try make()
    let context = try open(Schema(versionedSchema: Taken.self), Taking.self)
    let item = try context.fetch(FetchDescriptor<Taken.Item>())[0]
    try expect(V1.Mark.self, "other", leadsTo: item, context)
    let mark = try #require(
      try context.fetch(FetchDescriptor<V1.Mark>()).first { $0.name == "item" })
    #expect(mark.target != nil && mark.target != item.persistentModelID)
    #expect(mark.list.count == 2 && !mark.list.contains(item.persistentModelID))
  }
}

extension RenamedIdentifierTests.V1.Mark: RenamedIdentifierTests.AnyMark {}

extension RenamedIdentifierTests.Chain.Again.Note: RenamedIdentifierTests.AnyMark {
  var byName: [String: PersistentIdentifier] {
    get { byText }
    set { byText = newValue }
  }
}
