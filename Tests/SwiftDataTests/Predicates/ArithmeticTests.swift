import Foundation
import SwiftData
import Testing

/// Arithmetic of numbers and dates, infinities and NaN among them.
@Suite(.databases) struct ArithmeticTests {
  let court: PredicateCourt

  init() throws { court = try .wares() }

  @Test func floatingPoint() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight + $0.weight > 1 })
    try court.judgeNarrowing(#Predicate<Ware> { !($0.weight - $0.weight == 0) })
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight - $0.weight != 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight * ($0.width ?? 0) <= 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight / 2 < 1 })
    try court.judgeNarrowing(#Predicate<Ware> { -$0.weight > 1 })
    try court.judgeNarrowing(#Predicate<Ware> { ($0.width ?? $0.weight) + 1 > 1 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.width.map { $0 - .infinity } == nil })
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight / ($0.width ?? 1) > 1 }, inMemory: true)
  }

  @Test func noNumberIsNoMatchAndNoNil() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight != 1.5 })
    try court.judgeNarrowing(#Predicate<Ware> { !($0.weight > 1) })
    try court.judgeNarrowing(#Predicate<Ware> { !(0...2).contains($0.weight) })
    try court.judgeNarrowing(#Predicate<Ware> { ![1.5, 0].contains($0.weight) })
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight == $0.weight })
    try court.judgeNarrowing(#Predicate<Ware> { $0.weight != $0.width })
  }

  @Test func singlePrecision() throws {
    let step: Float = 0.2
    try court.judgeNarrowing(#Predicate<Ware> { $0.length + step == 0.3 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.length + 1 == 16_777_216 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.length * 3 > 0.3 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.length / 3 < 0.1 })
  }

  @Test func decimals() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.price + 0.2 == 0.3 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.price * 3 > 59 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.price - 1 < 0 })
    let long = Ware.longPrice + 1
    try court.judgeNarrowing(#Predicate<Ware> { $0.price + 1 == long })
  }

  @Test func unsignedNumbersAreJudgedInMemory() throws {
    try court.judge(#Predicate<Ware> { $0.big / 2 > 5 }, inMemory: true)
    try court.judge(#Predicate<Ware> { $0.big + 1 > 5 }, inMemory: true)
  }

  @Test func dates() throws {
    let noon = Date(timeIntervalSinceReferenceDate: 60_000)
    let hour: TimeInterval = 3600
    try court.judgeNarrowing(#Predicate<Ware> { $0.made + hour > noon })
    try court.judgeNarrowing(#Predicate<Ware> { $0.made - hour < noon })
    try court.judgeNarrowing(#Predicate<Ware> { $0.made.addingTimeInterval(hour) > noon })
    try court.judgeNarrowing(#Predicate<Ware> { $0.made > noon.addingTimeInterval(-hour) })
    try court.judgeNarrowing(#Predicate<Ware> { noon.timeIntervalSince($0.made) < hour })
    try court.judgeNarrowing(#Predicate<Ware> { $0.made.distance(to: noon) >= 2 * hour })
    try court.judgeNarrowing(#Predicate<Ware> { $0.sold!.timeIntervalSince($0.made) > 10 * hour })
    try court.judgeNarrowing(#Predicate<Ware> { $0.sold.map { $0 + hour < noon } ?? false })
    try court.judgeNarrowing(#Predicate<Ware> { $0.made.timeIntervalSinceReferenceDate < 7200 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.made.timeIntervalSince1970 > 978_310_800 })
  }

  @Test func ordersOfCases() throws {
    let (fair, second, spring) = (Grade.fair, Stage.second, Season.spring)
    try court.judgeNarrowing(#Predicate<Ware> { $0.grade < fair })
    try court.judgeNarrowing(#Predicate<Ware> { $0.grade >= .fair })
    try court.judgeNarrowing(#Predicate<Ware> { $0.stage.map { $0 > second } == true })
    try court.judgeNarrowing(#Predicate<Ware> { $0.grade.rawValue > "fair" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.season == spring })
    try court.judge(sortBy: [SortDescriptor(\Ware.grade), SortDescriptor(\.name)])
    try court.judge(sortBy: [SortDescriptor(\Ware.grade, order: .reverse)])
    try court.judge(sortBy: [SortDescriptor(\Ware.stage)])
    try court.judge(sortBy: [SortDescriptor(\Ware.season, order: .reverse)])
    try court.judge(sortBy: [SortDescriptor(\Ware.grade.rawValue)], inMemory: true)
    try court.judge(sortBy: [SortDescriptor(\Ware.rack?.height), SortDescriptor(\.grade)])
  }

  @Test func regularExpressions() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.name.contains(/[0-9]+/) })
    try court.judgeNarrowing(#Predicate<Ware> { !$0.name.contains(/^[a-z]/) })
    let pattern = /M(i|í)lk/
    try court.judgeNarrowing(#Predicate<Ware> { $0.name.contains(pattern) })
    try court.judgeNarrowing(#Predicate<Ware> { $0.name.contains(/HAM/.ignoresCase()) })
    try court.judgeNarrowing(#Predicate<Ware> { $0.nickname?.contains(/n[13]/) == true })
  }

  @Test func theFirstElement() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.first?.size == 4 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.first?.size != 4 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.first == nil })
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.first { $0.size == 6 }?.divisor == 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.first?.maker?.label == "top" })
    try court.judgeNarrowing(
      #Predicate<Ware> { ware in
        ware.parts.contains { part in
          ware.parts.filter { $0.size > part.size }.first?.divisor == 0
        }
      })
    try court.judgeNarrowing(
      #Predicate<Ware> { ware in
        ware.parts.contains { part in
          ware.parts.first { $0.size == part.size }?.maker?.label == "top"
        }
      })
    try court.judgeNarrowing(
      #Predicate<Rack> { $0.wares.first { $0.factor == 2 }?.parts.isEmpty == false })
  }
}
