import Foundation
import SwiftData
import Testing

@Suite(.databases) struct OptionalTests {
  let court: PredicateCourt
  let date = Date(timeIntervalSinceReferenceDate: 150)

  init() throws { court = try PredicateCourt() }

  @Test func aDefaultStandsInForNil() throws {
    let date = date
    try court.judge(#Predicate<Job> { ($0.due ?? date) < date })
    try court.judge(#Predicate<Job> { ($0.score ?? 1) > 2 })
    try court.judge(#Predicate<Entry> { ($0.owner?.age ?? 0) > 21 })
  }

  @Test func anUnwrappedValueIsComparedAndElseDecides() throws {
    let date = date
    try court.judge(
      #Predicate<Job> { if let due = $0.due { return due < date } else { return false } })
    try court.judge(
      #Predicate<Job> { if let due = $0.due { return due < date } else { return true } })
    try court.judge(#Predicate<Job> { $0.due.flatMap { $0 < date } == true })
    try court.judge(#Predicate<Job> { $0.due.flatMap { $0 < date } != true })
    try court.judge(#Predicate<Job> { $0.due.flatMap { $0 < date } == nil })
  }

  /// As in Swift, `else` applies if the unwrapped value is nil, not if the result is.
  @Test func anUnwrappedValueMayGiveNil() throws {
    try court.judgeNarrowing(
      #Predicate<Entry> { entry in
        let text = if let owner = entry.owner { owner.leader?.name } else { entry.alias }
        return text == nil
      })
    try court.judgeNarrowing(
      #Predicate<Entry> { entry in
        let age: Int? = if let owner = entry.owner { owner.age } else { 0 }
        return age == 0
      })
    try court.judgeNarrowing(
      #Predicate<Entry> { entry in
        let age: Int? =
          if let owner = entry.owner, let leader = owner.leader { leader.age } else { 0 }
        return age == nil
      }, inMemory: true)
    let withoutAge = try court.context.fetch(
      FetchDescriptor<Entry>(
        predicate: #Predicate { entry in
          let age: Int? = if let owner = entry.owner { owner.age } else { 0 }
          return age == nil
        }))
    #expect(!withoutAge.isEmpty && withoutAge.allSatisfy { $0.owner?.name == "Ann" })
  }

  @Test func aMappedNilIsNotAbsent() throws {
    try court.judgeNarrowing(#Predicate<Entry> { $0.owner.map { $0.age } == nil })
    try court.judgeNarrowing(#Predicate<Entry> { $0.owner.map { $0.age } != nil })
    let found = try court.context.fetch(
      FetchDescriptor<Entry>(predicate: #Predicate { $0.owner.map { $0.age } == nil }))
    #expect(found.allSatisfy { $0.owner == nil })
  }

  @Test func aForcedValueAfterACheck() throws {
    let date = date
    try court.judge(#Predicate<Job> { $0.due != nil && $0.due! > date })
    try court.judge(#Predicate<Job> { $0.due != nil && !($0.due! > date) })
  }
}
