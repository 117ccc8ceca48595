import Foundation
import SwiftData
import Testing

@Suite(.databases) struct InheritanceTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func aRowKnowsItsClass() throws {
    try court.judge(#Predicate<Entry> { $0 is Job })
    try court.judge(#Predicate<Entry> { !($0 is Job) })
  }

  @Test func propertiesAfterACast() throws {
    try court.judge(#Predicate<Entry> { ($0 as? Job)?.isUrgent == true })
    try court.judge(#Predicate<Entry> { ($0 as? Job)?.isUrgent != true })
    try court.judge(#Predicate<Entry> { ($0 as? Job)?.due == nil })
    try court.judge(#Predicate<Entry> { ($0 as? Job)?.name == "alpha" })
    let high = Priority.high
    try court.judge(
      #Predicate<Entry> {
        if let job = $0 as? Job { return job.priority == high } else { return $0.rank > 0 }
      })
    try court.judge(
      #Predicate<Member> { $0.entries.filter { ($0 as? Job)?.isUrgent == true }.count > 3 })
  }

  @Test func theSameConditionOfTwoEntitiesIsReadByEachOnesColumns() throws {
    let jobs = try court.context.fetchCount(FetchDescriptor<Job>())
    #expect(try court.context.fetch(FetchDescriptor<Job>()).count == jobs)
    try court.judge(#Predicate<Entry> { $0 is Job })
    #expect(try court.context.fetch(FetchDescriptor<Job>()).count == jobs)
  }
}
