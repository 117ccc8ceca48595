import Foundation
import SwiftData
import Testing

/// Counts with unsaved edits and deletions, on both sides of the number from which the store is asked in
/// another way.
@Suite(.databases) struct PendingCountTests {
  @Test(arguments: [0, 1, 2, 3, 64], [0, 1, 2, 5])
  func countsAreThoseOfFetches(limit: Int, edits: Int) throws {
    try PendingMergeLimit.$named.withValue(limit) {
      for deletions in 0...3 {
        let context = ModelContext(try Library.container())
        for number in 0..<12 { context.insert(Book(title: "b", pages: number)) }
        try context.save()
        let books = try context.fetch(
          FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
        // Some of them leave the answer, others come.
        for book in books.prefix(edits) { book.pages += 6 }
        for book in books.dropFirst(4).prefix(deletions) { context.delete(book) }
        for request in [
          FetchDescriptor<Book>(predicate: #Predicate { $0.pages >= 5 }), FetchDescriptor<Book>(),
        ] {
          let count = try context.fetchCount(request)
          #expect(try context.fetch(request).count == count, "\(deletions)")
          #expect(try context.fetchIdentifiers(request).count == count, "\(deletions)")
        }
      }
    }
  }

  @Test(arguments: [0, 64]) func anOrderByARelatedModelMakesNoDifference(limit: Int) throws {
    try PendingMergeLimit.$named.withValue(limit) {
      let context = ModelContext(try Library.container())
      let author = Author(name: "a")
      context.insert(author)
      for pages in 1...3 {
        let book = Book(title: "b", pages: pages)
        context.insert(book)
        book.author = author
      }
      try context.save()
      author.name = "b"
      let order = [SortDescriptor(\Book.author?.name)]
      #expect(try context.fetchCount(FetchDescriptor<Book>(sortBy: order)) == 3)
      let thick = FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 1 }, sortBy: order)
      #expect(try context.fetchCount(thick) == 2)
    }
  }
}
