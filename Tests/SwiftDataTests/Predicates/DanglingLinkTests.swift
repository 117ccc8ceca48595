import Foundation
import SwiftData
import Testing

/// Links to deleted rows, which the delete rule `.noAction` leaves: a predicate sees nil, as the getter does.
@Suite(.databases) struct DanglingLinkTests {
  struct Size: Codable, Equatable {
    var width: Int
    var height: Int
  }

  @Model final class Shelf {
    var name: String
    var size: Size
    var owner: Owner?
    @Relationship(deleteRule: .noAction, inverse: \Book.shelf) var books: [Book] = []

    init(_ name: String, owner: Owner? = nil) {
      self.name = name
      size = Size(width: 1, height: 2)
      self.owner = owner
    }
  }

  @Model final class Book {
    var title: String
    var shelf: Shelf?
    var series: Series?

    init(_ title: String, _ shelf: Shelf?, _ series: Series? = nil) {
      self.title = title
      self.shelf = shelf
      self.series = series
    }
  }

  @Model final class Series {
    var name: String
    @Relationship(inverse: \Book.series) var books: [Book] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Owner {
    var name: String

    init(_ name: String) { self.name = name }
  }

  let court: PredicateCourt

  init() throws {
    court = try PredicateCourt(
      types: [Shelf.self, Book.self, Series.self, Owner.self]
    ) { context in
      let owner = Owner("o")
      let (lost, kept) = (Shelf("lost", owner: owner), Shelf("kept", owner: owner))
      let series = [Series("all lost"), Series("mixed"), Series("no books")]
      for one in series { context.insert(one) }
      for book in [
        Book("a", lost, series[0]), Book("b", lost, series[1]), Book("c", kept, series[1]),
        Book("d", nil),
      ] {
        context.insert(book)
      }
      try context.save()
      context.delete(lost)
      try context.save()
    }
  }

  @Test func theLinkReadsAsNil() throws {
    let titles = try court.context.fetch(
      FetchDescriptor<Book>(
        predicate: #Predicate { $0.shelf == nil }, sortBy: [SortDescriptor(\.title)])
    ).map(\.title)
    #expect(titles == ["a", "b", "d"])
    #expect(
      try court.context.fetchCount(
        FetchDescriptor<Book>(predicate: #Predicate { $0.shelf != nil })) == 1)
  }

  @Test func predicatesAgreeWithMemory() throws {
    let shelf = try #require(try court.context.fetch(FetchDescriptor<Shelf>()).first)
    let id = shelf.persistentModelID
    let size = shelf.size
    try court.judge(#Predicate<Book> { $0.shelf == nil })
    try court.judge(#Predicate<Book> { $0.shelf != nil })
    try court.judge(#Predicate<Book> { $0.shelf == shelf })
    try court.judge(#Predicate<Book> { $0.shelf != shelf })
    try court.judge(#Predicate<Book> { $0.shelf?.persistentModelID == id })
    try court.judge(#Predicate<Book> { $0.shelf?.name == nil })
    try court.judge(#Predicate<Book> { $0.shelf?.name != "kept" })
    try court.judge(#Predicate<Book> { $0.shelf?.size == size })
    try court.judge(#Predicate<Book> { $0.shelf?.size.width == nil })
    try court.judge(#Predicate<Book> { $0.shelf?.owner == nil })
    try court.judge(#Predicate<Book> { $0.shelf?.owner?.name == "o" })
    try court.judge(
      #Predicate<Book> {
        if let shelf = $0.shelf { return shelf.name != "kept" } else { return true }
      })
    try court.judge(#Predicate<Book> { $0.shelf.flatMap { $0.name.count } == nil })
    try court.judge(#Predicate<Book> { ($0.shelf?.name ?? "none") == "none" })
  }

  @Test func subqueriesAgreeWithMemory() throws {
    try court.judge(#Predicate<Series> { $0.books.contains { $0.shelf != nil } })
    try court.judge(#Predicate<Series> { $0.books.contains { $0.shelf == nil } })
    try court.judge(#Predicate<Series> { $0.books.allSatisfy { $0.shelf == nil } })
    try court.judge(#Predicate<Series> { $0.books.filter { $0.shelf?.name == "kept" }.count == 1 })
    try court.judge(#Predicate<Series> { $0.books.filter { $0.shelf == nil }.count == 1 })
  }
}
