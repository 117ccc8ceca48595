import Foundation
import SwiftData
import Testing

/// What is said about the parts of a predicate that SQL does not express.
@Suite(.databases) struct ReasonTests {
  let court: PredicateCourt

  init() throws { court = try .wares() }

  private func reasons(_ predicate: Predicate<Ware>) throws -> [String] {
    try court.compiled(predicate).unsupported
  }

  @Test func thePartIsNamedAsItIsWritten() throws {
    let mark = "red"
    #expect(
      try reasons(#Predicate { $0.factor > 1 && $0.tags.contains { $0.hasPrefix(mark) } })
        == ["$0.tags.contains { $1.hasPrefix(<String>) }: elements of a list of values"])
    #expect(
      try reasons(#Predicate { $0.big / 2 > 5 || $0.factor == 1 })
        == ["$0.big / <UInt64>: arithmetic on values that are not numbers"])
    #expect(
      try reasons(#Predicate { !($0.name.uppercased().hasPrefix("A") && $0.tags == ["a"]) })
        == ["$0.tags == <Array<String>>: equality of a list of values and a captured value"])
    #expect(
      try reasons(#Predicate { $0.rack!.title == "a" })
        == ["$0.rack!.<computed>: a key path that does not name a stored property"])
  }

  @Test func noReasonForWhatRunsInSQL() throws {
    #expect(try reasons(#Predicate { $0.count / $0.factor == 1 && $0.tags.isEmpty }).isEmpty)
  }

  @Test func aNodeThatThrowsIsAnErrorOfTheFetch() throws {
    let predicate = Predicate<Ware> { _ in ThrowingNode() }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try court.context.fetch(FetchDescriptor(predicate: predicate))
    }
    let refusal = #expect(throws: SwiftDataError.self) {
      try court.context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    #expect(refusal?.description.contains("Exhausted") == true)
  }

  private struct Exhausted: Error {}

  private struct ThrowingNode: StandardPredicateExpression {
    func evaluate(_ bindings: PredicateBindings) throws -> Bool { throw Exhausted() }
  }
}

extension Rack {
  fileprivate var title: String { label.uppercased() }
}
