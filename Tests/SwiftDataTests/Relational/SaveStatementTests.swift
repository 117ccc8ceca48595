import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// Saves of a context as text, in both dialects.
struct SaveStatementTests {
  private func saves(
    _ types: [any PersistentModel.Type], script: RecordingDriver.Script = [],
    _ body: (ModelContext, RecordingDriver) throws -> Void
  ) throws -> [[String]] {
    try [SQLCapabilities.sqlite, .postgreSQL].map { capabilities in
      let (context, driver) = try RecordingStore.context(types, capabilities)
      driver.script = script
      try body(context, driver)
      return driver.take()
    }
  }

  /// SQLite's text with the placeholders of PostgreSQL.
  private func inBoth(_ texts: [String]) -> [[String]] {
    [texts, texts.map { $0.replacing("?", with: "$") }]
  }

  @Test func anInsertTakesTheNextKey() throws {
    let found = try saves(Library.types, script: [("Z_PRIMARYKEY\" WHERE", [[.integer(4)]])]) {
      context, _ in
      context.insert(Shelf(label: "top"))
      context.insert(Shelf(label: "low"))
      try context.save()
    }
    let insert = #"INSERT INTO "ZSHELF" ("Z_PK", "Z_ENT", "Z_OPT", "ZLABEL") VALUES (?1, 3, 1, ?2)"#
    #expect(
      found
        == inBoth([
          #"SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = ?1"#,
          #"SELECT max("Z_PK") FROM "ZSHELF""#, insert, insert,
          #"UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = ?1 WHERE "Z_ENT" = ?2"#,
        ]))
  }

  @Test func anUpdateWritesTheChangedColumns() throws {
    let found = try saves(Library.types) { context, driver in
      let book = Book(title: "a", pages: 1)
      context.insert(book)
      try context.save()
      _ = driver.take()
      (book.title, book.pages) = ("b", 2)
      try context.save()
    }
    #expect(
      found
        == inBoth([
          #"UPDATE "ZBOOK" SET "ZTITLE" = ?1, "ZPAGES" = ?2, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = ?3"#
        ]))
  }

  @Test func anUpsertMeetsTheRowInOneStatement() throws {
    let found = try saves(
      [Author.self, Book.self, Shelf.self], script: [("DO NOTHING", [[.integer(0)]])]
    ) { context, _ in
      context.insert(Author(name: "Ann"))
      try context.save()
    }
    let insert =
      #"INSERT INTO "ZAUTHOR" ("Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZBORN") VALUES (?1, 1, 1, ?2, ?3)"#
    #expect(
      found.map { $0.filter { $0.contains("CONFLICT") } }
        == inBoth([
          #"\#(insert) ON CONFLICT ("ZNAME") DO NOTHING"#,
          #"""
          \#(insert) ON CONFLICT ("ZNAME") DO UPDATE SET "ZBORN" = excluded."ZBORN", \#
          "Z_OPT" = "ZAUTHOR"."Z_OPT" + 1 RETURNING "Z_PK"
          """#,
        ]))
  }

  @Test func aDeletionLeavesTheTablesOfPairs() throws {
    let found = try saves(Library.types) { context, driver in
      let shelf = Shelf(label: "top")
      context.insert(shelf)
      try context.save()
      _ = driver.take()
      context.delete(shelf)
      try context.save()
    }
    let deletes = [#""Z_2SHELVES" WHERE "Z_3SHELVES""#, #""ZSHELF" WHERE "Z_PK""#]
    let lists = ["json_each(?1)", #"unnest($1::BIGINT[]) AS "list" ("value")"#]
    #expect(
      found.map { $0.filter { $0.hasPrefix("DELETE") } }
        == lists.map { list in
          deletes.map { #"DELETE FROM \#($0) IN (SELECT "value" FROM \#(list))"# }
        })
  }

  @Test func aPairIsWrittenOnce() throws {
    let found = try saves(Library.types) { context, driver in
      let (book, shelf) = (Book(title: "a", pages: 1), Shelf(label: "top"))
      book.shelves = [shelf]
      context.insert(book)
      try context.save()
    }
    #expect(
      found.map { $0.filter { $0.contains("Z_2SHELVES") } }
        == [
          [#"INSERT OR IGNORE INTO "Z_2SHELVES" ("Z_2BOOKS", "Z_3SHELVES") VALUES (?1, ?2)"#],
          [
            #"""
            INSERT INTO "Z_2SHELVES" ("Z_2BOOKS", "Z_3SHELVES") VALUES ($1, $2) \#
            ON CONFLICT DO NOTHING
            """#
          ],
        ])
  }

  @available(macOS 26, *)
  @Test func aHierarchySharesATable() throws {
    let found = try saves([Animal.self, Dog.self, Puppy.self, Owner.self]) { context, _ in
      let puppy = Puppy(name: "a", breed: "b", weeks: 3)
      puppy.owner = Owner(name: "c")
      context.insert(puppy)
      try context.save()
    }
    #expect(
      found.map { $0.filter { $0.hasPrefix("INSERT INTO \"ZANIMAL\"") } }
        == inBoth([
          #"""
          INSERT INTO "ZANIMAL" ("Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZLEGS", "ZOWNER", "ZBREED", \#
          "ZTRICKS", "ZWEEKS") VALUES (?1, 3, 1, ?2, ?3, ?4, ?5, ?6, ?7)
          """#
        ]))
  }

  @Test func uniqueValuesAreGivenUpBeforeTheyAreTaken() throws {
    let found = try saves(Library.types) { context, driver in
      let (first, second) = (Author(name: "a"), Author(name: "b"))
      context.insert(first)
      context.insert(second)
      try context.save()
      _ = driver.take()
      (first.name, second.name) = ("b", "a")
      try context.save()
    }
    let update =
      #"UPDATE "ZAUTHOR" SET "ZNAME" = ?1, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = ?2"#
    let empty = #"UPDATE "ZAUTHOR" SET "ZNAME" = NULL WHERE "Z_PK" = ?1"#
    #expect(found == inBoth([empty, empty, update, update]))
  }
}
