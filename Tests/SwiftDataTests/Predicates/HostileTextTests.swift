import Foundation
import SwiftData
import Testing

/// Texts with quotes, zero bytes, comments, wildcards and several normal forms; each as stored text
/// and as the text that is looked for. And what the random predicates found.
@Suite(.databases) struct HostileTextTests {
  let court: PredicateCourt

  init() throws {
    court = try PredicateCourt()
    let filling = ModelContext(court.container)
    for text in Hostile.texts { filling.insert(Entry(name: text, rank: 0)) }
    try filling.save()
  }

  @Test(arguments: TextQuestion.allCases) func anyTextIsBound(question: TextQuestion) throws {
    let all = try court.context.fetch(FetchDescriptor<Entry>())
    var shapes = Set<CompiledFetch.Shape>()
    for part in Hostile.texts {
      let predicate = Predicate<Entry> {
        question.ask(
          Piece(PredicateExpressions.KeyPath(root: $0, keyPath: \.name), ""), about: .value(part)
        )
        .node
      }
      shapes.insert(try court.compiled(predicate).shape)
      let found = try court.context.fetch(FetchDescriptor(predicate: predicate))
      let expected = try all.filter { try predicate.evaluate($0) }
      #expect(
        Set(found.map(\.persistentModelID)) == Set(expected.map(\.persistentModelID)), "\(part)")
    }
    // None, or 1, 2, 4 … 32 spellings.
    #expect(shapes.count <= 7, "The text of the statement depends on no more than the length")
  }

  @Test(arguments: TextOrder.allCases) func anyTextIsCompared(order: TextOrder) throws {
    let all = try court.context.fetch(FetchDescriptor<Entry>())
    for part in Hostile.texts {
      let predicate = Predicate<Entry> {
        order.ask(
          Piece(PredicateExpressions.KeyPath(root: $0, keyPath: \.name), ""), .orderedAscending,
          .value(part)
        ).node
      }
      let found = try court.context.fetchCount(FetchDescriptor(predicate: predicate))
      #expect(try found == all.filter { try predicate.evaluate($0) }.count, "\(part)")
    }
  }

  @Test func aCarriageReturnDoesNotBeginALineBreak() throws {
    try court.judge(#Predicate<Entry> { $0.name.starts(with: "\r") })
    try court.judge(#Predicate<Entry> { $0.name.hasPrefix("\r") })
  }

  @Test func infinitiesThatCancelAreNoNumber() throws {
    let filling = ModelContext(court.container)
    let job = Job(1, name: "endless", alias: nil, owner: nil)
    job.place.position.latitude = .infinity
    filling.insert(job)
    try filling.save()
    try court.judge(
      #Predicate<Job> { !($0.place.position.latitude - $0.place.position.latitude == 0) })
    let none = 0.0
    try court.judge(#Predicate<Job> { !($0.place.position.latitude * none == 0) })
  }

  @Test func textSortsByItsCanonicalForm() throws {
    try court.judge(sortBy: [SortDescriptor(\Entry.name, comparator: .lexical)])
    try court.judge(sortBy: [SortDescriptor(\Entry.name, comparator: .lexical, order: .reverse)])
  }

  @Test func longDecimalsSortByTheirDigits() throws {
    let filling = ModelContext(court.container)
    for price in Hostile.decimals
      + ["-123456789012345678.25", "-123456789012345678.26"].map({
        Decimal(string: $0)!
      })
    {
      let job = Job(1, name: "priced", alias: nil, owner: nil)
      job.price = price
      filling.insert(job)
    }
    try filling.save()
    try court.judge(sortBy: [SortDescriptor(\Job.price)])
    try court.judge(sortBy: [SortDescriptor(\Job.price, order: .reverse)])
  }

  @Test func moreValuesThanParametersTravelAsOne() throws {
    let many = (0..<40_000).map { Double($0) * 10 }
    try court.judge(#Predicate<Job> { many.contains($0.place.position.latitude) })
    // JSON carries no zero bytes.
    let texts = (0..<5_000).map { "a\0\($0)" }
    try court.judge(#Predicate<Job> { texts.contains($0.name) }, inMemory: true)
  }
}
