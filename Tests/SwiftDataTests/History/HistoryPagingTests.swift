import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// A history is read page after page, each after the last token of the one before.
@Suite(.databases) struct HistoryPagingTests {
  typealias Transaction = DefaultHistoryTransaction
  typealias Order = SortDescriptor<Transaction>

  @Model final class Dot {
    var number: Int

    init(_ number: Int) { self.number = number }
  }

  private let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Schema([Note.self, Tally.self, Dot.self]),
      configurations: [
        ModelConfiguration("notes", schema: Schema([Note.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("tallies", schema: Schema([Tally.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("dots", schema: Schema([Dot.self]), isStoredInMemoryOnly: true),
      ])
    context = ModelContext(container)
    for number in 0..<6 {
      context.author = ["Zoe", "Ann", "Bob"][number % 3]
      context.insert(Tally(number))
      if number % 2 == 0 { context.insert(Note("\(number)")) }
      if number % 3 == 1 { context.insert(Dot(number)) }
      try context.save()
    }
    for number in 6..<9 {
      context.insert(Note("\(number)"))
      try context.save()
    }
  }

  private func page(
    after token: DefaultHistoryToken?, _ order: [Order] = [], limit: Int = 0
  ) throws -> [Transaction] {
    var descriptor = HistoryDescriptor<Transaction>(sortBy: order)
    descriptor.fetchLimit = UInt64(limit)
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    return try context.fetchHistory(descriptor)
  }

  private func names(_ transactions: [Transaction]) -> [String] {
    transactions.map { "\($0.storeIdentifier) \($0.id)" }
  }

  /// Each transaction is in one page, after those of its store in earlier pages. Each page has the order.
  private func expectPages(
    of expected: [Transaction], after start: DefaultHistoryToken? = nil, _ order: [Order],
    limit: Int
  ) throws {
    var token = start
    var read: [Transaction] = []
    var ends: [String: Int64] = [:]
    while case let next = try page(after: token, order, limit: limit), let last = next.last {
      #expect(next.count == min(limit, expected.count - read.count))
      #expect(names(next) == names(next.sorted(using: order)))
      #expect(next.map(\.token).max() == last.token)
      for transaction in next {
        #expect(transaction.id > ends[transaction.storeIdentifier] ?? 0)
      }
      for transaction in next {
        let store = transaction.storeIdentifier
        ends[store] = max(ends[store] ?? 0, transaction.id)
      }
      read += next
      token = last.token
      if read.count > expected.count { break }
    }
    #expect(names(read).sorted() == names(expected).sorted())
  }

  private static let orders: [[Order]] = [
    [], [Order(\.timestamp)], [Order(\.token)], [Order(\.transactionIdentifier)],
    [Order(\.transactionIdentifier), Order(\.timestamp, order: .reverse)],
    [Order(\.timestamp), Order(\.author)], [Order(\.author)], [Order(\.author, order: .reverse)],
    [Order(\.author), Order(\.timestamp, order: .reverse)],
    [Order(\.storeIdentifier, order: .reverse)], [Order(\.contextName)],
  ]

  @Test(arguments: 0..<11, [1, 2, 3, 7, 14]) func eachTransactionIsInOnePage(
    _ order: Int, limit: Int
  ) throws {
    let all = try page(after: nil)
    #expect(all.count == 14)
    try expectPages(of: all, HistoryPagingTests.orders[order], limit: limit)
  }

  /// The position of a store of which the first page has nothing is known too.
  @Test(arguments: 0..<11) func pagesBeginAfterADeletion(_ order: Int) throws {
    let all = try page(after: nil)
    let time = all[6].timestamp
    try context.deleteHistory(
      HistoryDescriptor<Transaction>(predicate: #Predicate { $0.timestamp < time }))
    try expectPages(of: Array(all[6...]), HistoryPagingTests.orders[order], limit: 1)
    try expectPages(
      of: Array(all[8...]), after: all[7].token, HistoryPagingTests.orders[order], limit: 2)
  }

  @Test(arguments: 0..<11) func pagesGoOnAfterWhatWasReadIsDeleted(_ order: Int) throws {
    let all = try page(after: nil)
    let order = HistoryPagingTests.orders[order]
    var read: [Transaction] = []
    var token: DefaultHistoryToken?
    while case let next = try page(after: token, order, limit: 3), let last = next.last?.token {
      read += next
      token = last
      try context.deleteHistory(
        HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= last }))
      #expect(names(try page(after: nil)) == names(all.filter { !read.contains($0) }))
    }
    #expect(read.count == all.count)
  }

  @Test func aDeletionWithALimitDeletesAPage() throws {
    let all = try page(after: nil)
    var descriptor = HistoryDescriptor<Transaction>(sortBy: [Order(\.author, order: .reverse)])
    descriptor.fetchLimit = 4
    let page = try context.fetchHistory(descriptor)
    #expect(names(page).sorted() == names(Array(all[..<4])).sorted())
    try context.deleteHistory(descriptor)
    #expect(names(try self.page(after: nil)) == names(Array(all[4...])))
  }

  @Test func theNewestTokenOfAllStoresNeedsOneTransaction() throws {
    let newest = try #require(
      try page(after: nil, [Order(\.timestamp, order: .reverse)], limit: 1).first?.token)
    #expect(newest.tokenValue?.values.sorted() == [2, 6, 6])
    #expect(try page(after: newest).isEmpty)
  }
}
