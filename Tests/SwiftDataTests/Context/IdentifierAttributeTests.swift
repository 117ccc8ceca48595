import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

private enum Marks {
  struct Place: Codable, Equatable {
    var page: PersistentIdentifier?
    var line: Int
  }

  enum Target: Codable, Equatable {
    case page(PersistentIdentifier)
    case text(String)
  }

  @Model final class Page {
    @Attribute(.unique) var code: String
    var note = ""
    init(_ code: String) { self.code = code }
  }

  @Model class Mark {
    @Attribute(.unique) var name: String
    var page: PersistentIdentifier?
    var list: [PersistentIdentifier] = []
    var set: Set<PersistentIdentifier> = []
    var place: Place?
    @Attribute(.codable) var whole: Place?
    var target = Target.text("")

    init(_ name: String, _ page: Page? = nil) {
      self.name = name
      if let page { refer(to: page) }
    }

    func refer(to model: Page) {
      let id = model.persistentModelID
      page = id
      list = [id, id]
      set = [id]
      place = Place(page: id, line: 1)
      whole = Place(page: id, line: 2)
      target = .page(id)
    }

    func refers(to model: Page) -> Bool {
      let id = model.persistentModelID
      return page == id && list == [id, id] && set == [id] && place == Place(page: id, line: 1)
        && whole == Place(page: id, line: 2) && target == .page(id)
    }
  }

  @Model final class Flag: Mark {
    var other: PersistentIdentifier?
    init(_ name: String, _ page: Page, other: Page) {
      self.other = other.persistentModelID
      super.init(name, page)
    }
  }

  struct Failure: Error {}
}

