import Foundation
import SwiftData
import Synchronization
import Testing

/// Predicates that a loop has built, part by part.
struct DeepPredicateTests {
  let bench: PlanBench

  init() throws {
    bench = try PlanBench(Asset.self, Photo.self, Holder.self, Mark.self)
    for number in 0..<50 { bench.context.insert(Asset(number, name: "asset \(number)")) }
    try bench.context.save()
  }

  private func count(_ predicate: Predicate<Asset>) throws -> Int {
    try ModelContext(bench.container).fetch(FetchDescriptor(predicate: predicate)).count
  }

  /// `a || b || …`, each step evaluating the step before.
  private func anyOf(_ numbers: some Sequence<Int>) -> Predicate<Asset> {
    numbers.reduce(#Predicate<Asset> { _ in false }) { whole, number in
      #Predicate<Asset> { whole.evaluate($0) || $0.number == number }
    }
  }

  private func noneOf(_ numbers: some Sequence<Int>) -> Predicate<Asset> {
    numbers.reduce(#Predicate<Asset> { _ in true }) { whole, number in
      #Predicate<Asset> { whole.evaluate($0) && $0.number != number }
    }
  }

  @Test(arguments: [10, 1_000, 10_000]) func alternatives(parts: Int) throws {
    #expect(try count(anyOf(40..<(40 + parts))) == 10)
  }

  @Test(arguments: [10, 1_000, 10_000]) func conditions(parts: Int) throws {
    #expect(try count(noneOf(45..<(45 + parts))) == 45)
    let before = bench.store.engine.plans.compiledCount
    #expect(try count(noneOf(45..<(45 + parts))) == 45, "the second time")
    // A predicate that evaluates another one has no shape, so its plan is not kept.
    #expect(bench.store.engine.plans.compiledCount - before == 1)
  }

  @Test func alternativesInOneExpression() throws {
    typealias Condition = any StandardPredicateExpression<Bool>
    func either(
      _ first: some StandardPredicateExpression<Bool>,
      _ second: some StandardPredicateExpression<Bool>
    ) -> Condition {
      PredicateExpressions.build_Disjunction(lhs: first, rhs: second)
    }
    let predicate = Predicate<Asset> { input in
      func isNumber(_ number: Int) -> Condition {
        PredicateExpressions.build_Equal(
          lhs: PredicateExpressions.build_KeyPath(root: input, keyPath: \Asset.number),
          rhs: PredicateExpressions.build_Arg(number))
      }
      var whole = isNumber(-1)
      for number in 40..<1_240 { whole = either(whole, isNumber(number)) }
      return whole
    }
    #expect(try count(predicate) == 10)
  }

  @Test func aSmallStackIsEnough() throws {
    #expect(try countOnASmallStack(anyOf(40..<5_040)) == 10)
  }

  @Test func aSmallStackIsEnoughForAListOfConditions() throws {
    let parts = (40..<20_040).map { number in #Predicate<Asset> { $0.number == number } }
    #expect(try countOnASmallStack(Predicate(any: parts)) == 10)
    #expect(try countOnASmallStack(Predicate(any: parts), beside: 3) == 13)
    #expect(try countOnASmallStack(Predicate(all: parts)) == 0)
    let others = (40..<10_040).map { number in
      #Predicate<Asset> { $0.number == number && $0.name != "none" }
    }
    #expect(try countOnASmallStack(Predicate(any: others)) == 10)
    let last = try #require(
      try ModelContext(bench.container).fetch(
        FetchDescriptor<Asset>(predicate: #Predicate { $0.number == 49 })
      ).first)
    #expect(try Predicate(any: parts).evaluate(last) && !Predicate(all: parts).evaluate(last))
  }

  /// - Parameter new: How many new models that match are added to the context before.
  private func countOnASmallStack(_ wanted: Predicate<Asset>, beside new: Int = 0) throws -> Int {
    let container = bench.container
    // Swift itself needs a large stack to let go of predicates nested in predicates, so the last
    // reference stays here.
    let predicate = Mutex<Predicate<Asset>?>(wanted)
    let answer = Mutex(-1)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let context = ModelContext(container)
      for number in 0..<new { context.insert(Asset(100 + number, name: "new")) }
      let count = predicate.withLock { predicate -> Int in
        let request = FetchDescriptor(predicate: predicate)
        let found = try? context.fetch(request).count
        return found == (try? context.fetchCount(request)) ? found ?? -2 : -3
      }
      answer.withLock { $0 = count }
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    predicate.withLock { $0 = nil }
    return answer.withLock { $0 }
  }

  @Test func deepNestingIsLeftToMemory() throws {
    let predicate = (0..<120).reduce(#Predicate<Asset> { $0.number < 10 }) { whole, number in
      #Predicate<Asset> { !(whole.evaluate($0) && $0.number != number) }
    }
    let all = try ModelContext(bench.container).fetch(FetchDescriptor<Asset>())
    #expect(try count(predicate) == all.filter { try predicate.evaluate($0) }.count)
  }

  @Test func moreConditionsThanParameters() throws {
    let numbers = Array(0..<100_000)
    let texts = numbers.map { "asset \($0)" }
    let tokens = try ModelContext(bench.container).fetch(FetchDescriptor<Asset>()).map(\.token)
    let keys = Array(tokens.prefix(7)) + (0..<100_000).map { _ in UUID() }
    let dates = numbers.map { Date(timeIntervalSinceReferenceDate: Double($0) + 0.1) }
    let half = dates + [Date(timeIntervalSinceReferenceDate: 3)]
    #expect(try count(#Predicate { numbers.contains($0.number) }) == 50)
    #expect(try count(#Predicate { texts.contains($0.name) }) == 50)
    #expect(try count(#Predicate { keys.contains($0.token) }) == 7)
    #expect(try count(#Predicate { half.contains($0.created) }) == 1)
    #expect(try count(#Predicate { !numbers.contains($0.number) }) == 0)
  }
}
