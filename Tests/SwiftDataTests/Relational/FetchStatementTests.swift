import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// Fetches as text, in both dialects.
struct FetchStatementTests {
  private static let types: [any PersistentModel.Type] = [
    Author.self, Book.self, Shelf.self,
  ]

  private func run(
    _ capabilities: SQLCapabilities, _ body: (RelationalStore) throws -> Void
  ) throws -> [String] {
    let driver = RecordingDriver(capabilities)
    driver.script = [("count(*)", [[.integer(9)]])]
    try body(RecordingStore.engine(driver, Schema(Self.types)))
    return driver.take()
  }

  private static func request<T>(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: descriptor, editingState: EditingState())
  }

  private static func shelf(_ key: Int) throws -> PersistentIdentifier {
    try .identifier(for: "recording", entityName: "Shelf", primaryKey: "p\(key)")
  }

  private func texts(_ body: (RelationalStore) throws -> Void) throws -> [[String]] {
    [try run(.sqlite, body), try run(.postgreSQL, body)]
  }

  @Test func valuesOrderLimitAndOffset() throws {
    let (title, pages) = ("a", 3)
    var descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.title == title && $0.pages > pages && !$0.isRead },
      sortBy: [SortDescriptor(\.pages, order: .reverse)])
    descriptor.fetchLimit = 10
    descriptor.fetchOffset = 20
    #expect(
      try texts { _ = try $0.rows(of: Self.request(descriptor)) }
        == [
          [
            #"""
            SELECT "t0"."Z_PK", "t0"."ZTITLE", "t0"."ZPAGES", "t0"."ZPRICE", "t0"."ZISREAD", \#
            "t0"."ZAUTHOR" FROM "ZBOOK" AS "t0" WHERE "t0"."ZTITLE" = ?1 AND "t0"."ZPAGES" > ?2 \#
            AND "t0"."ZISREAD" = 0 ORDER BY "t0"."ZPAGES" DESC, "t0"."Z_PK" LIMIT ?3 OFFSET ?4
            """#
          ],
          [
            #"""
            SELECT "t0"."Z_PK", "t0"."ZTITLE", "t0"."ZPAGES", "t0"."ZPRICE", "t0"."ZISREAD", \#
            "t0"."ZAUTHOR" FROM "ZBOOK" AS "t0" WHERE "t0"."ZTITLE" = CAST($1 AS TEXT) \#
            AND "t0"."ZPAGES" > CAST($2 AS BIGINT) AND "t0"."ZISREAD" = FALSE ORDER BY "t0"."ZPAGES" DESC NULLS LAST, \#
            "t0"."Z_PK" LIMIT $3 OFFSET $4
            """#
          ],
        ])
  }

  /// PostgreSQL plans each run of a statement anew if it does not know the limit.
  @Test(arguments: [
    (SQLCapabilities.sqlite, Array(repeating: "?1", count: 6)),
    (.postgreSQL, ["1", "2", "3", "4", "$1", "3"]),
  ])
  func firstLimitsArePartOfTheText(_ database: SQLCapabilities, expected: [String]) throws {
    let texts = try run(database) { store in
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
      for limit in [1, 2, 3, 4, 5, 3] {
        descriptor.fetchLimit = limit
        _ = try store.rows(of: Self.request(descriptor))
      }
    }
    #expect(texts.map { $0.split(separator: " ").last.map(String.init) } == expected)
  }

  /// The rows of the limit and some more, and otherwise the keys of all, in the same order.
  @Test func theFirstRowsMayBeEnoughForALimitInMemory() throws {
    var descriptor = FetchDescriptor<Shelf>(predicate: #Predicate { $0.isLong })
    descriptor.fetchLimit = 10
    #expect(
      try texts {
        _ = try $0.rows(of: Self.request(descriptor))
        _ = try $0.candidates(of: Self.request(descriptor))
      }
        == ["?1", "$1"].map { limit in
          [
            #"""
            SELECT "t0"."Z_PK", "t0"."ZLABEL" FROM "ZSHELF" AS "t0" ORDER BY "t0"."Z_PK" \#
            LIMIT \#(limit)
            """#,
            #"SELECT "t0"."Z_PK" FROM "ZSHELF" AS "t0" ORDER BY "t0"."Z_PK""#,
          ]
        })
    let driver = RecordingDriver(.postgreSQL)
    let start = "a"
    descriptor.predicate = #Predicate { $0.label.starts(with: start) }
    descriptor.fetchOffset = 20
    _ = try RecordingStore.engine(driver, Schema(Self.types)).rows(of: Self.request(descriptor))
    #expect(driver.statements.last?.values.last == .integer(94))
  }

  @Test func countTakesNoOrderAndNoLimit() throws {
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    descriptor.fetchLimit = 5
    descriptor.fetchOffset = 7
    var counts: [Int] = []
    #expect(
      try texts { counts.append(try #require(try $0.count(Self.request(descriptor)))) }
        == [
          [#"SELECT count(*) FROM "ZBOOK" AS "t0""#], [#"SELECT count(*) FROM "ZBOOK" AS "t0""#],
        ])
    #expect(counts == [2, 2])
  }

  @Test func keysOfAToManyCondition() throws {
    let pages = 100
    let descriptor = FetchDescriptor<Author>(
      predicate: #Predicate { $0.books.contains { $0.pages > pages } && $0.born != nil })
    #expect(
      try texts { _ = try $0.identifiers(Self.request(descriptor)) }
        == [("?1", ""), ("CAST($1 AS BIGINT)", #" ORDER BY "t0"."Z_PK""#)].map {
          [
            #"""
            SELECT "t0"."Z_PK" FROM "ZAUTHOR" AS "t0" WHERE "t0"."Z_PK" IN \#
            (SELECT "t1"."ZAUTHOR" FROM "ZBOOK" AS "t1" WHERE "t1"."ZPAGES" > \#($0.0)) \#
            AND "t0"."ZBORN" IS NOT NULL\#($0.1)
            """#
          ]
        })
  }

  @Test func rowsOfKeysComeInTheirOrder() throws {
    #expect(
      try texts {
        _ = try $0.rows(
          at: .identifiers([try Self.shelf(3), try Self.shelf(1)]), in: 0..<2,
          of: Shelf._$descriptor, slots: nil, EditingState())
      }
        == [
          [
            #"""
            SELECT "t0"."Z_PK", "t0"."ZLABEL" FROM json_each(?1) AS "keys" CROSS JOIN "ZSHELF" \#
            AS "t0" ON "t0"."Z_PK" = "keys"."value"
            """#
          ],
          [
            #"""
            SELECT "t0"."Z_PK", "t0"."ZLABEL" FROM unnest($1::BIGINT[]) WITH ORDINALITY AS "keys" \#
            ("value", "position") JOIN "ZSHELF" AS "t0" ON "t0"."Z_PK" = "keys"."value" \#
            ORDER BY "keys"."position"
            """#
          ],
        ])
  }

  @Test func membersOfManyOwnersAreOneStatement() throws {
    let slot = try #require(Shelf._$descriptor.slot(named: "books"))
    #expect(
      try texts {
        _ = try $0.members(
          ofAll: [try Self.shelf(1), try Self.shelf(3)], slot: slot,
          descriptor: Shelf._$descriptor, EditingState())
      }.map { $0.map { $0.drop { $0 != "F" } } }
        == [
          [
            #"""
            FROM "ZBOOK" AS "t0" JOIN "Z_2SHELVES" AS "pairs" ON "pairs"."Z_2BOOKS" = "t0"."Z_PK" \#
            WHERE "pairs"."Z_3SHELVES" IN (SELECT "value" FROM json_each(?1)) \#
            ORDER BY "pairs"."Z_3SHELVES", "pairs"."Z_2BOOKS"
            """#
          ],
          [
            #"""
            FROM "ZBOOK" AS "t0" JOIN "Z_2SHELVES" AS "pairs" ON "pairs"."Z_2BOOKS" = "t0"."Z_PK" \#
            WHERE "pairs"."Z_3SHELVES" IN (SELECT "value" FROM unnest($1::BIGINT[]) AS "list" \#
            ("value")) ORDER BY "pairs"."Z_3SHELVES", "pairs"."Z_2BOOKS"
            """#
          ],
        ])
  }

  @Test func membersOfOwnersWithAdjacentKeysAreARange() throws {
    let slot = try #require(Shelf._$descriptor.slot(named: "books"))
    #expect(
      try texts {
        _ = try $0.members(
          ofAll: [try Self.shelf(1), try Self.shelf(2)], slot: slot,
          descriptor: Shelf._$descriptor, EditingState())
      }.map { $0.map { $0.drop { $0 != "F" } } }
        == [
          [
            #"""
            FROM "ZBOOK" AS "t0" JOIN "Z_2SHELVES" AS "pairs" ON "pairs"."Z_2BOOKS" = "t0"."Z_PK" \#
            WHERE "pairs"."Z_3SHELVES" >= ?1 AND "pairs"."Z_3SHELVES" <= ?2 \#
            ORDER BY "pairs"."Z_3SHELVES", "pairs"."Z_2BOOKS"
            """#
          ],
          [
            #"""
            FROM "ZBOOK" AS "t0" JOIN "Z_2SHELVES" AS "pairs" ON "pairs"."Z_2BOOKS" = "t0"."Z_PK" \#
            WHERE "pairs"."Z_3SHELVES" >= $1 AND "pairs"."Z_3SHELVES" <= $2 \#
            ORDER BY "pairs"."Z_3SHELVES", "pairs"."Z_2BOOKS"
            """#
          ],
        ])
  }

  @Test func scriptedRowsBecomeSnapshots() throws {
    let driver = RecordingDriver(.sqlite)
    driver.script = [("ZSHELF", [[.integer(7), .text("top")], [.integer(8), .text("low")]])]
    let engine = RecordingStore.engine(driver, Schema(Self.types))
    let request = Self.request(FetchDescriptor<Shelf>())
    let found = try engine.rows(of: request).rows.snapshots
    #expect(found.map(\.persistentIdentifier.entityName) == ["Shelf", "Shelf"])
    #expect(try #require(try engine.identifiers(request)).identifiers.count == 2)
  }
}

extension Shelf {
  /// Not stored, so a predicate that asks for it is evaluated in memory.
  fileprivate var isLong: Bool { label.count > 10 }
}
