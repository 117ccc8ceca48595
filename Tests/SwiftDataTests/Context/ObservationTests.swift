import SwiftData
import Synchronization
import Testing

@Suite(.databases) struct ObservationTests {
  private func changes(of apply: () -> Void, when mutate: () -> Void) -> Bool {
    let called = Mutex(false)
    withObservationTracking(apply) { called.withLock { $0 = true } }
    mutate()
    return called.withLock { $0 }
  }

  @Test func aReadPropertyIsObservedAndOthersAreNot() throws {
    let context = ModelContext(try Library.container())
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    try context.save()
    #expect(changes(of: { _ = book.title }, when: { book.title = "Two" }))
    #expect(!changes(of: { _ = book.title }, when: { book.pages = 9 }))
    #expect(!changes(of: {}, when: { book.title = "Three" }))
  }

  @Test func fetchedModelsAreObservable() throws {
    let container = try Library.container()
    let writer = ModelContext(container)
    writer.insert(Book(title: "One", pages: 1))
    try writer.save()
    let context = ModelContext(container)
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    #expect(changes(of: { _ = book.isRead }, when: { book.isRead = true }))
  }

  @Test func theOtherSideOfARelationshipIsAnnounced() throws {
    let context = ModelContext(try Library.container())
    let author = Author(name: "Ann")
    let book = Book(title: "One", pages: 1)
    context.insert(author)
    context.insert(book)
    #expect(changes(of: { _ = author.books }, when: { book.author = author }))
    #expect(changes(of: { _ = book.author }, when: { author.books = [] }))
  }

  @Test func rollbackAndRefreshAreAnnounced() throws {
    let container = try Library.container()
    let context = ModelContext(container)
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    try context.save()
    book.pages = 5
    #expect(changes(of: { _ = book.pages }, when: { context.rollback() }))
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<Book>()).first).pages = 8
    try other.save()
    _ = try context.fetch(FetchDescriptor<Book>())
    try #require(try other.fetch(FetchDescriptor<Book>()).first).pages = 9
    try other.save()
    #expect(
      changes(
        of: { _ = book.pages },
        when: { _ = try? context.fetch(FetchDescriptor<Book>()) }))
    #expect(book.pages == 9)
  }

  @Test func observationsDeliverChanges() async throws {
    let book = Book(title: "One", pages: 1)
    nonisolated(unsafe) let observed = book
    var seen: [Int] = []
    for await pages in Observations({ observed.pages }) {
      seen.append(pages)
      if pages == 3 { break }
      observed.pages = pages + 1
    }
    #expect(seen == [1, 2, 3])
  }

  /// Captured by the closures of observers.
  private final class Token: Sendable {}

  /// A closure that waits for a change of a model that is gone waits for nothing.
  @Test func observersGoWithTheModelThatTheyObserve() throws {
    let container = try Library.container()
    let writer = ModelContext(container)
    writer.insert(Book(title: "One", pages: 1))
    try writer.save()
    let context = ModelContext(container)
    for _ in 0..<3 {
      weak var token: Token?
      do {
        let made = Token()
        token = made
        let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
        withObservationTracking {
          _ = book.title
          _ = book.pages
          _ = book.author?.name
        } onChange: {
          _ = made
        }
        #expect(token != nil)
      }
      #expect(token == nil)
    }
  }

  @Test func anObserverOfTwoModelsIsCalledByTheOneThatIsLeft() throws {
    let context = ModelContext(try Library.container())
    for title in ["One", "Two"] { context.insert(Book(title: title, pages: 1)) }
    try context.save()
    let titles = [SortDescriptor(\Book.title)]
    let left = try #require(try context.fetch(FetchDescriptor<Book>(sortBy: titles)).last)
    func observeBoth() throws {
      for book in try context.fetch(FetchDescriptor<Book>(sortBy: titles)) { _ = book.pages }
    }
    #expect(changes(of: { try? observeBoth() }, when: { left.pages = 2 }))
    #expect(!changes(of: { try? observeBoth() }, when: { left.isRead = true }))
  }

  @Test func scopesInsideOfScopesAndOnOtherThreads() async throws {
    let context = ModelContext(try Library.container())
    let book = Book(title: "One", pages: 1)
    let other = Book(title: "Two", pages: 1)
    context.insert(book)
    context.insert(other)
    var inner = false
    let outer = changes {
      inner = changes(of: { _ = book.title }, when: {})
      _ = other.pages
    } when: {
      other.pages = 3
    }
    #expect(outer && !inner)
    let isCalled = await Task.detached {
      let book = Book(title: "Three", pages: 1)
      let called = Mutex(false)
      withObservationTracking {
        _ = book.title
      } onChange: {
        called.withLock { $0 = true }
      }
      book.title = "Four"
      return called.withLock { $0 }
    }.value
    #expect(isCalled)
  }
}
