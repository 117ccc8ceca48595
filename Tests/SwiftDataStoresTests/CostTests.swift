import Foundation
import SwiftData
import SwiftDataStores
import Testing

@Suite("What saves and fetches cost", .serialized)
struct CostTests {
  /// The seconds of processor time of a call; the least of several.
  private func seconds(_ count: Int = 3, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<count {
      var (start, end) = (timespec(), timespec())
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
      try body()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
      least = min(
        least,
        Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9)
    }
    return least
  }

  private struct Costs {
    var insert = 0.0
    var open = 0.0
    var fetch = 0.0
    var query = 0.0
    var save = 0.0
    var size = 0

    var line: String {
      [insert, open, fetch, query, save].map { String(format: "%8.2f ms", $0 * 1000) }
        .joined(separator: " ") + "  \(size / 1000) kB"
    }
  }

  private func costs(
    _ count: Int, _ open: () throws -> ModelContainer, size: () throws -> Int = { 0 }
  ) throws -> Costs {
    var costs = Costs()
    let writer = ModelContext(try open())
    writer.autosaveEnabled = false
    let author = Author("Tove")
    writer.insert(author)
    for number in 0..<count {
      let book = Book("A title of some length, number \(number)", by: author)
      book.pages = number
      writer.insert(book)
    }
    costs.insert = try seconds(1) { try writer.save() }
    costs.size = try size()
    costs.open = try seconds { _ = try open() }
    let container = try open()
    costs.fetch = try seconds { _ = try ModelContext(container).all(Book.self).count }
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let query = FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 7 })
    var found = 0
    costs.query = try seconds { found += try context.fetch(query).count }
    #expect(found == 3)
    let book = try #require(try context.fetch(query).first)
    var pages = count
    costs.save = try seconds(5) {
      pages += 1
      book.title = "Changed \(pages)"
      try context.save()
    }
    return costs
  }

  @Test func theCostOfADocumentIsLinear() throws {
    let all = try [1000, 2000, 4000].map { count in
      let folder = try Folder()
      return try costs(count, { try folder.open() }) { try folder.read().utf8.count }
    }
    print("JSONStore         insert       open      fetch      query       save")
    for costs in all { print(costs.line) }
    #expect(all[2].save < all[0].save * 8 + 0.005)
    #expect(all[2].insert < all[0].insert * 8 + 0.005)
    #expect(all[2].open < all[0].open * 8 + 0.005)
    #expect(all[2].fetch < all[0].fetch * 8 + 0.005)
  }

  /// All members of one stored list are deleted.
  @Test func theCostOfABatchDeletionIsLinear() throws {
    let all = try [1000, 4000].map { count in
      let folder = try Folder()
      let context = try folder.context()
      let book = Book("Everywhere")
      book.shelves = (0..<count).map { Shelf("Shelf \($0)") }
      context.insert(book)
      try context.save()
      let cost = try seconds(1) { try context.delete(model: Shelf.self) }
      #expect(try folder.context().all(Book.self).map(\.shelves.count) == [0])
      return cost
    }
    #expect(all[1] < all[0] * 8 + 0.05)
  }

  /// Their lists are counted.
  @Test func theCostOfNewOwnersOfLimitedListsIsLinear() throws {
    let all = try [1000, 8000].map { count in
      let configuration = DictionaryStoreConfiguration(contents: DictionaryStoreContents())
      let context = ModelContext(
        try ModelContainer(
          for: Schema([Team.self, Player.self, Club.self]), configurations: [configuration]))
      context.autosaveEnabled = false
      for number in 0..<count { context.insert(Club("Club \(number)")) }
      return try seconds(1) { try context.save() }
    }
    #expect(all[1] < all[0] * 12 + 0.05)
  }

  @Test func aSaveInMemoryCostsItsRows() throws {
    let all = try [1000, 2000, 4000].map { count in
      let contents = DictionaryStoreContents()
      return try costs(count) {
        try ModelContainer(
          for: library, configurations: [DictionaryStoreConfiguration(contents: contents)])
      }
    }
    print("DictionaryStore   insert       open      fetch      query       save")
    for costs in all { print(costs.line) }
    #expect(all[2].save < all[0].save * 3 + 0.002)
    #expect(all[2].insert < all[0].insert * 8 + 0.005)
  }
}
