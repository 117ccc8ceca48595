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
    init(_ from: String, _ to: String) { (self.from, self.to) = (.init(city: from), .init(city: to)) }
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
