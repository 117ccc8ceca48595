import Foundation
import SwiftData
import Testing

/// Predicates that are put together at run time.
@Suite(.databases) struct DynamicPredicateTests {
  let court: PredicateCourt

  init() throws { court = try .wares() }

  private var parts: [Predicate<Ware>] {
    [
      #Predicate { $0.factor != 0 }, #Predicate { $0.nickname != "n1" },
      #Predicate { $0.rack?.label == "top" },
    ]
  }

  @Test func allOfSome() throws {
    try court.judgeNarrowing(Predicate(all: parts))
    let found = try court.context.fetch(FetchDescriptor(predicate: Predicate(all: parts)))
    #expect(
      found.allSatisfy { $0.factor != 0 && $0.nickname != "n1" && $0.rack?.label == "top" })
  }

  @Test func anyOfSome() throws {
    try court.judgeNarrowing(Predicate(any: [parts[2], #Predicate<Ware> { $0.factor == 2 }]))
  }

  @Test func noneAreAllAndNotAny() throws {
    let all = try court.context.fetchCount(FetchDescriptor<Ware>())
    let none: [Predicate<Ware>] = []
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: Predicate(all: none))) == all)
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: Predicate(any: none))) == 0)
  }

  @Test func nested() throws {
    let either = Predicate(any: [parts[0], parts[1]])
    let both = Predicate(all: [either, parts[2]])
    try court.judgeNarrowing(both)
    try court.judgeNarrowing(#Predicate<Ware> { !both.evaluate($0) && $0.count > 0 })
    try court.judgeNarrowing(
      #Predicate<Rack> { $0.wares.contains { both.evaluate($0) } })
  }

  @Test func aPartOfACapturedPredicateStillNarrows() throws {
    let inner = #Predicate<Ware> { $0.factor == 2 && $0.tags.contains { $0.hasPrefix("red") } }
    let compiled = try court.compiled(Predicate(all: [inner, parts[1]]))
    #expect(compiled.unsupported.count == 1)
    #expect(compiled.bindings == [.integer(2), .text("n1")])
    try court.judge(Predicate(all: [inner, parts[1]]), inMemory: true)
  }

  @Test func manyParts() throws {
    let numbers = Array(0..<600)
    let many = numbers.map { number in #Predicate<Ware> { $0.factor != number } }
    try court.judgeNarrowing(Predicate(all: many))
    let names = numbers.map { "n\($0)" }
    try court.judgeNarrowing(
      Predicate(any: names.map { name in #Predicate<Ware> { $0.nickname == name } }))
  }

  @Test func filtersChosenByAUser() throws {
    var filter = #Predicate<Ware> { _ in true }
    for word in ["a", "m"] {
      let before = filter
      filter = #Predicate { before.evaluate($0) && $0.name.localizedStandardContains(word) }
    }
    try court.judgeNarrowing(filter)
    let compiled = try court.compiled(filter)
    #expect(compiled.unsupported.isEmpty)
    #expect(compiled.bindings == [.text("a"), .text("m")])
  }

  /// Trees that are written by hand, as Foundation's own macro writes them.
  @Test func builtByHand() throws {
    let part = #Predicate<Ware> { $0.factor > 0 }
    let next = #Expression<Ware, Int> { $0.factor + 1 }
    let positive = Predicate<Ware> {
      PredicateExpressions.build_evaluate(
        PredicateExpressions.build_Arg(part), PredicateExpressions.build_Arg($0))
    }
    let isThree = Predicate<Ware> {
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_evaluate(
          PredicateExpressions.build_Arg(next), PredicateExpressions.build_Arg($0)),
        rhs: PredicateExpressions.build_Arg(3))
    }
    try court.judgeNarrowing(positive)
    try court.judgeNarrowing(isThree)
    let found = try court.context.fetch(FetchDescriptor(predicate: isThree))
    #expect(found.allSatisfy { $0.factor == 2 })
  }

  /// Packages that rebuild trees know the nodes of Foundation only.
  @Test func rangesOfCapturedBoundsAreNodesOfFoundation() {
    let (low, high) = (1, 2)
    for predicate in [
      #Predicate<Ware> { (low...high).contains($0.factor) },
      #Predicate<Ware> { (low..<high).contains($0.factor) },
      #Predicate<Ware> { (high...low).contains($0.factor) },
    ] {
      let tree = String(describing: type(of: predicate.expression))
      #expect(!tree.contains("_"), "\(tree)")
    }
  }

  @Test func aVariableOfAnotherPredicateIsNamed() throws {
    let other = #Predicate<Ware> { $0.factor == 1 }
    let joined = Predicate<Ware> { _ in other.expression }
    let error = #expect(throws: SwiftDataError.unsupportedPredicate) {
      try court.context.fetch(FetchDescriptor(predicate: joined))
    }
    #expect(error?.description.contains("uses a variable of another predicate") == true)
  }
}
