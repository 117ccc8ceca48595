import Foundation
import SwiftData
import Testing

/// Live results that are read while a save has applied the delete rules in memory, and fails.
@Suite struct FailedSaveResultsTests {
  @Model final class Folder {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Page.folder) var pages: [Page] = []
    @Relationship(deleteRule: .nullify, inverse: \Tag.folder) var tags: [Tag] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Page {
    var text: String
    var folder: Folder?

    init(_ text: String) { self.text = text }
  }

  @Model final class Tag {
    var name: String
    var folder: Folder?

    init(_ name: String) { self.name = name }
  }

  private final class Hook: @unchecked Sendable {
    var body: () throws -> Void = {}
  }

  private struct Failure: Error {}

  @Test func whatTheRulesChangedIsShownAgain() throws {
    let hook = Hook()
    let behaviour = MemoryStoreBehaviour<DefaultSnapshot>(willSave: { try hook.body() })
    let context = ModelContext(
      try ModelContainer(
        for: Schema([Folder.self, Page.self, Tag.self]),
        configurations: [MemoryStore<DefaultSnapshot>.Configuration(behaviour: behaviour)]))
    let folder = Folder("home")
    folder.pages = [Page("a"), Page("b")]
    folder.tags = [Tag("blue")]
    context.insert(folder)
    try context.save()
    let pages = try ResultsObserver<Page, Never>(
      fetchDescriptor: FetchDescriptor(sortBy: [SortDescriptor(\.text)]), modelContext: context)
    let tags = try ResultsObserver<Tag, Never>(
      fetchDescriptor: FetchDescriptor(predicate: #Predicate { $0.folder != nil }),
      modelContext: context)
    #expect(pages.results.count == 2 && tags.results.count == 1)
    context.delete(folder)
    hook.body = {
      #expect(pages.results.isEmpty && tags.results.isEmpty)
      throw Failure()
    }
    #expect(throws: (any Error).self) { try context.save() }
    #expect(pages.results.map(\.text) == ["a", "b"])
    #expect(tags.results.map(\.name) == ["blue"])
    context.rollback()
    #expect(pages.results.count == 2 && tags.results.count == 1 && folder.pages.count == 2)
  }
}