/// An attribute with the identifier of a new model is stored with the identifier that the save gives to that model.
@Suite(.databases) struct IdentifierAttributeTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Marks.Page.self, Marks.Mark.self, Marks.Flag.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  /// Whether a mark refers to a page in memory and in the store.
  private func expect(
    _ mark: Marks.Mark, refersTo page: Marks.Page, in context: ModelContext,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(!context.hasChanges, sourceLocation: location)
    #expect(mark.refers(to: page), "in memory", sourceLocation: location)
    let other = ModelContext(context.container)
    let name = mark.name
    let stored = try other.fetch(
      FetchDescriptor<Marks.Mark>(predicate: #Predicate { $0.name == name }))
    #expect(stored.count == 1 && stored[0].refers(to: page), "stored", sourceLocation: location)
    let id: PersistentIdentifier? = page.persistentModelID
    let found = try other.fetchCount(
      FetchDescriptor<Marks.Mark>(predicate: #Predicate { $0.page == id && $0.name == name }))
    #expect(found == 1, "predicate", sourceLocation: location)
  }

  @Test(arguments: [true, false]) func bothAreNew(_ isPageFirst: Bool) throws {
    let context = try context()
    let page = Marks.Page("a")
    let mark = Marks.Mark("m", page)
    if isPageFirst { context.insert(page) }
    context.insert(mark)
    if !isPageFirst { context.insert(page) }
    try context.save()
    try expect(mark, refersTo: page, in: context)
    page.note = "n"
    mark.name = "renamed"
    try context.save()
    try expect(mark, refersTo: page, in: context)
  }

  @Test func aStoredModelRefersToANewOne() throws {
    let context = try context()
    let mark = Marks.Mark("m")
    context.insert(mark)
    try context.save()
    let other = ModelContext(context.container)
    let shown = try other.fetch(FetchDescriptor<Marks.Mark>())[0]
    let page = Marks.Page("a")
    context.insert(page)
    mark.refer(to: page)
    try context.save()
    try expect(mark, refersTo: page, in: context)
    _ = try other.fetch(FetchDescriptor<Marks.Mark>())
    #expect(shown.refers(to: page))
    // A version of the row is one for each save.
    context.conflictPolicy = .refuse
    mark.name = "renamed"
    try context.save()
  }

  @Test func theNewModelBecomesAStoredRow() throws {
    let context = try context()
    let stored = Marks.Page("a")
    context.insert(stored)
    try context.save()
    let page = Marks.Page("a")
    let mark = Marks.Mark("m", page)
    context.insert(mark)
    context.insert(page)
    try context.save()
    try expect(mark, refersTo: stored, in: context)
  }

  @Test func theReferrerBecomesAStoredRow() throws {
    let context = try context()
    context.insert(Marks.Mark("m", nil))
    try context.save()
    let (page, next) = (Marks.Page("a"), Marks.Page("b"))
    let first = Marks.Mark("m", page)
    let second = Marks.Mark("m", next)
    for model in [first, second] { context.insert(model) }
    context.insert(page)
    context.insert(next)
    try context.save()
    // The values of the last one win.
    try expect(second, refersTo: next, in: context)
    let third = Marks.Page("c")
    context.insert(third)
    context.insert(Marks.Mark("m", third))
    context.insert(Marks.Mark("m"))
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Marks.Mark>()).map(\.page) == [nil])
  }

  @Test func aSubclassHasIdentifiersOfItsOwn() throws {
    let context = try context()
    let (page, other) = (Marks.Page("a"), Marks.Page("b"))
    let flag = Marks.Flag("f", page, other: other)
    context.insert(flag)
    context.insert(page)
    context.insert(other)
    try context.save()
    try expect(flag, refersTo: page, in: context)
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Marks.Flag>())
    #expect(found.map(\.other) == [other.persistentModelID])
  }

  @Test func aTransactionWithTwoSaves() throws {
    let context = try context()
    let page = Marks.Page("a")
    let (first, second) = (Marks.Mark("1", page), Marks.Mark("2"))
    #expect(throws: Marks.Failure.self) {
      try context.transaction {
        for model in [first, second] { context.insert(model) }
        context.insert(page)
        try context.save()
        second.refer(to: page)
        try context.save()
        throw Marks.Failure()
      }
    }
    #expect(first.refers(to: page))
    try context.transaction {
      context.insert(page)
      context.insert(first)
      try context.save()
      context.insert(second)
      second.refer(to: page)
      try context.save()
    }
    try expect(first, refersTo: page, in: context)
    try expect(second, refersTo: page, in: context)
  }

  @Test func afterAnUndoAndARollback() throws {
    let context = try context()
    let undo = UndoManager()
    let page = Marks.Page("a")
    let mark = Marks.Mark("m", page)
    context.insert(page)
    context.insert(mark)
    context.rollback()
    context.undoManager = undo
    context.insert(mark)
    context.insert(page)
    try context.save()
    mark.page = nil
    try context.save()
    undo.undo()
    try context.save()
    try expect(mark, refersTo: page, in: context)
  }

  @Test(.sqliteOnly("counts statements")) func onlySavesWithSuchValuesWriteThemAgain() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(
      try recorder.container([Marks.Page.self, Marks.Mark.self, Marks.Flag.self]))
    func updates(_ change: () -> Void) throws -> [String] {
      try recorder.during {
        change()
        try context.save()
      }.map(\.sql).filter { $0.hasPrefix("UPDATE") && $0.contains("ZMARK") }
    }
    let page = Marks.Page("a")
    let mark = Marks.Mark("n", page)
    #expect(
      try updates {
        context.insert(page)
        context.insert(mark)
      }.count == 1)
    let reads = recorder.during { #expect(mark.refers(to: page)) }
    #expect(reads.isEmpty)
    #expect(
      try updates { for number in 0..<3 { context.insert(Marks.Mark("\(number)", page)) } } == [])
    #expect(try updates { mark.list = [] }.count == 1)
  }

  @Test func aPredicateWithTheEarlierIdentifierFindsIt() throws {
    let context = try context()
    let page = Marks.Page("a")
    let id: PersistentIdentifier? = page.persistentModelID
    let descriptor = FetchDescriptor<Marks.Mark>(predicate: #Predicate { $0.page == id })
    let mark = Marks.Mark("m", page)
    context.insert(mark)
    context.insert(page)
    #expect(try context.fetch(descriptor) == [mark])
    try context.save()
    #expect(try context.fetch(descriptor) == [mark])
    mark.name = "edited"
    #expect(try context.fetch(descriptor) == [mark])
    #expect(try context.fetchCount(descriptor) == 1)
  }

  @Test func anIdentifierThatNoSaveStoresIsReported() throws {
    let context = try context()
    let lost = Marks.Page("lost")
    let mark = Marks.Mark("m")
    mark.list = [lost.persistentModelID]
    context.insert(mark)
    // A line is written once in a process.
    let lines = try WarningLog.lines { try context.save() }
    #expect(lines.count <= 1)
    #expect(lines.allSatisfy { $0.hasPrefix("Mark.list was saved with the identifier of a model") })
    let again = Marks.Mark("n")
    again.list = [lost.persistentModelID]
    context.insert(again)
    #expect(try WarningLog.lines { try context.save() } == [])
    #expect(again.list == [lost.persistentModelID])
  }
}

