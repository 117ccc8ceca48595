import Foundation
import SwiftData
import Testing

@Suite(.databases) struct MembershipTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func valuesInACapturedCollection() throws {
    let names = ["alpha", "Beta", "x"]
    let accents = ["caf\u{e9}", "z"]
    let optional: [String?] = ["alpha", nil]
    let none: [String] = []
    let priorities: Set<Priority> = [.low, .high]
    try court.judge(#Predicate<Entry> { names.contains($0.name) })
    try court.judge(#Predicate<Entry> { !names.contains($0.name) })
    try court.judge(#Predicate<Entry> { accents.contains($0.name) })
    try court.judge(#Predicate<Entry> { optional.contains($0.alias) })
    try court.judge(#Predicate<Entry> { !optional.contains($0.alias) })
    try court.judge(#Predicate<Entry> { none.contains($0.name) })
    try court.judge(#Predicate<Job> { priorities.contains($0.priority) })
  }

  @Test func keysAndValuesOfACapturedDictionary() throws {
    let ranks = ["alpha": 1, "Beta": 2]
    let (some, none): ([String: Int]?, [String: Int]?) = (ranks, nil)
    try court.judgeNarrowing(#Predicate<Entry> { ranks.keys.contains($0.name) })
    try court.judgeNarrowing(#Predicate<Entry> { ranks.values.contains($0.rank) })
    try court.judge(#Predicate<Entry> { !ranks.keys.contains($0.name) })
    try court.judge(#Predicate<Entry> { some!.keys.contains($0.name) })
    try court.judge(#Predicate<Entry> { some!.values.contains($0.rank) })
    try court.judge(#Predicate<Entry> { none == nil || none!.keys.contains($0.name) })
    try court.judge(#Predicate<Entry> { ranks.keys.count == $0.rank || ranks.values.isEmpty })
    let identifiers = try court.context.fetchIdentifiers(FetchDescriptor<Entry>())
    let (keyed, valued) = ([identifiers[0]: 1], [1: identifiers[1]])
    try court.judgeNarrowing(#Predicate<Entry> { keyed.keys.contains($0.persistentModelID) })
    try court.judgeNarrowing(#Predicate<Entry> { valued.values.contains($0.persistentModelID) })
  }

  @Test func nothingThatIsAbsentIsAmongValues() throws {
    let aliases: [String?] = ["alpha", "Beta"]
    let ages: [Int?] = [21, 22]
    let flags: [Bool?] = [true]
    try court.judgeNarrowing(#Predicate<Entry> { !aliases.contains($0.alias) })
    try court.judgeNarrowing(#Predicate<Entry> { !ages.contains($0.owner?.age) })
    try court.judgeNarrowing(#Predicate<Entry> { !ages.contains($0.owner?.leader?.age) })
    try court.judgeNarrowing(#Predicate<Job> { !flags.contains($0.isPaid) })
    try court.judgeNarrowing(#Predicate<Entry> { !flags.contains($0.alias?.isEmpty) })
    let none: [Bool?] = [false]
    try court.judgeNarrowing(#Predicate<Entry> { !none.contains($0.owner?.name.isEmpty) })
  }

  @Test func identifiersOfAnotherStoreAreNoKeys() throws {
    let other = try PredicateCourt()
    let foreign = try other.context.fetchIdentifiers(FetchDescriptor<Entry>())
    let first = try #require(foreign.first)
    let owner = try #require(try other.context.fetchIdentifiers(FetchDescriptor<Member>()).first)
    let isFirst = #Predicate<Entry> { $0.persistentModelID == first }
    let isAny = #Predicate<Entry> { foreign.contains($0.persistentModelID) }
    let isOwned = #Predicate<Entry> { $0.owner?.persistentModelID == owner }
    for predicate in [isFirst, isAny, isOwned] {
      #expect(try court.context.fetchCount(FetchDescriptor(predicate: predicate)) == 0)
      #expect(try other.context.fetchCount(FetchDescriptor(predicate: predicate)) > 0)
    }
  }

  @Test func longListsTravelAsOneParameter() throws {
    let ranks = Set((0..<500).map { $0 * 3 - 9 })
    let names = (0..<200).map { "a\($0)" } + ["alpha", "quo\"te", "caf\u{e9}"]
    let keys = try court.jobs().prefix(5).map(\.key) + (0..<200).map { _ in UUID() }
    try court.judge(#Predicate<Entry> { ranks.contains($0.rank) })
    try court.judge(#Predicate<Entry> { names.contains($0.name) })
    try court.judge(#Predicate<Job> { keys.contains($0.key) })
    let compiled = try court.compiled(#Predicate<Entry> { ranks.contains($0.rank) })
    #expect(compiled.bindings.count == 1)
  }

  /// A quote and the mark after it are one character.
  @Test func longListsOfMarkedTexts() throws {
    let marked = ["\"\u{93E}", "\\\u{301}", "'\u{301}", "\\\"\u{200D}", ",\u{301}}"]
    let filling = ModelContext(court.container)
    for name in marked { filling.insert(Entry(name: name, rank: 0)) }
    try filling.save()
    let names = marked + (0..<70).map { "name \($0)" }
    let predicate = #Predicate<Entry> { names.contains($0.name) }
    try court.judgeNarrowing(predicate)
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: predicate)) == marked.count)
  }

  @Test func longListsOfFlags() throws {
    let flags = Array(repeating: true, count: 70)
    try court.judgeNarrowing(#Predicate<Job> { flags.contains($0.isUrgent) })
  }

  @Test func modelsByIdentifier() throws {
    let ids = Set(try court.jobs().prefix(3).map(\.persistentModelID))
    let foreign = [try court.member("Ann").persistentModelID]
    try court.judge(#Predicate<Entry> { ids.contains($0.persistentModelID) })
    try court.judge(#Predicate<Job> { !ids.contains($0.persistentModelID) })
    try court.judge(#Predicate<Job> { foreign.contains($0.persistentModelID) })
  }

  @Test func ranges() throws {
    let range = 0...2
    let upper = ...(-1)
    try court.judge(#Predicate<Entry> { range.contains($0.rank) })
    try court.judge(#Predicate<Entry> { upper.contains($0.rank) })
    try court.judge(#Predicate<Entry> { (1..<3).contains($0.rank) })
  }

  @Test func listsOfOneBucketShareTheirText() throws {
    func shape(_ ranks: [Int]) throws -> CompiledFetch.Shape {
      try court.compiled(#Predicate<Entry> { ranks.contains($0.rank) }).shape
    }
    #expect(try shape([1, 2, 3]) == shape([4, 5, 6, 7]))
    #expect(try shape([1, 2]) != shape([1, 2, 3]))
  }
}
