import Foundation
import SwiftData
import Testing

/// Many equalities of one property, joined with `||`.
@Suite(.databases) struct EqualityChainTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  private func any<Model: PersistentModel>(_ parts: [Predicate<Model>]) -> Predicate<Model> {
    Predicate(any: parts)
  }

  @Test func becomeOneList() throws {
    let ranks = any((0..<500).map { rank in #Predicate<Entry> { $0.rank == rank } })
    try court.judgeNarrowing(ranks)
    let compiled = try court.compiled(ranks)
    #expect(compiled.bindings.count == 1)
    // More than a statement can have parameters.
    let many = any((0..<40_000).map { rank in #Predicate<Entry> { rank == $0.rank } })
    #expect(try !court.compiled(many).filtersInMemory)
    let expected = try court.context.fetch(FetchDescriptor<Entry>()).count { $0.rank >= 0 }
    #expect(try court.context.fetchCount(FetchDescriptor(predicate: many)) == expected)
    #expect(
      try court.sql(any((0..<3).map { rank in #Predicate<Entry> { $0.rank == rank } }))
        .contains("OR"))
  }

  @Test func ofEachType() throws {
    let jobs = try court.jobs()
    let some = Array(jobs[2..<20])
    let keys: [UUID] = some.map(\.key)
    try court.judgeNarrowing(any(keys.map { key in #Predicate<Job> { $0.key == key } }))
    let dates: [Date] = some.compactMap(\.due) + some.compactMap(\.due)
    try court.judgeNarrowing(any(dates.map { due in #Predicate<Job> { $0.due == due } }))
    var prices: [Decimal] = some.prefix(3).map(\.price)
    for number in 100..<120 { prices.append(Decimal(number) / 4) }
    try court.judgeNarrowing(any(prices.map { price in #Predicate<Job> { $0.price == price } }))
    let sizes: [UInt64] = [.max, 1 << 63] + Array(1_000..<1_020)
    try court.judgeNarrowing(any(sizes.map { size in #Predicate<Job> { $0.size == size } }))
    let links: [URL?] = (0..<20).map { URL(string: "https://example.org/\($0)") }
    try court.judgeNarrowing(any(links.map { link in #Predicate<Job> { $0.link == link } }))
    let bytes: [Data] = (2..<22).map { Data(repeating: 1, count: $0) }
    try court.judgeNarrowing(any(bytes.map { bytes in #Predicate<Job> { $0.bytes == bytes } }))
  }

  @Test func ofFlagsAndCases() throws {
    let flags: [Bool] = Array(repeating: true, count: 20)
    try court.judgeNarrowing(any(flags.map { flag in #Predicate<Job> { $0.isPaid == flag } }))
    try court.judgeNarrowing(any(flags.map { flag in #Predicate<Job> { $0.isUrgent == flag } }))
    let cases: [Priority] = (0..<20).map { $0 < 10 ? .low : .high }
    try court.judgeNarrowing(any(cases.map { one in #Predicate<Job> { $0.priority == one } }))
    let optional: [Priority?] = cases + [nil]
    try court.judgeNarrowing(any(optional.map { one in #Predicate<Job> { $0.fallback == one } }))
    try court.judgeNarrowing(any(cases.map { one in #Predicate<Job> { $0.fallback == one } }))
  }

  private func scores() throws -> [Double?] {
    var scores: [Double?] = try court.jobs().prefix(6).map(\.score)
    for number in 0..<20 { scores.append(Double(number) + 0.1) }
    return scores
  }

  @Test func ofNumbers() throws {
    let equal = any(try scores().map { score in #Predicate<Job> { $0.score == score } })
    try court.judgeNarrowing(equal)
    try court.judgeNarrowing(#Predicate<Job> { !equal.evaluate($0) })
  }

  @Test func ofTextsWithSeveralSpellings() throws {
    var names: [String] = (0..<20).map { "K\($0)" }
    names += ["caf\u{e9}", "alpha"]
    let long: [String] = names + [String(repeating: "K\u{e9}", count: 12), "délta"]
    for names in [names, long] {
      try court.judgeNarrowing(any(names.map { name in #Predicate<Entry> { $0.name == name } }))
      let equal = any(names.map { name in #Predicate<Entry> { $0.alias == name } })
      try court.judgeNarrowing(equal)
      try court.judgeNarrowing(#Predicate<Entry> { !equal.evaluate($0) })
      let isNil = #Predicate<Entry> { $0.alias == nil }
      try court.judgeNarrowing(any([equal, isNil]))
      try court.judgeNarrowing(#Predicate<Entry> { !(equal.evaluate($0) || isNil.evaluate($0)) })
    }
  }

  /// No number equals one that is not a number.
  @Test func withNotANumber() throws {
    let values: [Double?] = try scores() + [.nan]
    let equal = any(values.map { score in #Predicate<Job> { $0.score == score } })
    try court.judgeNarrowing(equal, inMemory: true)
  }

  @Test func ofSeveralProperties() throws {
    var parts: [Predicate<Entry>] = []
    for number in 0..<40 {
      let other = number + 100
      parts.append(#Predicate { $0.rank == number })
      parts.append(#Predicate { $0.name == "alpha" || $0.rank == other })
    }
    try court.judgeNarrowing(any(parts))
    let owners = any((20..<60).map { age in #Predicate<Entry> { $0.owner?.age == age } })
    try court.judgeNarrowing(owners)
    let members = any((21..<60).map { age in #Predicate<Member> { $0.age == age } })
    try court.judgeNarrowing(members)
    let ranks = any((0..<40).map { rank in #Predicate<Entry> { $0.rank == rank } })
    try court.judgeNarrowing(
      #Predicate<Member> { $0.entries.contains { ranks.evaluate($0) && $0.name == "alpha" } })
  }

  /// A step that fails makes the predicate false, unless an earlier part is true.
  @Test func besideStepsThatFail() throws {
    let many = (1..<30).map { rank in #Predicate<Entry> { $0.rank == rank } }
    let failing = #Predicate<Entry> { $0.rank == 0 || $0.owner!.name == "Ann" || $0.rank == -1 }
    try court.judgeNarrowing(any(many + [failing]))
    try court.judgeNarrowing(any([failing] + many))
    let both = any(many)
    try court.judgeNarrowing(
      #Predicate<Entry> { both.evaluate($0) || $0.owner!.name == "Ann" || $0.rank == -1 })
  }
}
