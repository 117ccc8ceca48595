import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// The samples of the article *Document stores* and of the stores' documentation.
@Suite struct DocumentStoresArticleTests {
  @Model
  final class Author {
    @Attribute(.unique) var name: String
    var born: Int?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Book {
    var title: String
    var author: Author?

    init(_ title: String, by author: Author) {
      self.title = title
      self.author = author
    }
  }

  let schema = Schema([Author.self, Book.self])
  let folder: URL
  private let files: Folder

  init() throws {
    files = try Folder()
    folder = files.url
    let folder = URL(filePath: "/var/lib/library")
    #expect(folder.isFileURL)
  }

  @Test func aDocument() throws {
    let configuration = JSONStoreConfiguration(url: folder.appending(path: "library.json"))
    let container = try ModelContainer(for: schema, configurations: [configuration])
    let context = ModelContext(container)

    let ursula = Author(name: "Ursula K. Le Guin")
    context.insert(ursula)
    context.insert(Book("A Wizard of Earthsea", by: ursula))
    try context.save()

    let text = try String(contentsOf: configuration.url, encoding: .utf8)
    let start = try #require(text.firstRange(of: "\"entities\""))
    let keys = try #require(
      text.firstMatch(of: /"author": "Author\/([0-9a-z]{10})"/)?.output.1)
    let key = try #require(text.matches(of: /"([0-9a-z]{10})": \{/).last?.output.1)
    let shown = text[start.lowerBound...]
      .replacing(keys, with: "c7k2m9qx4r").replacing(key, with: "w03f8thz5n")
    #expect(
      String(shown) == """
        "entities": {
            "Author": {
              "c7k2m9qx4r": {
                "born": null,
                "name": "Ursula K. Le Guin"
              },
              "": "end of Author"
            },
            "Book": {
              "w03f8thz5n": {
                "author": "Author/c7k2m9qx4r",
                "title": "A Wizard of Earthsea"
              },
              "": "end of Book"
            }
          }
        }

        """)
  }

  @Test func errorsNameTheLine() throws {
    let configuration = JSONStoreConfiguration(url: folder.appending(path: "library.json"))
    let container = try ModelContainer(for: schema, configurations: [configuration])
    let context = ModelContext(container)
    context.insert(Author(name: "Tove Jansson"))
    try Data("{\n".utf8).write(to: configuration.url)
    do {
      try context.save()
    } catch let error as DocumentStoreError where error.code == .damagedFile {
      print("Line \(error.line ?? 1) of the document: \(error.explanation)")
    }
    #expect(context.hasChanges)
  }

  @Test func changesOfOthers() async throws {
    let store = try JSONStore(
      JSONStoreConfiguration(schema: schema, url: folder.appending(path: "library.json")),
      migrationPlan: nil)
    let task = Task {
      for await changes in store.externalChanges {
        print("\(changes.inserted.count) new rows, \(changes.deleted.count) deleted")
      }
    }
    var changes = store.externalChanges.makeAsyncIterator()
    try aDocument()
    #expect(await changes.next()?.inserted.count == 2)
    task.cancel()
    await task.value
  }

  @Test func unknownContent() throws {
    let tolerant = JSONStoreConfiguration(
      url: folder.appending(path: "library.json"), unknownContent: .preserve)
    #expect(tolerant.unknownContent == .preserve)
    #expect(JSONStoreConfiguration(url: tolerant.url).unknownContent == .refuse)
  }

  @Test func sharedContents() throws {
    let contents = DictionaryStoreContents()
    let first = try ModelContainer(
      for: schema, configurations: [DictionaryStoreConfiguration(contents: contents)])
    let second = try ModelContainer(
      for: schema, configurations: [DictionaryStoreConfiguration(contents: contents)])

    let context = ModelContext(first)
    context.insert(Author(name: "Tove Jansson"))
    try context.save()
    #expect(try ModelContext(second).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func configurations() throws {
    do {
      let contents = DictionaryStoreContents()
      let configuration = DictionaryStoreConfiguration(contents: contents)
      #expect(configuration.contents == contents)
    }
    do {
      let configuration = DictionaryStoreConfiguration()
      let container = try ModelContainer(for: schema, configurations: [configuration])
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 0)
    }
    let configuration = JSONStoreConfiguration(url: URL(filePath: "library.json"))
    #expect(configuration.name == "library")
  }

  @Test func missingRows() throws {
    let request = (updated: [Snapshot(), Snapshot()], none: 0)
    let rows: [PersistentIdentifier: Int] = [request.updated[0].persistentModelID: 1]
    #expect(throws: DeletedRows.self) {
      let missing = request.updated.map(\.persistentIdentifier).filter { rows[$0] == nil }
      if !missing.isEmpty { throw DeletedRows(missing) }
    }
  }

  @Test func repeatedRequests() {
    func isRepeated(after error: any Error) -> Bool {
      switch error {
      case let error as SwiftDataError: error.reason.isTransient
      case let error as DocumentStoreError: error.reason.isTransient
      default: false
      }
    }
    #expect(isRepeated(after: SwiftDataError.storeReadFailure) == false)
    #expect(isRepeated(after: CancellationError()) == false)
  }

  private struct Snapshot {
    let model = Author(name: "")

    var persistentModelID: PersistentIdentifier { model.persistentModelID }
    var persistentIdentifier: PersistentIdentifier { persistentModelID }
  }
}
