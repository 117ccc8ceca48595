import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

@Suite(.databases) struct PredicateSQLTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  @Test func capturedValuesAreNeverText() throws {
    let name = "' OR 1 = 1 --"
    let compiled = try court.compiled(#Predicate<Entry> { $0.name == name && $0.rank > 7 })
    #expect(compiled.bindings == [.text(name), .integer(7)])
    #expect(
      compiled.shape.select([.integer(1)]).rendered(in: .sqlite).sql
        == #"SELECT 1 FROM "ZENTRY" AS "t0" WHERE "t0"."ZNAME" = ?1 AND "t0"."ZRANK" > ?2"#)
  }

  @Test func aSubentityIsARestriction() throws {
    #expect(
      try court.sql(#Predicate<Job> { $0.isUrgent })
        == #""ZENTRY" AS "t0" WHERE unlikely("t0"."Z_ENT" = 2) AND "t0"."ZISURGENT" = 1"#)
  }

  @Test func nullsAreAskedFor() throws {
    let name = "a"
    #expect(
      try court.sql(#Predicate<Entry> { $0.alias != name })
        == #""ZENTRY" AS "t0" WHERE "t0"."ZALIAS" IS NOT ?1"#)
    #expect(
      try court.sql(#Predicate<Entry> { $0.alias == nil })
        == #""ZENTRY" AS "t0" WHERE "t0"."ZALIAS" IS NULL"#)
  }

  @Test func aToOneRelationshipIsJoinedOnce() throws {
    #expect(
      try court.sql(#Predicate<Entry> { $0.owner?.name == "a" && $0.owner?.age == 1 })
        == #"""
        "ZENTRY" AS "t0" LEFT JOIN "ZMEMBER" AS "t1" ON "t1"."Z_PK" = "t0"."ZOWNER" \#
        WHERE "t1"."ZNAME" = ?1 AND "t1"."ZAGE" = ?2
        """#)
  }

  @Test func aToManyRelationshipIsASubquery() throws {
    #expect(
      try court.sql(#Predicate<Member> { $0.entries.contains { $0.rank > 3 } })
        == #"""
        "ZMEMBER" AS "t0" WHERE "t0"."Z_PK" IN (SELECT "t1"."ZOWNER" FROM "ZENTRY" AS "t1" \#
        WHERE "t1"."ZRANK" > ?1)
        """#)
    let id = try court.member("Ann").persistentModelID
    #expect(
      try court.sql(
        #Predicate<Member> { $0.persistentModelID == id && $0.entries.contains { $0.rank > 3 } })
          == #"""
          "ZMEMBER" AS "t0" WHERE "t0"."Z_PK" = ?1 AND EXISTS (SELECT 1 FROM "ZENTRY" AS "t1" \#
          WHERE "t1"."ZOWNER" = "t0"."Z_PK" AND "t1"."ZRANK" > ?2)
          """#)
    #expect(
      try court.sql(#Predicate<Job> { $0.labels.isEmpty })
        == #"""
        "ZENTRY" AS "t0" WHERE unlikely("t0"."Z_ENT" = 2) AND NOT EXISTS (SELECT 1 \#
        FROM "Z_2LABELS" AS "t1" WHERE "t1"."Z_2JOBS" = "t0"."Z_PK")
        """#)
  }

  @Test func aCapturedFlagLeavesNoTrace() throws {
    let (search, isOff) = ("", true)
    let compiled = try court.compiled(
      #Predicate<Entry> { search.isEmpty || isOff || $0.name.contains(search) })
    #expect(compiled.shape.condition == nil)
    #expect(compiled.bindings.isEmpty)
  }

  @Test func theShapeIsTheSameForOtherValues() throws {
    func shape(_ name: String, _ rank: Int) throws -> CompiledFetch.Shape {
      try court.compiled(#Predicate<Entry> { $0.name == name || $0.rank == rank }).shape
    }
    #expect(try shape("a", 1) == shape("b", 2))
  }

  @Test func theRestStillNarrows() throws {
    let compiled = try court.compiled(
      #Predicate<Job> { $0.words == ["a"] && $0.rank == 2 })
    #expect(compiled.filtersInMemory)
    #expect(compiled.bindings == [.integer(2)])
  }
}
