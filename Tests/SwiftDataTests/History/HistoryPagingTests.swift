import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// A history is read page after page, each after the last token of the one before.
@Suite(.databases) struct HistoryPagingTests {
  typealias Transaction = DefaultHistoryTransaction
  typealias Order = SortDescriptor<Transaction>

  private let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Schema([Note.self, Tally.self]),
      configurations: [
        ModelConfiguration("notes", schema: Schema([Note.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("tallies", schema: Schema([Tally.self]), isStoredInMemoryOnly: true),
      ])
    context = ModelContext(container)
    for number in 0..<6 {
      context.author = ["Zoe", "Ann", "Bob"][number % 3]
      context.insert(Tally(number))
      if number % 2 == 0 { context.insert(Note("\(number)")) }
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

  /// Each transaction in one page, in the order of the commits of its store.
  private func expectPages(
    of expected: [Transaction], after start: DefaultHistoryToken? = nil, _ order: [Order],
    limit: Int
  ) throws {
    var token = start
    var read: [Transaction] = []
    while case let next = try page(after: token, order, limit: limit), let last = next.last {
      #expect(next.count <= limit)
      read += next
      token = last.token
      if read.count > expected.count { break }
    }
    #expect(names(read).sorted() == names(expected).sorted())
    for (_, own) in Dictionary(grouping: read, by: \.storeIdentifier) {
      #expect(own.map(\.id) == own.map(\.id).sorted())
    }
  }

  private static let orders: [[Order]] = [
    [], [Order(\.timestamp)], [Order(\.token)], [Order(\.transactionIdentifier)],
    [Order(\.transactionIdentifier), Order(\.timestamp, order: .reverse)],
    [Order(\.timestamp), Order(\.author)],
  ]

  @Test(arguments: 0..<6, [1, 2, 3, 4, 12]) func eachTransactionIsInOnePage(
    _ order: Int, limit: Int
  ) throws {
    let all = try page(after: nil)
    #expect(all.count == 12)
    try expectPages(of: all, HistoryPagingTests.orders[order], limit: limit)
  }

  /// By another property a page may be returned again, and none is missed.
  @Test(arguments: [1, 2, 3, 5, 12]) func noOrderMissesATransaction(_ limit: Int) throws {
    let all = Set(try page(after: nil))
    for order in [Order(\.author), Order(\.author, order: .reverse), Order(\.storeIdentifier)] {
      let found = try page(after: nil, [order], limit: limit)
      #expect(found.count == limit)
      let token = try #require(found.last?.token)
      #expect(Set(try page(after: token)).union(found) == all)
    }
  }

  /// The position of a store of which the first page has nothing is known too.
  @Test(arguments: 0..<6) func pagesBeginAfterADeletion(_ order: Int) throws {
    let all = try page(after: nil)
    let time = all[6].timestamp
    try context.deleteHistory(
      HistoryDescriptor<Transaction>(predicate: #Predicate { $0.timestamp < time }))
    try expectPages(of: Array(all[6...]), HistoryPagingTests.orders[order], limit: 1)
    try expectPages(
      of: Array(all[8...]), after: all[7].token, HistoryPagingTests.orders[order], limit: 2)
  }

  @Test func theNewestTokenOfAllStoresNeedsOneTransaction() throws {
    let newest = try #require(
      try page(after: nil, [Order(\.timestamp, order: .reverse)], limit: 1).first?.token)
    #expect(newest.tokenValue?.values.sorted() == [6, 6])
    #expect(try page(after: newest).isEmpty)
  }
}
