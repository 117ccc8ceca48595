import Foundation
import SwiftData
import Testing

enum PerformanceArticle {
  @Model
  final class Order {
    #Index<Order>([\.city], [\.city, \.placed])

    var city: String
    var placed: Date
    var note = ""
    @Relationship(deleteRule: .cascade, inverse: \Item.order) var items: [Item] = []

    init(city: String, placed: Date) {
      self.city = city
      self.placed = placed
    }
  }

  @Model
  final class Item {
    var name: String
    var order: Order?

    init(name: String) { self.name = name }
  }
}

/// The samples of the article *Performance*, and the statements that it speaks of.
@Suite struct PerformanceArticleTests {
  typealias Order = PerformanceArticle.Order
  typealias Item = PerformanceArticle.Item

  private let recorder = StatementRecorder()
  private let container: ModelContainer

  /// Ten orders in two cities, with two items each; half of them are years old.
  init() throws {
    container = try recorder.container([Order.self, Item.self])
    let context = ModelContext(container)
    for number in 0..<10 {
      let isOld = number % 2 == 0
      let order = Order(city: isOld ? "Lisbon" : "Porto", placed: isOld ? .distantPast : .now)
      context.insert(order)
      order.items = [Item(name: "a"), Item(name: "b")]
    }
    try context.save()
  }

  /// The first words of the statements that run in a fresh context.
  private func statements(_ body: (ModelContext) throws -> Void) throws -> [String] {
    let context = ModelContext(container)
    return try recorder.during { try body(context) }.map { String($0.sql.prefix(6)) }
  }

  @Test func aConfigurationLogsStatementsAndLeavesTheHistoryOut() throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = StatementLog { event in print(event) }
    let container = try ModelContainer(for: Order.self, Item.self, configurations: configuration)
    let context = ModelContext(container)

    configuration.keepsHistory = false

    #expect(try context.fetchCount(FetchDescriptor<Order>()) == 0)
    #expect(!configuration.keepsHistory)
  }

  @Test func prefetchingIsOneStatementForAllLists() throws {
    let prefetching = try statements { context in
      var descriptor = FetchDescriptor<Order>(sortBy: [SortDescriptor(\.placed)])
      descriptor.relationshipKeyPathsForPrefetching = [\.items]
      let orders = try context.fetch(descriptor)

      #expect(orders.map(\.items.count) == Array(repeating: 2, count: 10))
    }
    #expect(prefetching == ["SELECT", "SELECT"])
    let reading = try statements { context in
      for order in try context.fetch(FetchDescriptor<Order>()) { _ = order.items }
    }
    #expect(reading.count == 11)
  }

  @Test func someColumnsAreReadAndTheRestOnDemand() throws {
    let reading = try statements { context in
      var places = FetchDescriptor<Order>()
      places.propertiesToFetch = [\.city]
      let cities = Set(try context.fetch(places).map(\.city))

      #expect(cities == ["Lisbon", "Porto"])
    }
    #expect(reading.count == 1)
    let more = try statements { context in
      var places = FetchDescriptor<Order>()
      places.propertiesToFetch = [\.city]
      for order in try context.fetch(places) { _ = order.note }
    }
    #expect(more.count == 11)
  }

  @Test func aBatchIsOneStatement() throws {
    func print(_ city: String) { #expect(!city.isEmpty) }

    let whole = try statements { context in
      try context.enumerate(FetchDescriptor<Order>(), batchSize: 1000) { order in
        print(order.city)
      }
    }
    #expect(whole.count == 2)
    let batches = try statements { context in
      try context.enumerate(FetchDescriptor<Order>(), batchSize: 4) { _ in }
    }
    #expect(batches.count == 4)
  }

  @Test func indexesAreDeclared() throws {
    let entity = try #require(container.schema.entity(for: Order.self))
    #expect(Set(entity.indices) == [["city"], ["city", "placed"]])
  }

  @Test func aSaveWritesTheChangedColumns() throws {
    let context = ModelContext(container)
    let orders = try context.fetch(FetchDescriptor<Order>())
    for order in orders { order.note = "new" }
    let updates = try recorder.during { try context.save() }.filter { $0.sql.hasPrefix("UPDATE") }
    #expect(updates.count == 10)
    #expect(updates.allSatisfy { $0.sql.contains("ZNOTE") && !$0.sql.contains("ZCITY") })
  }

  @Test func aBatchDeletionLoadsNoModels() throws {
    let context = ModelContext(container)

    let yearAgo = Date(timeIntervalSinceNow: -365 * 24 * 3600)
    try context.delete(model: Order.self, where: #Predicate { $0.placed < yearAgo })

    #expect(try context.fetch(FetchDescriptor<Order>()).allSatisfy { $0.city == "Porto" })
    #expect(try context.fetchCount(FetchDescriptor<Order>()) == 5)
    #expect(try context.fetchCount(FetchDescriptor<Item>()) == 10)
  }
}
