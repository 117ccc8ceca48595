import Foundation
import SwiftData
import Testing

@Suite(.databases) struct NestedPredicateTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func aPredicateAsksAnother() throws {
    let high = #Predicate<Entry> { $0.rank > 1 }
    let red = #Predicate<Label> { $0.text == "red" || $0.maker?.name == "Ann" }
    try court.judge(#Predicate<Entry> { high.evaluate($0) && $0.alias != nil })
    try court.judge(#Predicate<Entry> { !high.evaluate($0) })
    try court.judge(#Predicate<Job> { $0.labels.contains { red.evaluate($0) } })
  }

  @Test func anExpressionIsUsedLikeAProperty() throws {
    let entries = #Expression<Member, Int> { $0.entries.count }
    try court.judge(#Predicate<Member> { entries.evaluate($0) > 9 })
  }

  @Test func capturedModelsGiveTheirValues() throws {
    let ann = try court.member("Ann")
    let name = ann.name
    let someone: Member? = ann
    let nobody: Member? = nil
    try court.judge(#Predicate<Entry> { $0.owner?.name == name })
    let (known, unknown) = (someone?.persistentModelID, nobody?.persistentModelID)
    try court.judge(#Predicate<Entry> { $0.owner?.persistentModelID == known })
    try court.judge(#Predicate<Entry> { $0.owner?.persistentModelID == unknown })
  }

  @Test func capturedOptionalsDecideBeforehand() throws {
    let limit: Int? = 1
    let none: Int? = nil
    try court.judge(
      #Predicate<Entry> { if let limit { return $0.rank > limit } else { return true } })
    try court.judge(
      #Predicate<Entry> { if let none { return $0.rank > none } else { return true } })
    try court.judge(#Predicate<Entry> { $0.rank > (limit ?? 0) })
  }

  @Test func capturedCollectionsAskForEachElement() throws {
    let texts = ["red", "Blue"]
    try court.judge(
      #Predicate<Job> { job in
        texts.allSatisfy { text in job.labels.contains { $0.text == text } }
      })
    try court.judge(#Predicate<Entry> { entry in texts.contains { $0 == entry.name } })
  }

  @Test func severalStatements() throws {
    try court.judge(
      #Predicate<Entry> { entry in
        let rank = entry.rank
        return rank > 0 && rank < 3
      })
    try court.judge(
      #Predicate<Entry> { entry in
        if entry.rank > 2 { return entry.alias == nil } else { return entry.owner != nil }
      })
  }
}
