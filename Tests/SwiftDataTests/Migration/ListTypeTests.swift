import Foundation
import SwiftData
import Testing

/// Lists, sets and dictionaries of scalars whose elements get another type. Version hashes leave it out.
@Suite(.databases) struct ListTypeTests {
  enum Numbers {
    @Model final class Note {
      var number: Int
      var list: [Int]
      init(_ number: Int, _ list: [Int]) { (self.number, self.list) = (number, list) }
    }
  }

  enum Texts {
    @Model final class Note {
      var number: Int
      var list: [String]
      init(_ number: Int, _ list: [String]) { (self.number, self.list) = (number, list) }
    }
  }

  enum Bytes {
    @Model final class Note {
      var number: Int
      var list: [Int8]
      init(_ number: Int, _ list: [Int8]) { (self.number, self.list) = (number, list) }
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(url: folder.store)))
  }

  private func insert<T: PersistentModel>(_ models: T...) throws {
    let context = try open(T.self)
    for model in models { context.insert(model) }
    try context.save()
  }

  private func refusal<T: PersistentModel>(of type: T.Type) -> String {
    let error = #expect(throws: SwiftDataError.self) { try open(type) }
    return error?.description ?? ""
  }

  @Test func listsThatDoNotFitAreRefused() throws {
    try insert(Numbers.Note(1, [1, 2]), Numbers.Note(2, []))
    let text = refusal(of: Texts.Note.self)
    #expect(text.contains("Note.list is a transformed Array<String>"), "\(text)")
    #expect(text.contains("1 row (p"), "\(text)")
    let lists = try open(Numbers.Note.self).fetch(
      FetchDescriptor<Numbers.Note>(sortBy: [SortDescriptor(\.number)])
    ).map(\.list)
    #expect(lists == [[1, 2], []])
  }

  @Test func emptyListsFitAnyType() throws {
    try insert(Numbers.Note(1, []))
    for _ in 0..<2 {
      let context = try open(Texts.Note.self)
      let note = try #require(try context.fetch(FetchDescriptor<Texts.Note>()).first)
      note.list.append("a")
      try context.save()
    }
    #expect(
      try open(Texts.Note.self).fetch(FetchDescriptor<Texts.Note>()).map(\.list) == [["a", "a"]])
    #expect(refusal(of: Numbers.Note.self).contains("Note.list"))
  }

  @Test func smallerNumbersAreComparedOneByOne() throws {
    try insert(Numbers.Note(1, [1, 2]))
    #expect(try open(Bytes.Note.self).fetch(FetchDescriptor<Bytes.Note>()).map(\.list) == [[1, 2]])
    try insert(Numbers.Note(2, [3, 300]))
    let text = refusal(of: Bytes.Note.self)
    #expect(text.contains("1 row (p"), "\(text)")
  }

  enum Sets {
    @Model final class Note {
      var number: Int
      var list: Set<Int>
      init(_ number: Int, _ list: Set<Int>) { (self.number, self.list) = (number, list) }
    }
  }

  @Test func aSetMustHaveAllMembersOfTheList() throws {
    try insert(Numbers.Note(1, [1, 2]), Numbers.Note(2, []))
    let sets = try open(Sets.Note.self).fetch(
      FetchDescriptor<Sets.Note>(sortBy: [SortDescriptor(\.number)])
    ).map(\.list)
    #expect(sets == [[1, 2], []])
    try insert(Numbers.Note(3, [1, 1, 2]))
    let text = refusal(of: Sets.Note.self)
    #expect(text.contains("1 row (p"), "\(text)")
  }

  @Test(.sqliteOnly("a preview of a file")) func aPreviewReportsThem() throws {
    try insert(Numbers.Note(1, [1]))
    func preview(_ type: any PersistentModel.Type) throws -> MigrationPreview? {
      try ModelContainer.migrationPreview(
        for: Schema([type]), configurations: [ModelConfiguration(url: folder.store)]
      ).first
    }
    #expect(try preview(Numbers.Note.self)?.isNeeded == false)
    #expect(try preview(Texts.Note.self)?.problems.map(\.property) == ["list"])
    #expect(try preview(Bytes.Note.self)?.problems.isEmpty == true)
  }

  /// Such as one of Apple's framework.
  @Test(.sqliteOnly("the metadata of a file"))
  func aFileThatDoesNotRecordTheTypesIsTrusted() throws {
    let store = try MigratedStore()
    try store.make([Numbers.Note.self]) { $0.insert(Numbers.Note(1, [1, 2])) }
    var metadata = try RealFile.metadata(store.url)
    #expect(metadata.removeValue(forKey: "OpenSwiftDataListTypes") != nil)
    try store.write(metadata)
    let context = ModelContext(
      try ModelContainer(for: Texts.Note.self, configurations: ModelConfiguration(url: store.url)))
    #expect(try context.fetch(FetchDescriptor<Texts.Note>()).map(\.list) == [[]])
    #expect(try RealFile.metadata(store.url)["OpenSwiftDataListTypes"] == nil)
  }

  // MARK: Other values

  enum First {
    enum Kind: String, Codable { case a, b }

    @Model final class Bag {
      var set: Set<Int>?
      var map: [String: Int] = [:]
      var rows: [[Int]] = []
      var optional: [Int] = []
      var kinds: [Kind] = []
      init() {}
    }
  }

  enum Second {
    enum Sort: String, Codable { case a, b }

    @Model final class Bag {
      var set: Set<String>?
      var map: [String: String] = [:]
      var rows: [Int] = []
      var optional: [Int?] = []
      var kinds: [Sort] = []
      init() {}
    }
  }

  @Test func setsAndDictionariesAreComparedToo() throws {
    let bag = First.Bag()
    (bag.set, bag.map, bag.rows) = ([1], ["a": 1], [[1]])
    (bag.optional, bag.kinds) = ([1], [.a])
    try insert(bag)
    let text = refusal(of: Second.Bag.self)
    for name in ["set", "map", "rows"] { #expect(text.contains("Bag.\(name) is"), "\(text)") }
    #expect(!text.contains("Bag.optional") && !text.contains("Bag.kinds"), "\(text)")
  }

  @Test func valuesThatFitStay() throws {
    let bag = First.Bag()
    (bag.optional, bag.kinds) = ([1], [.a])
    try insert(bag)
    let later = try #require(try open(Second.Bag.self).fetch(FetchDescriptor<Second.Bag>()).first)
    #expect(later.set == nil && later.map.isEmpty && later.rows.isEmpty)
    #expect(later.optional == [1] && later.kinds == [.a])
  }

  // MARK: Plans

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Numbers.Note.self] }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Texts.Note.self] }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .transform(
          fromVersion: V1.self, toVersion: V2.self,
          transformation: { transformation in
            try transformation.forEach(Numbers.Note.self, Texts.Note.self) { old, new, _ in
              new?.list = old.list.map(String.init)
            }
          })
      ]
    }
  }

  /// A server asks for permission: `ListTransformTests`.
  @Test(.sqliteOnly("values that are deleted")) func aTransformationConvertsThem() throws {
    try insert(Numbers.Note(1, [1, 2]), Numbers.Note(2, []))
    for _ in 0..<2 {
      let container = try ModelContainer(
        for: Schema(versionedSchema: V2.self), migrationPlan: Plan.self,
        configurations: ModelConfiguration(url: folder.store))
      let notes = try ModelContext(container).fetch(
        FetchDescriptor<Texts.Note>(sortBy: [SortDescriptor(\.number)]))
      #expect(notes.map(\.list) == [["1", "2"], []])
    }
  }
}
