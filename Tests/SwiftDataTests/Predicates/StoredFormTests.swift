import Foundation
import SwiftData
import Testing

/// Equal values that have several stored forms.
@Suite(.databases) struct StoredFormTests {
  @Model final class Ware {
    var price: Decimal
    init(_ price: Decimal) { self.price = price }
  }

  @Model final class Plan {
    var day: Date
    var holidays: [Date]
    init(_ day: Date, _ holidays: [Date]) { (self.day, self.holidays) = (day, holidays) }
  }

  struct Address: Codable, Equatable { var city: String }

  @Model final class Journey {
    var from: Address
    var to: Address
    init(_ from: String, _ to: String) {
      (self.from, self.to) = (.init(city: from), .init(city: to))
    }
  }

  /// Whole decimals are stored as integers.
  @Test(arguments: [3, 70, 3000]) func aListOfDecimals(count: Int) throws {
    let court = try PredicateCourt(types: [Ware.self]) { context in
      for price in [3, Decimal(string: "1.5")!, Decimal(string: "1.25")!] {
        context.insert(Ware(price))
      }
      try context.save()
    }
    let prices = (1...count).map { Decimal($0 * 3) / 2 }
    #expect(prices.contains(3) && prices.contains(Decimal(string: "1.5")!))
    try court.judgeNarrowing(#Predicate<Ware> { prices.contains($0.price) })
    let found = try court.context.fetchCount(
      FetchDescriptor<Ware>(predicate: #Predicate { prices.contains($0.price) }))
    #expect(found == 2)
  }

  /// Decimals of more than 15 digits, and short ones with a fraction.
  @Test func aLongListOfDecimalsOfOneForm() throws {
    let long = try #require(Decimal(string: "123456789012345678.25"))
    let tenth = try #require(Decimal(string: "0.1"))
    let close = try #require(Decimal(string: "0.10000000000000000001"))
    let court = try PredicateCourt(types: [Ware.self]) { context in
      for price in [long, tenth, close, 3] { context.insert(Ware(price)) }
      try context.save()
    }
    func found(_ prices: [Decimal]) throws -> [Decimal] {
      let predicate = #Predicate<Ware> { prices.contains($0.price) }
      try court.judgeNarrowing(predicate)
      return try court.context.fetch(FetchDescriptor(predicate: predicate)).map(\.price)
    }
    #expect(try found((0..<70).map { long + Decimal($0) }) == [long])
    #expect(try found((0..<70).map { tenth + Decimal($0) }) == [tenth])
  }

  /// SQLite gives whole seconds as an integer.
  @Test func aStoredListOfDates() throws {
    let days = [86_400, 86_400.5, 0, -1].map { Date(timeIntervalSinceReferenceDate: $0) }
    let court = try PredicateCourt(types: [Plan.self]) { context in
      for day in days { context.insert(Plan(day, [days[0], days[1]])) }
      try context.save()
    }
    try court.judgeNarrowing(#Predicate<Plan> { $0.holidays.contains($0.day) })
    let found = try court.context.fetchCount(
      FetchDescriptor<Plan>(predicate: #Predicate { $0.holidays.contains($0.day) }))
    #expect(found == 2)
  }

  @Model final class Rack {
    @Relationship(inverse: \Item.rack) var items: [Item] = []
    init() {}
  }

  @Model final class Item {
    var name: String
    var size: Int?
    var rack: Rack?
    init(_ name: String, _ size: Int?) { (self.name, self.size) = (name, size) }
  }

  private func racks() throws -> PredicateCourt {
    try PredicateCourt(types: [Rack.self, Item.self]) { context in
      for items in [[("a", 1), ("b", 2)], [("c", 3)], [("bb", nil)], []] as [[(String, Int?)]] {
        let rack = Rack()
        context.insert(rack)
        rack.items = items.map { Item($0.0, $0.1) }
      }
      context.insert(Item("alone", 3))
      try context.save()
    }
  }

  @Test func theFirstElementByItsText() throws {
    let court = try racks()
    try court.judgeNarrowing(
      #Predicate<Rack> { $0.items.first { $0.name.hasPrefix("b") }?.size == 2 })
    try court.judgeNarrowing(
      #Predicate<Rack> { $0.items.first { $0.name.lowercased() == "c" }?.size == 3 })
    try court.judgeNarrowing(
      #Predicate<Rack> { rack in rack.items.first { $0.name == "b" }?.size == 2 })
  }

  /// The `!` belongs to the chain: without a rack the value is nil.
  @Test func anUnwrappedValueAtTheEndOfAChain() throws {
    let court = try racks()
    try court.judgeNarrowing(#Predicate<Item> { $0.rack?.items.first?.size! != 1 })
    let found = try court.context.fetch(
      FetchDescriptor<Item>(predicate: #Predicate { $0.rack?.items.first?.size! != 1 }))
    #expect(Set(found.map(\.name)) == ["c", "alone"])
  }

  @Test func textsOfTwoComposites() throws {
    let court = try PredicateCourt(types: [Journey.self]) { context in
      context.insert(Journey("caf\u{e9}", "cafe\u{301}"))
      context.insert(Journey("a", "b"))
      try context.save()
    }
    try court.judgeNarrowing(#Predicate<Journey> { $0.from == $0.to })
    try court.judgeNarrowing(#Predicate<Journey> { $0.from != $0.to })
  }
}
