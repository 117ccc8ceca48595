import Foundation
import SwiftData
import Testing

/// Requests of one shape share a plan, whatever they captured, and get the rows that they ask for.
struct FetchPlanTests {
  private let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  private var plans: StorePlans {
    get throws { try #require(court.container.stores.first as? DefaultStore).engine.plans }
  }

  /// Checks the answers of predicates.
  /// - Returns: How many of them were compiled.
  private func compiled<T: PersistentModel>(_ predicates: [Predicate<T>]) throws -> Int {
    let context = ModelContext(court.container)
    let all = try context.fetch(FetchDescriptor<T>())
    let before = try plans.compiledCount
    for predicate in predicates {
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      let expected = try all.filter { try predicate.evaluate($0) }
      #expect(Set(found.map(\.persistentModelID)) == Set(expected.map(\.persistentModelID)))
      #expect(found.count == expected.count)
    }
    return try plans.compiledCount - before
  }

  @Test func otherValuesNeedNoOtherPlan() throws {
    func predicate(_ name: String, _ rank: Int) -> Predicate<Entry> {
      #Predicate { $0.name == name && $0.rank > rank || $0.rank == 7 }
    }
    #expect(
      try compiled((-3..<5).flatMap { rank in ["alpha", "Beta", ""].map { predicate($0, rank) } })
        == 1)
  }

  @Test func equalAndDifferentValuesHaveTwoPlans() throws {
    func predicate(_ low: Int, _ high: Int) -> Predicate<Entry> {
      #Predicate { $0.rank >= low && $0.rank <= high }
    }
    #expect(
      try compiled([predicate(1, 1), predicate(-1, 3), predicate(2, 2), predicate(3, 0)]) == 2)
    #expect(try compiled([predicate(0, 4), predicate(4, 4)]) == 0)
  }

  @Test func aValueThatIsUsedTwiceHasOnePlan() throws {
    func predicate(_ rank: Int) -> Predicate<Entry> {
      #Predicate { $0.rank <= rank && $0.rank >= rank }
    }
    #expect(try compiled([predicate(1), predicate(22), predicate(-2)]) == 1)
  }

  @Test func aConstantIsNoCapturedValue() throws {
    func predicate(_ rank: Int) -> Predicate<Entry> {
      #Predicate { $0.rank == rank || $0.rank == 1 }
    }
    #expect(try compiled([predicate(1), predicate(3), predicate(1), predicate(-2)]) == 2)
  }

  @Test func nilHasAShapeOfItsOwn() throws {
    func predicate(_ alias: String?) -> Predicate<Entry> { #Predicate { $0.alias == alias } }
    #expect(
      try compiled([predicate("alpha"), predicate(nil), predicate("Beta"), predicate(nil)]) == 2)
  }

  @Test func aFlagDecidesTheShape() throws {
    func predicate(_ isOff: Bool, _ rank: Int) -> Predicate<Entry> {
      #Predicate { isOff || $0.rank == rank }
    }
    #expect(
      try compiled([
        predicate(true, 4), predicate(false, 4), predicate(true, 2), predicate(false, 3),
      ]) == 2)
  }

  @Test func aComputedValueIsBoundLikeACapturedOne() throws {
    func predicate(_ rank: Int) -> Predicate<Entry> { #Predicate { $0.rank == rank + 1 } }
    #expect(try compiled((-3..<3).map(predicate)) == 1)
    func choice(_ rank: Int) -> Predicate<Entry> {
      #Predicate { $0.rank == (rank > 0 ? rank : 4) }
    }
    #expect(try compiled((-3..<3).map(choice)) == 1)
  }

  @Test func aDivisorThatIsZeroNeedsAPlanOfItsOwn() throws {
    func predicate(_ divisor: Double) -> Predicate<Job> {
      #Predicate { ($0.score ?? 0) / divisor > 1 }
    }
    #expect(
      try compiled([predicate(2), predicate(0), predicate(0.5), predicate(.infinity)]) == 4)
  }

  @Test func textWithSeveralSpellingsIsSpelledOutEachTime() throws {
    func predicate(_ name: String) -> Predicate<Entry> { #Predicate { $0.name == name } }
    #expect(
      try compiled(["alpha", "caf\u{e9}", "cafe\u{301}", "K", "délta", "Beta"].map(predicate)) == 5)
    func prefix(_ start: String) -> Predicate<Entry> { #Predicate { $0.name.starts(with: start) } }
    #expect(try compiled(["al", "be", "", "caf\u{e9}", "alp", "am"].map(prefix)) == 6)
    func part(_ part: String) -> Predicate<Entry> { #Predicate { $0.name.contains(part) } }
    #expect(try compiled(["al", "et", "", "9"].map(part)) == 1)
  }

  @Test func eachComparisonHasItsPlan() throws {
    let rank = 1
    #expect(
      try compiled([
        #Predicate<Entry> { $0.rank < rank }, #Predicate { $0.rank <= rank },
        #Predicate { $0.rank > rank }, #Predicate { $0.rank >= rank },
      ]) == 4)
    let name = "alpha"
    #expect(
      try compiled([
        #Predicate<Entry> { $0.name == name }, #Predicate { $0.name != name },
      ]) == 2)
  }

  @Test func variablesOfOneTypeHaveTheirPlans() throws {
    let age = 21
    #expect(
      try compiled([
        #Predicate<Member> { one in one.entries.contains { $0.owner?.age == age } },
        #Predicate<Member> { one in one.entries.contains { _ in one.age == age } },
      ]) == 2)
  }

  @Test func modelsAreBoundByKeyAndCompiledEachTime() throws {
    let (ann, bob) = (try court.member("Ann"), try court.member("Bob"))
    func predicate(_ owner: Member) -> Predicate<Entry> {
      let id = owner.persistentModelID
      return #Predicate { $0.owner?.persistentModelID == id }
    }
    // The text depends on the entities of the captured identifiers.
    #expect(try compiled([predicate(ann), predicate(bob), predicate(ann)]) == 3)
  }

  @Test func listsAreSpelledOutEachTime() throws {
    func predicate(_ ranks: [Int]) -> Predicate<Entry> { #Predicate { ranks.contains($0.rank) } }
    #expect(try compiled([[1], [2, 3], [], [-1, 0, 4, 5]].map(predicate)) == 4)
  }

  @Test func orderIsPartOfTheShape() throws {
    let rank = 0
    let context = ModelContext(court.container)
    func ranks(_ order: SortOrder) throws -> [Int] {
      try context.fetch(
        FetchDescriptor<Entry>(
          predicate: #Predicate { $0.rank > rank }, sortBy: [SortDescriptor(\.rank, order: order)])
      ).map(\.rank)
    }
    let before = try plans.compiledCount
    let up = try ranks(.forward)
    #expect(!up.isEmpty && up == up.sorted())
    #expect(try ranks(.reverse) == up.reversed())
    #expect(try ranks(.forward) == up)
    #expect(try plans.compiledCount - before == 2)
  }
}
