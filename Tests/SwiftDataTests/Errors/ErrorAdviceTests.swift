import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

private final class Settings: Codable {
  var size = 1
}

private struct Layout: Codable {
  var settings = Settings()
  var depth: Int??
}

private enum FirstItems {
  @Model final class Item {
    var name = ""
    init() {}
  }
}

private enum SecondItems {
  @Model final class Item {
    var name = ""
    init() {}
  }
}

private enum WholePages {
  @Model final class Page {
    @Attribute(.codable) var layout: Layout
    init() { layout = Layout() }
  }
}

private enum SplitPages {
  @Model final class Page {
    var layout: Layout
    init() { layout = Layout() }
  }
}

/// Errors name the true cause, and advice that works.
@Suite struct ErrorAdviceTests {
  private let folder = try! TemporaryFolder()

  private func description(of error: SwiftDataError?) -> String { error?.description ?? "" }

  @Test func aStructureWithAnObjectIsStoredAsAWhole() throws {
    let refused = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: SplitPages.Page.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(description(of: refused).contains("@Attribute(.codable)"))
    #expect(!description(of: refused).contains("2 problems"))
    let container = try ModelContainer(
      for: WholePages.Page.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let page = WholePages.Page()
    page.layout.settings.size = 7
    page.layout.depth = 3
    let context = ModelContext(container)
    context.insert(page)
    try context.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<WholePages.Page>()).first
    #expect(stored?.layout.settings.size == 7)
  }

  @Test func aClassOfAnotherVersionIsNamed() throws {
    let container = try ModelContainer(
      for: FirstItems.Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let error = #expect(throws: SwiftDataError.unknownSchema) {
      try ModelContext(container).fetch(FetchDescriptor<SecondItems.Item>())
    }
    #expect(
      description(of: error).contains(
        "the class FirstItems.Item for the entity Item, not SecondItems.Item"))
  }

  /// A column of a book has the name of the table of authors.
  @Test func theEntityIsThatOfTheTable() throws {
    let url = folder.store
    let container = try ModelContainer(
      for: Book.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Book(title: "a", pages: 1))
    try context.save()
    let other = try Connection(path: url.path)
    try other.execute("ALTER TABLE ZBOOK RENAME TO ZGONE")
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContext(container).fetch(FetchDescriptor<Book>())
    }
    #expect(error?.entity == "Book")
    let opening = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url))
    }
    #expect(description(of: opening).contains("lacks tables of its own models: ZBOOK"))
  }

  @Test func aStoreInMemoryCanNotOnlyBeRead() throws {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Book.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true, allowsSave: false))
    }
    #expect(description(of: error).contains("A store in memory begins empty"))
  }
}
