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

  @Test func anExpressionInItsOwnArgument() throws {
    let larger = #Expression<Int, Int, Int> { $0 > $1 ? $0 : $1 }
    try court.judgeNarrowing(
      #Predicate<Entry> { larger.evaluate($0.rank, larger.evaluate($0.owner?.age ?? 0, 2)) == 4 })
    try court.judgeNarrowing(
      #Predicate<Entry> { larger.evaluate(2, larger.evaluate(-1, $0.rank)) == 2 })
    let both = #Predicate<Int, Bool> { $0 > 3 && $1 }
    try court.judgeNarrowing(
      #Predicate<Entry> { both.evaluate($0.rank, both.evaluate($0.owner?.age ?? 30, true)) })
  }

  /// An unsaved edit concerns the rows that lead to it by either argument.
  @Test func anExpressionOfModelsInItsOwnArgument() throws {
    let sum = #Expression<Member, Int, Int> { ($0.age ?? 0) + $1 }
    court.context.autosaveEnabled = false
    try court.member("Bob").age = 2000
    try court.judgeNarrowing(
      #Predicate<Entry> {
        sum.evaluate($0.owner!, sum.evaluate($0.owner!.leader!, 0)) > 1000
      })
  }

  @Model final class Leg {
    var name: String
    var next: Leg?
    @Relationship(inverse: \Halt.legs) var halts: [Halt] = []

    init(_ name: String, next: Leg? = nil) {
      self.name = name
      self.next = next
    }
  }

  @Model final class Halt {
    var place: String
    var legs: [Leg] = []

    init(_ place: String, of legs: [Leg]) {
      self.place = place
      self.legs = legs
    }
  }

  @Test func anExpressionThatFiltersMembersOfTwoModels() throws {
    let court = try PredicateCourt(types: [Leg.self, Halt.self]) { context in
      for (name, last) in [("A", "B"), ("C", "C")] {
        let next = Leg(last)
        let leg = Leg(name, next: next)
        context.insert(leg)
        context.insert(Halt(last, of: [leg, next]))
      }
      try context.save()
    }
    let own = #Expression<Leg, [Halt]> { leg in leg.halts.filter { $0.place == leg.name } }
    let predicate = #Predicate<Leg> { own.evaluate($0).contains(own.evaluate($0.next!).first!) }
    try court.judgeNarrowing(predicate)
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
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
