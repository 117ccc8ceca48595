import SQLiteEngine
import SwiftData
import Testing

@Suite struct PrefetchingTests {
  private func filled() throws -> ModelContainer {
    let container = try Library.container()
    let context = ModelContext(container)
    for number in 0..<50 {
      let author = Author(name: "Author \(number)")
      context.insert(author)
      for index in 0..<3 {
        author.books.append(Book(title: "Book \(number)-\(index)", pages: index))
      }
      let shelf = Shelf(label: "Shelf \(number)")
      context.insert(shelf)
      shelf.books = Array(author.books.prefix(2))
    }
    try context.save()
    return container
  }

  /// How many statements the store runs meanwhile.
  private func statements(_ container: ModelContainer, _ body: () throws -> Void) throws -> Int {
    let store = try #require(container.stores.first as? DefaultStore)
    var count = 0
    try store.pool.read { $0.trace { _ in count += 1 } }
    try body()
    try store.pool.read { $0.trace(nil) }
    return count
  }

  @Test func toManyMembersComeWithOneStatement() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Author>(sortBy: [SortDescriptor(\.born)])
    descriptor.relationshipKeyPathsForPrefetching = [\.books]
    var authors: [Author] = []
    #expect(try statements(container) { authors = try context.fetch(descriptor) } == 2)
    let walked = try statements(container) {
      for author in authors {
        let number = author.name.dropFirst(7)
        #expect(Set(author.books.map(\.title)) == Set((0..<3).map { "Book \(number)-\($0)" }))
        #expect(author.books.allSatisfy { $0.author === author })
      }
    }
    #expect(walked == 0)
  }

  @Test func manyToManyAndToOneComeWithOneStatementEach() throws {
    let container = try filled()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    descriptor.relationshipKeyPathsForPrefetching = [\.author, \.shelves]
    var books: [Book] = []
    #expect(try statements(container) { books = try context.fetch(descriptor) } == 3)
    let walked = try statements(container) {
      for book in books {
        #expect(book.author?.name.isEmpty == false)
        #expect(book.shelves.count == (book.pages < 2 ? 1 : 0))
      }
    }
    #expect(walked == 0)
  }

  @Test func withoutPrefetchingEachOwnerCostsAStatement() throws {
    let container = try filled()
    let context = ModelContext(container)
    let authors = try context.fetch(FetchDescriptor<Author>())
    #expect(try statements(container) { for author in authors { _ = author.books.count } } == 50)
  }
}
