import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
@testable import SwiftData
import Synchronization
import Testing

private enum Desk {
  @Model final class Page {
    @Attribute(.unique) var code: String
    init(_ code: String) { self.code = code }
  }

  @Model final class Mark {
    #Unique<Mark>([\.page, \.user])
    var page: PersistentIdentifier?
    var user: String
    var text: String
    var links: [PersistentIdentifier] = []

    init(_ page: Page?, _ user: String, _ text: String) {
      self.page = page?.persistentModelID
      self.user = user
      self.text = text
    }
  }

  @Model final class Tag {
    @Attribute(.unique) var name: String
    var mark: Mark?
    var page: PersistentIdentifier?
    init(_ name: String, _ mark: Mark?) {
      self.name = name
      self.mark = mark
    }
  }
}

/// Unique attributes with identifiers of new models.
@Suite(.databases) struct UniqueIdentifierTests {
  private func context(hasTags: Bool = true) throws -> ModelContext {
    let classes: [any PersistentModel.Type] = [Desk.Page.self, Desk.Mark.self]
    return ModelContext(
      try ModelContainer(
        for: Schema(hasTags ? classes + [Desk.Tag.self] : classes),
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test(arguments: [true, false]) func theNamedModelBecomesAStoredRow(_ hasTags: Bool) throws {
    let context = try context(hasTags: hasTags)
    let page = Desk.Page("a")
    context.insert(page)
    context.insert(Desk.Mark(page, "u", "1"))
    try context.save()
    let new = Desk.Page("a")
    let mark = Desk.Mark(new, "u", "2")
    context.insert(mark)
    if hasTags { context.insert(Desk.Tag("t", mark)) }
    context.insert(new)
    context.insert(Desk.Mark(nil, "v", "3"))
    try context.save()
    let other = ModelContext(context.container)
    let marks = try other.fetch(FetchDescriptor<Desk.Mark>(sortBy: [SortDescriptor(\.text)]))
    #expect(marks.map(\.text) == ["2", "3"])
    #expect(marks.map(\.page) == [page.persistentModelID, nil])
    if hasTags { #expect(try other.fetch(FetchDescriptor<Desk.Tag>()).map(\.mark) == [marks[0]]) }
    #expect(mark.page == page.persistentModelID)
  }

  @Test func twoNewModelsBecomeOneRow() throws {
    let context = try context(hasTags: false)
    let pages = [Desk.Page("a"), Desk.Page("a")]
    for (number, page) in pages.enumerated() {
      context.insert(Desk.Mark(page, "u", "\(number)"))
      context.insert(page)
    }
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Desk.Mark>()).map(\.text) == ["1"])
    #expect(try other.fetchCount(FetchDescriptor<Desk.Page>()) == 1)
  }

  @Test func anotherModelHasTheValues() throws {
    let context = try context(hasTags: false)
    let pages = [Desk.Page("a"), Desk.Page("b")]
    let marks = pages.map { Desk.Mark($0, "u", $0.code) }
    for model in pages { context.insert(model) }
    for model in marks { context.insert(model) }
    try context.save()
    let new = Desk.Page("a")
    context.insert(new)
    marks[1].page = new.persistentModelID
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.description.contains("unique") == true)
    marks[1].user = "v"
    try context.save()
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Desk.Mark>(sortBy: [SortDescriptor(\.user)]))
    #expect(found.map(\.page) == [pages[0].persistentModelID, pages[0].persistentModelID])
  }

  /// The first one waits for its new mark, so it is written last.
  @Test func theInstanceThatIsWrittenLastWins() throws {
    let context = try context()
    let (first, second) = (Desk.Tag("t", nil), Desk.Tag("t", nil))
    context.insert(first)
    try context.save()
    context.insert(second)
    try context.save()
    let (a, b) = (Desk.Page("a"), Desk.Page("b"))
    let mark = Desk.Mark(nil, "u", "1")
    mark.page = first.persistentModelID
    for model in [a, b] { context.insert(model) }
    context.insert(mark)
    first.mark = mark
    first.page = a.persistentModelID
    second.page = b.persistentModelID
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Desk.Tag>())
    #expect(found.map(\.page) == [a.persistentModelID])
    #expect(found.map { $0.mark?.text } == ["1"])
  }
}

/// Models with identifiers in a custom store, beside a default store.
@Suite(.databases) struct CompletedIdentifierTests {
  private typealias Custom = MemoryStore<DefaultSnapshot>