/// The same where the models are in several stores, and in stores of other kinds.
@Suite struct IdentifiersInSeveralStoresTests {
  private typealias Custom = MemoryStore<DefaultSnapshot>

  private func check(_ context: ModelContext) throws {
    let (page, mark) = (Marks.Page("a"), Marks.Mark("m"))
    context.insert(mark)
    context.insert(page)
    mark.refer(to: page)
    try context.save()
    #expect(mark.refers(to: page))
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Marks.Mark>()).map { $0.refers(to: page) } == [true])
    let next = Marks.Page("b")
    mark.refer(to: next)
    context.insert(next)
    try context.save()
    #expect(mark.refers(to: next))
    let third = ModelContext(context.container)
    #expect(try third.fetch(FetchDescriptor<Marks.Mark>()).map { $0.refers(to: next) } == [true])
  }

  private let pages = Schema([Marks.Page.self])
  private let marks = Schema([Marks.Mark.self, Marks.Flag.self])
  private let all = Schema([Marks.Page.self, Marks.Mark.self, Marks.Flag.self])

  @Test(arguments: [true, false]) func twoDefaultStores(_ isPageFirst: Bool) throws {
    let one = ModelConfiguration("one", schema: pages, isStoredInMemoryOnly: true)
    let two = ModelConfiguration("two", schema: marks, isStoredInMemoryOnly: true)
    try check(
      ModelContext(
        ModelContainer(for: all, configurations: isPageFirst ? [one, two] : [two, one])))
  }

  @Test func aStoreThatPassesItsRequestsOn() throws {
    try check(
      ModelContext(ModelContainer(for: all, configurations: [Forwarding.Configuration()])))
  }

  @Test func aCustomStore() throws {
    try check(
      ModelContext(ModelContainer(for: all, configurations: [Custom.Configuration()])))
  }

  @Test(arguments: [true, false]) func aCustomStoreBesideADefaultStore(_ hasPages: Bool) throws {
    var custom = Custom.Configuration()
    custom.schema = hasPages ? pages : marks
    let other = ModelConfiguration(
      "other", schema: hasPages ? marks : pages, isStoredInMemoryOnly: true)
    try check(
      ModelContext(ModelContainer(for: all, configurations: [custom, other])))
  }
}

/// A store that leaves everything to a default store.
private final class Forwarding: DataStore {
  struct Configuration: DataStoreConfiguration, Sendable {
    typealias Store = Forwarding

    let name = "forwarding"
    var schema: Schema?

    static func == (lhs: Self, rhs: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  let configuration: Configuration
  private let base: DefaultStore
  var identifier: String { base.identifier }
  var schema: Schema { base.schema }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try DefaultStore(
      ModelConfiguration(schema: configuration.schema, isStoredInMemoryOnly: true),
      migrationPlan: nil)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try base.fetch(request) }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try base.save(request) }
}
