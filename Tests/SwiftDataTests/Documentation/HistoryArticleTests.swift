import Foundation
import SwiftData
import Testing

enum HistoryArticle {
  @Model
  final class Trip {
    @Attribute(.preserveValueOnDeletion) var name: String
    var start: Date
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String, start: Date) {
      self.name = name
      self.start = start
    }
  }

  @Model
  final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) {
      self.place = place
    }
  }
}

/// The samples of the article *History*.
@Suite struct HistoryArticleTests {
  typealias Trip = HistoryArticle.Trip
  typealias Stop = HistoryArticle.Stop

  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Trip.self, Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func transactions() throws {
    context.author = "widget"
    context.insert(Trip(name: "Lisbon", start: .now))
    try context.save()
    var lines: [String] = []
    func print(_ time: Date, _ author: String, _ count: Int) { lines.append("\(author) \(count)") }
    for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
      print(transaction.timestamp, transaction.author ?? "-", transaction.changes.count)
    }
    #expect(lines == ["widget 1"])
  }

  @Test func changes() throws {
    let trip = Trip(name: "Lisbon", start: .now)
    context.insert(trip)
    try context.save()
    trip.name = "Porto"
    try context.save()
    trip.start = .distantPast
    try context.save()
    context.delete(trip)
    try context.save()
    var lines: [String] = []
    func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }

    func show(_ transaction: DefaultHistoryTransaction) {
      for change in transaction.changes {
        switch change {
        case .insert(let insertion as DefaultHistoryInsert<Trip>):
          print("inserted", insertion.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Trip>)
        where update.updatedAttributes.contains { $0 == \.name }:
          print("renamed", update.changedPersistentIdentifier)
        case .delete(let deletion as DefaultHistoryDelete<Trip>):
          print("deleted", deletion.tombstone[\.name] as? String ?? "a trip")
        default: break
        }
      }
    }

    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    for transaction in history { show(transaction) }
    #expect(lines.map { $0.split(separator: " ")[0] } == ["inserted", "renamed", "deleted"])
    #expect(lines.last == "deleted Porto")
  }

  @Test func goingOn() throws {
    var token: DefaultHistoryToken?
    func follow() throws -> Int {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      if let token {
        descriptor.predicate = #Predicate { $0.token > token && $0.author != "widget" }
      }
      descriptor.fetchLimit = 100
      let transactions = try context.fetchHistory(descriptor)
      token = transactions.last?.token ?? token
      return transactions.count
    }
    func save(_ author: String?) throws {
      context.author = author
      context.insert(Trip(name: "Lisbon", start: .now))
      try context.save()
    }
    try save("widget")
    #expect(try follow() == 1)
    try save("widget")
    try save(nil)
    try save("app")
    #expect(try follow() == 2)
    #expect(try follow() == 0)
    let names = ["Trip", "Stop"]
    let ofTrips = #Predicate<DefaultHistoryTransaction> {
      $0.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
    }
    #expect(try context.fetchHistory(HistoryDescriptor(predicate: ofTrips)).count == 4)
    var latest = HistoryDescriptor<DefaultHistoryTransaction>()
    latest.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    latest.fetchLimit = 1
    token = try context.fetchHistory(latest).first?.token
    #expect(token?.tokenValue?.values.first == 4)
  }

  @Test func forgetting() throws {
    context.insert(Trip(name: "Lisbon", start: .now))
    try context.save()
    let monthAgo = Date(timeIntervalSinceNow: -30 * 24 * 3600)
    var old = HistoryDescriptor<DefaultHistoryTransaction>()
    old.predicate = #Predicate { $0.timestamp < monthAgo }
    try context.deleteHistory(old)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    old.predicate = #Predicate { $0.timestamp > monthAgo }
    try context.deleteHistory(old)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
  }

  @Test func everyChangeSinceAToken() throws {
    var token: DefaultHistoryToken?
    var count = 0
    func apply(_ changes: [HistoryChange]) { count += changes.count }
    for name in ["Lisbon", "Porto"] {
      context.insert(Trip(name: name, start: .now))
      try context.save()
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      if let token { descriptor.predicate = #Predicate { $0.token > token } }
      for transaction in try context.fetchHistory(descriptor) { apply(transaction.changes) }
      token = try context.fetchHistory(descriptor).last?.token
    }
    #expect(count == 2)
  }
}
