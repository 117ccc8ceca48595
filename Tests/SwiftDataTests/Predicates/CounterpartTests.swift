import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// What becomes of predicates in a database that does not have the library's functions.
@Suite(.databases) struct CounterpartTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  private func compiled<T: PersistentModel>(
    _ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>] = []
  ) throws -> CompiledFetch {
    PredicateCompiler.compile(
      predicate, sortBy: sortBy, entity: try #require(court.mapping.entity(for: T.self)),
      mapping: court.mapping, database: .postgreSQL)
  }

  private func condition(_ compiled: CompiledFetch) -> String {
    let text = compiled.shape.select([.integer(1)]).rendered(in: .postgreSQL).sql
    return text.split(separator: " WHERE ", maxSplits: 1).last.map(String.init) ?? ""
  }

  /// ASCII is not normalised.
  private func normalizedName(_ form: String) -> String {
    let name = #""t0"."ZNAME""#
    return "CASE WHEN octet_length(\(name)) = char_length(\(name)) THEN \(name) "
      + "ELSE normalize(\(name), \(form)) END"
  }

  @Test func anExactCounterpartTakesThePlace() throws {
    let compiled = try compiled(#Predicate<Entry> { $0.name == ($0.alias ?? "") })
    #expect(!compiled.filtersInMemory)
    #expect(
      condition(compiled)
        == "\(normalizedName("NFC")) = "
        + #"normalize(coalesce("t0"."ZALIAS", CAST($1 AS TEXT)), NFC)"#
    )
    let sorted = try self.compiled(nil, sortBy: [SortDescriptor(\Entry.name, comparator: .lexical)])
    #expect(!sorted.sortsInMemory)
  }

  @Test func textsOfNoColumnAreOrderedByCodePoints() throws {
    let limit = "a"
    let chosen = try compiled(#Predicate<Job> { ($0.isUrgent ? "B" : "x") < limit })
    #expect(!chosen.filtersInMemory)
    #expect(condition(chosen).hasSuffix(" COLLATE \"C\" < CAST($3 AS TEXT)"))
    let stored = try compiled(#Predicate<Entry> { $0.name < limit })
    #expect(condition(stored) == "\(normalizedName("NFC")) < CAST($1 AS TEXT)")
  }

  @Test func aSupersetIsJudgedAgain() throws {
    let part = "bet"
    let compiled = try compiled(
      #Predicate<Entry> { $0.name.contains(part) && $0.rank > 3 })
    #expect(compiled.filtersInMemory)
    #expect(compiled.remainder?.count == 1)
    #expect(
      condition(compiled)
        == "strpos(\(normalizedName("NFD")), normalize(CAST($1 AS TEXT), NFD)) > 0 AND "
        + #""t0"."ZRANK" > CAST($2 AS BIGINT)"#)
    #expect(compiled.bindings == [.text(part), .integer(3)])
  }

  @Test func aSupersetIsNoSQLUnderANegation() throws {
    let part = "bet"
    let compiled = try compiled(
      #Predicate<Entry> { !$0.name.contains(part) && $0.rank > 3 })
    #expect(compiled.filtersInMemory)
    #expect(condition(compiled) == #""t0"."ZRANK" > CAST($1 AS BIGINT)"#)
    #expect(compiled.bindings == [.integer(3)])
  }

  @Test func aSupersetMayWidenWhatAMemberMeets() throws {
    let part = "bet"
    let compiled = try compiled(
      #Predicate<Member> { $0.entries.contains { $0.name.contains(part) } })
    #expect(compiled.filtersInMemory)
    #expect(condition(compiled).contains("strpos("))
    let none = try self.compiled(
      #Predicate<Member> { $0.entries.allSatisfy { $0.name.contains(part) } })
    #expect(none.filtersInMemory)
    #expect(none.shape.condition == nil)
  }

  @Test func whatNobodyKnowsIsLeftToMemory() throws {
    let folded = try compiled(#Predicate<Entry> { $0.name.lowercased() == "beta" })
    #expect(
      folded.unsupported == [
        "$0.name.lowercased() == <String>: swift_lower is unknown to the database"
      ])
    #expect(folded.shape.condition == nil)
  }

  @Test func integersAreComputedWithoutALimit() throws {
    let sum = try compiled(#Predicate<Entry> { $0.rank + 1 > 3 })
    #expect(!sum.filtersInMemory)
    #expect(condition(sum).contains(#"CAST("t0"."ZRANK" AS NUMERIC) + "#))
    #expect(condition(sum).contains("<= 9223372036854775807"))
    let quotient = try compiled(#Predicate<Entry> { 12 / $0.rank == 3 })
    #expect(condition(quotient).contains(", nullif(CAST(\"t0\".\"ZRANK\" AS NUMERIC), 0)) ="))
    let order = try compiled(nil, sortBy: [SortDescriptor(\Job.price)])
    #expect(!order.sortsInMemory)
  }

  @Test func aLongListIsAnArray() throws {
    let ranks = Array(0..<100)
    let compiled = try compiled(#Predicate<Entry> { ranks.contains($0.rank) })
    #expect(
      condition(compiled)
        == #""t0"."ZRANK" IN (SELECT "value" FROM unnest($1::BIGINT[]) AS "list" ("value"))"#)
    #expect(compiled.bindings == [.text("{" + ranks.map(String.init).joined(separator: ",") + "}")])
    let names = ranks.map { "a\"\\\($0)" }
    #expect(
      try self.compiled(#Predicate<Entry> { names.contains($0.name) }).bindings
        == [.text("{" + names.indices.map { "\"a\\\"\\\\\($0)\"" }.joined(separator: ",") + "}")])
  }

  @Test func aFlagIsATruthValue() throws {
    #expect(
      condition(try compiled(#Predicate<Job> { $0.isUrgent })).hasSuffix(#""ZISURGENT" = TRUE"#))
  }
}
