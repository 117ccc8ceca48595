import Foundation
import SwiftData
import Testing

/// Steps that would stop a Swift program: the closure that contains one is false.
@Suite(.databases) struct FailingStepTests {
  let court: PredicateCourt

  init() throws { court = try .wares() }

  @Test func forcedUnwrapping() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.nickname! == "n1" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.nickname! != "n1" })
    try court.judgeNarrowing(#Predicate<Ware> { !($0.nickname! == "n1") })
    try court.judgeNarrowing(#Predicate<Ware> { $0.rack!.height > 1 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.rack!.label != "top" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.sold! > $0.made })
  }

  @Test func aFailureSpoilsTheWholeClosure() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.nickname! == "n1" || $0.factor == 1 })
    try court.judgeNarrowing(#Predicate<Ware> { !($0.nickname! == "n1" && $0.factor == 1) })
    let failing = #Predicate<Ware> { $0.nickname! == "n1" }
    try court.judgeNarrowing(#Predicate<Ware> { !failing.evaluate($0) })
  }

  @Test func stepsThatAreNotReachedDoNotFail() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.factor == 1 || $0.nickname! == "n1" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.nickname == nil || $0.nickname! == "n1" })
    try court.judgeNarrowing(#Predicate<Ware> { $0.nickname != nil && $0.nickname! != "n1" })
    try court.judgeNarrowing(
      #Predicate<Ware> { $0.nickname == nil ? $0.factor == 1 : $0.nickname! == "n1" })
    try court.judgeNarrowing(
      #Predicate<Ware> { if $0.nickname == nil { true } else { $0.nickname! == "n1" } })
    try court.judgeNarrowing(
      #Predicate<Ware> { ($0.stage == nil ? $0.factor : $0.nickname!.count) == 2 })
    try court.judgeNarrowing(
      #Predicate<Ware> { $0.rack.flatMap { $0.height / ($0.height - 3) } ?? $0.factor == 1 })
  }

  @Test func wholeNumbersThatLeaveTheirRange() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.count + 1 > 0 })
    try court.judgeNarrowing(#Predicate<Ware> { !($0.count + 1 > 0) })
    try court.judgeNarrowing(#Predicate<Ware> { $0.count * $0.factor != 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.count - 10 < 0 })
    try court.judgeNarrowing(#Predicate<Ware> { -$0.count > 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.small * 2 > 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.small + 1 != 2 })
  }

  @Test func divisions() throws {
    try court.judgeNarrowing(#Predicate<Ware> { 100 / $0.factor > 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.count / $0.factor != 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.count % $0.factor == 0 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.count % 5 == 2 })
    try court.judgeNarrowing(#Predicate<Ware> { $0.count / 2 == 6 })
    let zero = 0
    try court.judge(#Predicate<Ware> { $0.count / zero == 1 })
    #expect(
      try court.context.fetch(
        FetchDescriptor(
          predicate: #Predicate<Ware> { $0.count / zero == 1 || $0.factor == 1 })
      ).isEmpty)
  }

  @Test func aFailingElementIsNotFound() throws {
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.contains { $0.size / $0.divisor == 2 } })
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.contains { $0.maker!.height != 2 } })
    try court.judgeNarrowing(#Predicate<Ware> { $0.parts.allSatisfy { $0.maker!.height != 2 } })
    try court.judgeNarrowing(
      #Predicate<Ware> { $0.parts.filter { $0.size % $0.divisor == 0 }.count == 1 })
    try court.judgeNarrowing(
      #Predicate<Ware> { !$0.parts.contains { $0.ware!.nickname! == "n1" } })
  }

  @Test func unsavedModelsAreJudgedAlike() throws {
    let context = ModelContext(court.container)
    let descriptor = FetchDescriptor(
      predicate: #Predicate<Ware> { $0.count + 1 > 0 && $0.nickname! != "n1" })
    let before = try context.fetchCount(descriptor)
    for index in 0..<12 { context.insert(Ware(index)) }
    let pending = try context.fetchCount(descriptor)
    try context.save()
    #expect(try context.fetchCount(descriptor) == pending)
    #expect(pending > before)
  }
}
