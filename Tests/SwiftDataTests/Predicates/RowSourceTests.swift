import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// Predicates over rows that are no models.
@Suite(.databases) struct RowSourceTests {
  private struct Transaction {
    var number: Int
    var author: String
    var note: String?
    var time: Date
    var isLarge: Bool { number > 2 }
  }

  private static let values = [
    Transaction(
      number: 1, author: "Zoë", note: nil, time: Date(timeIntervalSinceReferenceDate: 10)),
    Transaction(
      number: 2, author: "Zoe\u{308}", note: "a", time: Date(timeIntervalSinceReferenceDate: 20)),
    Transaction(
      number: 3, author: "Ann", note: "b", time: Date(timeIntervalSinceReferenceDate: 30)),
  ]

  private let records: RecordMapping
  private let mapping: SchemaMapping

  init() throws {
    records = RecordMapping(
      "Transaction", table: "ATRANSACTION", keyColumn: "Z_PK",
      properties: [
        try #require(.init(\Transaction.number, "Z_PK", isIndexed: true)),
        try #require(.init(\Transaction.author, "ZAUTHOR")),
        try #require(.init(\Transaction.note, "ZNOTE")),
        try #require(.init(\Transaction.time, "ZTIMESTAMP")),
      ])
    mapping = SchemaMapping(schema: Schema([]), descriptors: [:])
  }

  /// The numbers that SQL finds, those that are left after memory has judged them, and the SQL.
  private func judge(
    _ predicate: Predicate<Transaction>, sortBy: [SortDescriptor<Transaction>] = []
  ) throws -> (sql: String, found: [Int], compiled: CompiledFetch) {
    let compiled = PredicateCompiler.compile(
      predicate, sortBy: sortBy, records: records, mapping: mapping)
    let connection = try Connection(path: "", mode: .memory(name: nil))
    for function in SQLFunction.all where function.name == "swift_canonical" {
      try connection.register(
        function: function.name, argumentCount: 1, deterministic: true
      ) { arguments in
        guard case .text(let text) = function.body([.text(arguments.string(0))]) else {
          return .null
        }
        return .text(text)
      }
    }
    try connection.execute(
      "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZAUTHOR, ZNOTE, ZTIMESTAMP)")
    for value in Self.values {
      let insert = try connection.prepare("INSERT INTO ATRANSACTION VALUES (?1, ?2, ?3, ?4)")
      try insert.bind(Int64(value.number), at: 1)
      try insert.bind(value.author, at: 2)
      if let note = value.note { try insert.bind(note, at: 3) }
      try insert.bind(value.time.timeIntervalSinceReferenceDate, at: 4)
      try insert.run()
    }
    let sql = compiled.shape.select([.column(table: "t0", name: "Z_PK")])
      .rendered(in: .sqlite).sql
    let numbers = try connection.prepare(sql).integers(.fetch(compiled.bindings, .all))
    let found = try numbers.map(Int.init).filter { number in
      let value = try #require(Self.values.first { $0.number == number })
      return try !compiled.filtersInMemory || predicate.evaluate(value)
    }
    #expect(
      try found.sorted() == Self.values.filter { try predicate.evaluate($0) }.map(\.number))
    return (sql, found, compiled)
  }

  @Test func aPlainTypeIsAskedInSQL() throws {
    let (author, number) = ("Zoë", 1)
    let result = try judge(#Predicate { $0.author == author && $0.number > number })
    #expect(result.found == [2])
    #expect(!result.compiled.filtersInMemory)
    #expect(
      result.sql == #"""
        SELECT "t0"."Z_PK" FROM "ATRANSACTION" AS "t0" WHERE "t0"."ZAUTHOR" IN (?1, ?2) \#
        AND "t0"."Z_PK" > ?3
        """#)
  }

  @Test func nilAndDatesAreValuesAsInModels() throws {
    let time = Date(timeIntervalSinceReferenceDate: 15)
    #expect(try judge(#Predicate { $0.note == nil || $0.time > time }).found == [1, 2, 3])
    #expect(try judge(#Predicate { $0.note != "a" && $0.time > time }).found == [3])
  }

  @Test func whatHasNoColumnIsLeftToMemory() throws {
    let author = "Ann"
    let result = try judge(#Predicate { $0.isLarge && $0.author == author })
    #expect(result.found == [3])
    #expect(result.compiled.filtersInMemory)
    #expect(result.compiled.remainder?.count == 1)
    #expect(
      result.sql == #"SELECT "t0"."Z_PK" FROM "ATRANSACTION" AS "t0" WHERE "t0"."ZAUTHOR" = ?1"#)
  }

  @Test func theOrderEndsInTheKey() throws {
    let result = try judge(
      #Predicate { $0.number > 0 }, sortBy: [SortDescriptor(\.time, order: .reverse)])
    #expect(result.found == [3, 2, 1])
    #expect(result.sql.hasSuffix(#"ORDER BY "t0"."ZTIMESTAMP" DESC, "t0"."Z_PK""#))
  }
}
