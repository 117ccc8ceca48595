import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Versions that add or remove `.externalStorage`. A server keeps the values in their rows: bytes with a
/// tag, texts without one.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct ExternalMigrationTests {
  enum Inside {
    @Model final class Page {
      var number: Int
      var text: String
      var link: URL?
      var data: Data
      var scan: Data?
      init(_ number: Int, _ text: String, _ data: Data) {
        (self.number, self.text, self.data) = (number, text, data)
      }
    }
  }

  enum Outside {
    @Model final class Page {
      var number: Int
      @Attribute(.externalStorage) var text: String
      @Attribute(.externalStorage) var link: URL?
      @Attribute(.externalStorage) var data: Data
      @Attribute(.externalStorage) var scan: Data?
      init(_ number: Int, _ text: String, _ data: Data) {
        (self.number, self.text, self.data) = (number, text, data)
      }
    }
  }

  /// The default begins like a tag.
  enum FilledInside {
    @Model final class Page {
      var number: Int
      var text: String
      var link: URL?
      var data: Data
      var scan: Data = Data([1, 9])
      init(_ number: Int) { (self.number, text, data) = (number, "", Data()) }
    }
  }

  enum FilledOutside {
    @Model final class Page {
      var number: Int
      @Attribute(.externalStorage) var text: String
      @Attribute(.externalStorage) var link: URL?
      @Attribute(.externalStorage) var data: Data
      @Attribute(.externalStorage) var scan: Data = Data([1, 9])
      init(_ number: Int) { (self.number, text, data) = (number, "", Data()) }
    }
  }

  private let store: MigratedServerStore
  private let texts = ["Hello", "", "\u{1}Hello", "äöü"]
  private let bytes = [Data([9, 8]), Data(), Data([1, 7]), Data([2, 65, 66])]
  private let link = URL(string: "https://x.example/y")

  init() throws { store = try MigratedServerStore() }

  private func open(_ page: any PersistentModel.Type) throws -> ModelContext {
    ModelContext(try store.container(Schema([page])))
  }

  private func pages<Page: PersistentModel>(
    _ page: Page.Type, _ number: any KeyPath<Page, Int> & Sendable
  ) throws -> [Page] {
    try open(page).fetch(FetchDescriptor<Page>(sortBy: [SortDescriptor(number)]))
  }

  private func makeInside() throws {
    let context = try open(Inside.Page.self)
    for (number, (text, data)) in zip(texts, bytes).enumerated() {
      let page = Inside.Page(number, text, data)
      context.insert(page)
      if number == 0 { (page.link, page.scan) = (link, Data([1, 2, 3])) }
    }
    try context.save()
  }

  private func makeOutside() throws {
    let context = try open(Outside.Page.self)
    for (number, (text, data)) in zip(texts, bytes).enumerated() {
      let page = Outside.Page(number, text, data)
      context.insert(page)
      if number == 0 { (page.link, page.scan) = (link, Data([1, 2, 3])) }
    }
    try context.save()
  }

  @Test func anAddedExternalStorageKeepsAllValues() throws {
    try makeInside()
    let found = try pages(Outside.Page.self, \.number)
    #expect(found.map(\.text) == texts && found.map(\.link) == [link, nil, nil, nil])
    #expect(found.map(\.data) == bytes && found.map(\.scan) == [Data([1, 2, 3]), nil, nil, nil])
  }

  @Test func aRemovedExternalStorageKeepsAllValues() throws {
    try makeOutside()
    let found = try pages(Inside.Page.self, \.number)
    #expect(found.map(\.text) == texts && found.map(\.link) == [link, nil, nil, nil])
    #expect(found.map(\.data) == bytes && found.map(\.scan) == [Data([1, 2, 3]), nil, nil, nil])
  }

  @Test func rowsWithoutAValueGetTheWholeDefault() throws {
    let filled = [Data([1, 2, 3]), Data([1, 9]), Data([1, 9]), Data([1, 9])]
    try makeInside()
    #expect(try pages(FilledOutside.Page.self, \.number).map(\.scan) == filled)
  }

  @Test func rowsWithoutAnExternalValueGetTheWholeDefault() throws {
    let filled = [Data([1, 2, 3]), Data([1, 9]), Data([1, 9]), Data([1, 9])]
    try makeOutside()
    #expect(try pages(FilledInside.Page.self, \.number).map(\.scan) == filled)
  }

  @Test func aDefaultOfAnExternalValueHasATag() throws {
    let filled = [Data([1, 2, 3]), Data([1, 9]), Data([1, 9]), Data([1, 9])]
    try makeOutside()
    #expect(try pages(FilledOutside.Page.self, \.number).map(\.scan) == filled)
  }

  /// A copy of a file may bring bytes that another program has written.
  @Test func bytesWithoutATagStayComplete() throws {
    try makeOutside()
    try store.connect().execute(#"UPDATE "ZPAGE" SET "ZDATA" = '\x0908'"#)
    let expected = Array(repeating: Data([9, 8]), count: texts.count)
    #expect(try pages(Outside.Page.self, \.number).map(\.data) == expected)
    #expect(try pages(Inside.Page.self, \.number).map(\.data) == expected)
  }
}
