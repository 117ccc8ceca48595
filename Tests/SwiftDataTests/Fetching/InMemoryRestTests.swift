import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// What SQL can't express is judged in memory, and nothing else is.
@Suite(.databases) struct InMemoryRestTests {
  private func filled() throws -> ModelContext {
    let container = try Library.container()
    let context = ModelContext(container)
    for number in 0..<20 {
      let book = Book(title: number % 2 == 0 ? "even" : "odd", pages: number)
      book.price = Double(20 - number)
      context.insert(book)
    }
    try context.save()
    return ModelContext(container)
  }

  private var someEven: FetchDescriptor<Book> {
    FetchDescriptor(
      predicate: #Predicate { $0.title == "even" && $0.isThick }, sortBy: [SortDescriptor(\.price)])
  }

  @Test func whatSQLHasJudgedIsNotReadAgain() throws {
    let context = try filled()
    let changed = Mutex(false)
    var fetched: Result<[Book], any Error>?
    withObservationTracking {
      fetched = Result { try context.fetch(someEven) }
    } onChange: {
      changed.withLock { $0 = true }
    }
    let books = try #require(fetched).get()
    #expect(books.map(\.pages) == [18, 16, 14, 12, 10])
    books[0].title = "other"
    #expect(!changed.withLock { $0 })
    books[0].pages = 1
    #expect(changed.withLock { $0 })
  }

  @Test func everyKindOfFetchAgrees() throws {
    let context = try filled()
    var descriptor = someEven
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 3
    let books = try context.fetch(descriptor)
    #expect(books.map(\.pages) == [16, 14, 12])
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(descriptor) == books.map(\.id))
    #expect(Array(try context.fetch(descriptor, batchSize: 2)) == books)
    context.insert(Book(title: "even", pages: 100))
    descriptor.fetchOffset = 0
    #expect(try context.fetch(descriptor).map(\.pages) == [18, 16, 14])
    #expect(try context.fetchCount(someEven) == 6)
    context.rollback()
    try context.delete(model: Book.self, where: someEven.predicate)
    #expect(try context.count(Book.self) == 15)
  }
}

extension Book {
  /// Not stored, so a predicate that asks for it is judged in memory.
  fileprivate var isThick: Bool { pages >= 10 }
}
