import Foundation
import SwiftData
import Testing

/// The samples of the article *History*.
@Suite struct HistoryArticleTests {
  typealias Trip = Travel.Trip
  typealias Stop = Travel.Stop

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
    var uploads = 0
    func upload(_ identifier: PersistentIdentifier) throws { uploads += 1 }
    func remove(named name: String?) throws { #expect(name == nil) }
    for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
      for change in transaction.changes {
        switch change {
        case .insert(let insertion as DefaultHistoryInsert<Trip>):
          try upload(insertion.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Trip>)
        where update.updatedAttributes.contains { $0 == \.name }:
          try upload(update.changedPersistentIdentifier)
        case .delete(let deletion as DefaultHistoryDelete<Trip>):
          try remove(named: deletion.tombstone[\.name] as? String)
        default: break
        }
      }
    }
    #expect(uploads == 2)
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
    latest.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
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