  private func container(
    _ stored: @escaping @Sendable (DefaultSnapshot) -> Void = { _ in }
  ) throws -> ModelContainer {
    let behaviour = MemoryStoreBehaviour<DefaultSnapshot>(rewrite: {
      stored($0)
      return nil
    })
    var custom = Custom.Configuration(behaviour: behaviour)
    custom.schema = Schema([Desk.Mark.self])
    return try ModelContainer(
      for: Schema([Desk.Page.self, Desk.Mark.self]),
      configurations: [
        custom,
        ModelConfiguration(
          "pages", schema: Schema([Desk.Page.self]), isStoredInMemoryOnly: true),
      ])
  }

  @Test func anAttributeNamesModelsOfBothStores() throws {
    let texts = Mutex<[String]>([])
    let container = try container { snapshot in
      for slot in 0..<snapshot.descriptor.slotCount {
        if case .blob(let data) = snapshot.value(slot) {
          texts.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
        }
      }
    }
    let context = ModelContext(container)
    let page = Desk.Page("a")
    let (mark, next) = (Desk.Mark(page, "u", "1"), Desk.Mark(page, "v", "2"))
    mark.links = [page.persistentModelID, next.persistentModelID]
    context.insert(mark)
    context.insert(next)
    context.insert(page)
    try context.save()
    let stored = texts.withLock { $0 }.filter { $0.contains("isTemporary") }
    #expect(!stored.isEmpty && stored.allSatisfy { !$0.contains("\"isTemporary\":true") })
    #expect(mark.links == [page.persistentModelID, next.persistentModelID])
    // Each copy knows what the earlier ones have replaced.
    let first = try PersistentIdentifier.identifier(
      for: "s", entityName: "Page", primaryKey: "p1")
    let second = try PersistentIdentifier.identifier(
      for: "s", entityName: "Mark", primaryKey: "p2")
    let (lost, other) = (Desk.Page("b"), Desk.Mark(nil, "w", "3"))
    let holder = Desk.Mark(nil, "x", "4")
    holder.links = [lost.persistentModelID, other.persistentModelID]
    var related: [PersistentIdentifier: any BackingData] = [:]
    let snapshot = DefaultSnapshot(
      from: holder.persistentBackingData, relatedBackingDatas: &related)
    let copy = snapshot.copy(
      persistentIdentifier: first, remappedIdentifiers: [lost.persistentModelID: first]
    ).copy(persistentIdentifier: first, remappedIdentifiers: [other.persistentModelID: second])
    let copied = (0..<copy.descriptor.slotCount).compactMap { slot -> String? in
      if case .blob(let data) = copy.value(slot) { return String(decoding: data, as: UTF8.self) }
      return nil
    }
    #expect(copied.contains { $0.contains("p1") && $0.contains("p2") })
    #expect(copied.allSatisfy { !$0.contains("\"isTemporary\":true") })
  }

  @Test(.sqliteOnly("fails the commit of a file"))
  func anIdentifierThatWasRolledBackIsStoredAgain() throws {
    try #require(FailureInjector.isAvailable)
    let folder = try TemporaryFolder()
    func container(_ name: String) throws -> ModelContainer {
      var custom = Custom.Configuration()
      custom.schema = Schema([Desk.Mark.self])
      return try ModelContainer(
        for: Schema([Desk.Page.self, Desk.Mark.self]),
        configurations: [
          custom,
          ModelConfiguration(
            "pages", schema: Schema([Desk.Page.self]), url: folder.url.appending(path: name)),
        ])
    }
    func insert(into context: ModelContext) -> (Desk.Page, Desk.Mark) {
      let page = Desk.Page("a")
      let mark = Desk.Mark(page, "u", "1")
      context.insert(page)
      context.insert(mark)
      return (page, mark)
    }
    let probe = FailureInjector(failingAt: nil)
    let trial = ModelContext(try container("trial.store"))
    _ = insert(into: trial)
    try probe.run { try trial.save() }
    let commit = try #require(probe.operations.lastIndex(of: "COMMIT"))
    let context = ModelContext(try container("pages.store"))
    let (page, mark) = insert(into: context)
    let injector = FailureInjector(failingAt: commit + 1, .full)
    #expect(throws: SwiftDataError.storeWriteFailure) { try injector.run { try context.save() } }
    #expect(mark.hasChanges)
    #expect(context.insertedModelsArray.count == 1)
    #expect(mark.page == page.persistentModelID)
    let rival = Desk.Page("rival")
    let other = ModelContext(context.container)
    other.insert(rival)
    try other.save()
    try context.save()
    #expect(!context.hasChanges)
    #expect(mark.page == page.persistentModelID && mark.page != rival.persistentModelID)
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Desk.Mark>())
    #expect(found.map(\.page) == [page.persistentModelID])
  }
}
