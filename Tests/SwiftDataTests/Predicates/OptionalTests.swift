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

  @Test func aForcedValueAfterACheck() throws {
    let date = date
    try court.judge(#Predicate<Job> { $0.due != nil && $0.due! > date })
    try court.judge(#Predicate<Job> { $0.due != nil && !($0.due! > date) })
  }
}
