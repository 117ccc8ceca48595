import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

@Suite(.databases) struct SortingTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func nilComesFirstAndLastInReverse() throws {
    try court.judge(sortBy: [SortDescriptor(\Job.due)])
    try court.judge(sortBy: [SortDescriptor(\Job.due, order: .reverse)])
    try court.judge(sortBy: [SortDescriptor(\Job.due), SortDescriptor(\.rank, order: .reverse)])
  }

  @Test func valuesOfEveryKind() throws {
    try court.judge(sortBy: [SortDescriptor(\Job.size)])
    try court.judge(sortBy: [SortDescriptor(\Job.price, order: .reverse)])
    try court.judge(sortBy: [SortDescriptor(\Job.place.position.latitude, order: .reverse)])
    try court.judge(sortBy: [SortDescriptor(\Job.place.zip)])
    try court.judge(sortBy: [SortDescriptor(\Entry.rank)])
  }

  @Test func pathsAcrossRelationships() throws {
    try court.judge(sortBy: [SortDescriptor(\Member.leader?.age)])
    try court.judge(sortBy: [SortDescriptor(\Entry.owner?.age, order: .reverse)])
  }

  @Test func whatIsNotStoredIsSortedInMemory() throws {
    try court.judge(sortBy: [SortDescriptor(\Entry.name.count)], inMemory: true)
  }

  @Test func thePrimaryKeyBreaksTies() throws {
    let descriptor = SortDescriptor(\Entry.rank, order: .reverse)
    let shape = try court.compiled(nil, sortBy: [descriptor]).shape
    #expect(
      shape.select([.integer(1)]).rendered(in: .sqlite).sql
        == #"SELECT 1 FROM "ZENTRY" AS "t0" ORDER BY "t0"."ZRANK" DESC, "t0"."Z_PK""#)
  }
}
