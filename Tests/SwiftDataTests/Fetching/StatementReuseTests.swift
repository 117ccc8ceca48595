import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// A fetch of a known shape renders no text and prepares no statement.
@Suite struct StatementReuseTests {
  private struct Counts: Equatable {
    var rendered: Int
    var prepared: Int
  }

  private func counts(_ context: ModelContext) throws -> Counts {
    let store = try #require(context.container.stores.first as? DefaultStore)
    return Counts(
      rendered: store.engine.plans.renderedCount, prepared: try store.pool.read { $0.preparedCount }
    )
  }

  private func filled() throws -> ModelContext {
    let context = ModelContext(try Library.container())
    for number in 0..<100 { context.insert(Book(title: "Book \(number)", pages: number)) }
    try context.save()
    return context
  }

  private func work(_ number: Int, in context: ModelContext) throws {
    let (title, pages) = ("Book \(number)", number)
    var descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.title == title && $0.pages <= pages },
      sortBy: [SortDescriptor(\.pages, order: .reverse)])
    descriptor.fetchLimit = 1 + number % 50
    descriptor.fetchOffset = number % 2
    let found = number < 100 && number % 2 == 0
    #expect(try context.fetch(descriptor).map(\.pages) == (found ? [number] : []))
    #expect(try context.fetchCount(descriptor) == (found ? 1 : 0))
    #expect(try context.fetchIdentifiers(descriptor).count == (found ? 1 : 0))
    descriptor.propertiesToFetch = [\.title]
    #expect(try context.fetch(descriptor, batchSize: 1 + number % 7).count == (found ? 1 : 0))
    try context.enumerate(descriptor, batchSize: 1 + number % 7) { #expect($0.title == title) }
  }

  @Test func theThousandthFetchPreparesAndRendersNothing() throws {
    let context = try filled()
    try work(2, in: context)
    try work(3, in: context)
    let before = try counts(context)
    #expect(before.rendered > 0 && before.prepared > 0)
    for number in 4..<1004 { try work(number, in: context) }
    #expect(try counts(context) == before)
  }

  @Test func rangesOfOtherBoundsShareAStatement() throws {
    let context = try filled()
    func count(_ low: Int, _ high: Int) throws -> Int {
      try context.fetchCount(
        FetchDescriptor<Book>(predicate: #Predicate { (low...high).contains($0.pages) }))
    }
    #expect(try (count(3, 5), count(7, 7), count(9, 2)) == (3, 1, 0))
    let before = try counts(context)
    for low in 10..<50 { #expect(try (count(low, low + 1), count(low, low - 1)) == (2, 0)) }
    #expect(try counts(context) == before)
  }

  @Test func theLengthOfAListMakesFewShapes() throws {
    let context = try filled()
    let before = try counts(context)
    for length in 1..<200 {
      let wanted = Array(0..<length)
      let descriptor = FetchDescriptor<Book>(predicate: #Predicate { wanted.contains($0.pages) })
      #expect(try context.fetchCount(descriptor) == min(length, 100))
    }
    let after = try counts(context)
    #expect(after.rendered - before.rendered <= 8)
    #expect(after.prepared - before.prepared <= 8)
  }

  @Test func walkingModelsUsesOneStatementPerRelationship() throws {
    let context = try filled()
    let books = try ModelContext(context.container).fetch(FetchDescriptor<Book>())
    _ = books[0].shelves
    let before = try counts(context)
    for book in books { #expect(book.shelves.isEmpty && book.author == nil) }
    #expect(try counts(context) == before)
  }
}
