import Foundation
import SwiftData
import Testing

/// The statements of ordinary saves, with their values, as SQLite runs them.
struct OrdinarySaveTests {
  /// A container of the default store and what it runs.
  private struct Bench {
    let recorder = StatementRecorder()
    let context: ModelContext

    init(_ types: [any PersistentModel.Type]) throws {
      context = ModelContext(try recorder.container(types, includesValues: true))
    }

    /// The statements of a save, a line each. The last used keys of several entities are stored in
    /// no order.
    @discardableResult func save() throws -> String {
      let texts = try recorder.during { try context.save() }.compactMap(\.sqlWithValues)
      let keys = texts.indices.filter { texts[$0].hasPrefix(#"UPDATE "Z_PRIMARYKEY""#) }
      var sorted = texts
      for (index, text) in zip(keys, keys.map { texts[$0] }.sorted()) { sorted[index] = text }
      return sorted.joined(separator: "\n")
    }
  }

  @Test func anInsertWithARelationship() throws {
    let bench = try Bench(Library.types)
    bench.context.insert(Book(title: "One", pages: 3, author: Author(name: "Ann")))
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 2
        SELECT max("Z_PK") FROM "ZBOOK"
        SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 1
        SELECT max("Z_PK") FROM "ZAUTHOR"
        INSERT INTO "ZAUTHOR" ("Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZBORN") VALUES (1, 1, 1, \#
        'Ann', NULL) ON CONFLICT ("ZNAME") DO NOTHING
        INSERT INTO "ZBOOK" ("Z_PK", "Z_ENT", "Z_OPT", "ZTITLE", "ZPAGES", "ZPRICE", \#
        "ZISREAD", "ZAUTHOR") VALUES (1, 2, 1, 'One', 3, 9.5, 0, 1)
        UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = 1 WHERE "Z_ENT" = 1
        UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = 1 WHERE "Z_ENT" = 2
        COMMIT
        """#)
  }

  @Test func anUpdateOfOneProperty() throws {
    let bench = try Bench(Library.types)
    let book = Book(title: "One", pages: 3)
    bench.context.insert(book)
    try bench.save()
    book.pages = 4
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        UPDATE "ZBOOK" SET "ZPAGES" = 4, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = 1
        COMMIT
        """#)
  }

  @Test func membersThatComeAndGo() throws {
    let bench = try Bench(Library.types)
    let author = Author(name: "Ann")
    let books = ["One", "Two", "Three"].map { Book(title: $0, pages: 1) }
    author.books = [books[0], books[1]]
    bench.context.insert(author)
    bench.context.insert(books[2])
    try bench.save()
    author.books = [books[1], books[2]]
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT "ZAUTHOR" FROM "ZBOOK" WHERE "Z_PK" = 1
        SELECT "ZAUTHOR" FROM "ZBOOK" WHERE "Z_PK" = 3
        UPDATE "ZBOOK" SET "ZAUTHOR" = NULL, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = 1
        UPDATE "ZBOOK" SET "ZAUTHOR" = 1, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = 3
        SELECT "Z_PK" FROM "ZAUTHOR" WHERE "Z_PK" = 1
        UPDATE "ZAUTHOR" SET "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" IN (SELECT "value" FROM \#
        json_each('[1]'))
        COMMIT
        """#)
  }

  @Test func pairsThatComeAndGo() throws {
    let bench = try Bench(Library.types)
    let shelves = ["top", "low", "new"].map(Shelf.init)
    let book = Book(title: "One", pages: 3)
    book.shelves = [shelves[0], shelves[1]]
    bench.context.insert(book)
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 2
        SELECT max("Z_PK") FROM "ZBOOK"
        SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 3
        SELECT max("Z_PK") FROM "ZSHELF"
        INSERT INTO "ZBOOK" ("Z_PK", "Z_ENT", "Z_OPT", "ZTITLE", "ZPAGES", "ZPRICE", \#
        "ZISREAD", "ZAUTHOR") VALUES (1, 2, 1, 'One', 3, 9.5, 0, NULL)
        INSERT INTO "ZSHELF" ("Z_PK", "Z_ENT", "Z_OPT", "ZLABEL") VALUES (1, 3, 1, 'top')
        INSERT INTO "ZSHELF" ("Z_PK", "Z_ENT", "Z_OPT", "ZLABEL") VALUES (2, 3, 1, 'low')
        INSERT OR IGNORE INTO "Z_2SHELVES" ("Z_2BOOKS", "Z_3SHELVES") VALUES (1, 1)
        INSERT OR IGNORE INTO "Z_2SHELVES" ("Z_2BOOKS", "Z_3SHELVES") VALUES (1, 2)
        UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = 1 WHERE "Z_ENT" = 2
        UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = 2 WHERE "Z_ENT" = 3
        COMMIT
        """#)
    book.shelves = [shelves[1], shelves[2]]
    let others = try bench.save()
    #expect(
      others == #"""
        BEGIN IMMEDIATE
        SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 3
        SELECT max("Z_PK") FROM "ZSHELF"
        INSERT INTO "ZSHELF" ("Z_PK", "Z_ENT", "Z_OPT", "ZLABEL") VALUES (3, 3, 1, 'new')
        DELETE FROM "Z_2SHELVES" WHERE "Z_2BOOKS" = 1 AND "Z_3SHELVES" = 1
        INSERT OR IGNORE INTO "Z_2SHELVES" ("Z_2BOOKS", "Z_3SHELVES") VALUES (1, 3)
        SELECT "Z_PK" FROM "ZBOOK" WHERE "Z_PK" = 1
        UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = 3 WHERE "Z_ENT" = 3
        UPDATE "ZBOOK" SET "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" IN (SELECT "value" FROM \#
        json_each('[1]'))
        UPDATE "ZSHELF" SET "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" IN (SELECT "value" FROM \#
        json_each('[1]'))
        COMMIT
        """#)
  }

  @Test func anUpsertOfARow() throws {
    let bench = try Bench(Library.types)
    bench.context.insert(Author(name: "Ann"))
    try bench.save()
    bench.context.insert(Author(name: "Ann", born: Date(timeIntervalSinceReferenceDate: 7)))
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 1
        SELECT max("Z_PK") FROM "ZAUTHOR"
        INSERT INTO "ZAUTHOR" ("Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZBORN") VALUES (2, 1, 1, \#
        'Ann', 7.0) ON CONFLICT ("ZNAME") DO NOTHING
        INSERT INTO "ZAUTHOR" ("Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZBORN") VALUES (2, 1, 1, \#
        'Ann', 7.0) ON CONFLICT ("ZNAME") DO UPDATE SET "ZBORN" = excluded."ZBORN", "Z_OPT" \#
        = "ZAUTHOR"."Z_OPT" + 1 RETURNING "Z_PK"
        UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = 1 WHERE "Z_ENT" = 1
        COMMIT
        """#)
  }

  @Test func anUpsertOfARowThatHasToBeLookedUp() throws {
    let types: [any PersistentModel.Type] = [
      Upserting.Maker.self, Upserting.Product.self, Upserting.Country.self, Upserting.Seat.self,
    ]
    let bench = try Bench(types)
    bench.context.insert(Upserting.Maker("a", "one"))
    try bench.save()
    bench.context.insert(Upserting.Maker("a", "two"))
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT "Z_PK" FROM "ZMAKER" WHERE "ZCODE" = 'a'
        UPDATE "ZMAKER" SET "ZCODE" = 'a', "ZTITLE" = 'two', "ZRANK" = 1, "ZNOTE" = NULL, \#
        "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = 1
        COMMIT
        """#)
  }

  @Test func aDeletionThatCascades() throws {
    let bench = try Bench(Graph.types)
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    bench.context.insert(Graph.Toy("t", owner: child))
    try bench.save()
    bench.context.delete(parent)
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT "partners"."Z_PK" FROM "ZCHILD" AS "partners" WHERE "partners"."ZPARENT" IN \#
        (SELECT "value" FROM json_each('[1]'))
        SELECT "partners"."Z_PK" FROM "ZTOY" AS "partners" WHERE "partners"."ZOWNER" IN \#
        (SELECT "value" FROM json_each('[1]'))
        DELETE FROM "ZCHILD" WHERE "Z_PK" IN (SELECT "value" FROM json_each('[1]'))
        DELETE FROM "ZPARENT" WHERE "Z_PK" IN (SELECT "value" FROM json_each('[1]'))
        DELETE FROM "ZTOY" WHERE "Z_PK" IN (SELECT "value" FROM json_each('[1]'))
        COMMIT
        """#)
  }

  @Test func aDeletionThatNullifies() throws {
    let bench = try Bench(Graph.types)
    let person = Graph.Person("a")
    let passport = Graph.Passport(7)
    person.passport = passport
    bench.context.insert(person)
    try bench.save()
    bench.context.delete(person)
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        UPDATE "ZPASSPORT" SET "ZHOLDER" = NULL WHERE "ZHOLDER" IN (SELECT "value" FROM \#
        json_each('[1]')) RETURNING "Z_PK", "Z_ENT"
        DELETE FROM "ZPERSON" WHERE "Z_PK" IN (SELECT "value" FROM json_each('[1]'))
        UPDATE "ZPASSPORT" SET "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" IN (SELECT "value" FROM \#
        json_each('[1]'))
        COMMIT
        """#)
    #expect(passport.holder == nil)
  }

  @Test func aDeletionOfWhatOthersNameWithoutInverse() throws {
    let bench = try Bench([Graph.Route.self, Graph.Stop.self])
    let (route, stop) = (Graph.Route("r"), Graph.Stop("s"))
    route.start = stop
    bench.context.insert(route)
    try bench.save()
    bench.context.delete(stop)
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT DISTINCT "Z1STOPS" FROM "ZSTOP" WHERE "Z_PK" IN (SELECT "value" FROM \#
        json_each('[1]')) AND "Z1STOPS" IS NOT NULL
        UPDATE "ZROUTE" SET "ZSTART" = NULL WHERE "ZSTART" IN (SELECT "value" FROM \#
        json_each('[1]')) RETURNING "Z_PK", "Z_ENT"
        DELETE FROM "ZSTOP" WHERE "Z_PK" IN (SELECT "value" FROM json_each('[1]'))
        UPDATE "ZROUTE" SET "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" IN (SELECT "value" FROM \#
        json_each('[1]'))
        COMMIT
        """#)
    #expect(route.start == nil)
  }

  @Test func aDeletionThatRemovesPairs() throws {
    let bench = try Bench(Graph.types)
    let student = Graph.Student("s")
    student.courses = [Graph.Course("x")]
    bench.context.insert(student)
    try bench.save()
    bench.context.delete(student)
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        SELECT DISTINCT "Z_2COURSES" FROM "Z_2STUDENTS" WHERE "Z_14STUDENTS" IN (SELECT "value" FROM \#
        json_each('[1]')) AND "Z_2COURSES" IS NOT NULL
        DELETE FROM "Z_2STUDENTS" WHERE "Z_14STUDENTS" IN (SELECT "value" FROM json_each('[1]'))
        DELETE FROM "ZSTUDENT" WHERE "Z_PK" IN (SELECT "value" FROM json_each('[1]'))
        UPDATE "ZCOURSE" SET "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" IN (SELECT "value" FROM \#
        json_each('[1]'))
        COMMIT
        """#)
  }

  @Test func uniqueValuesThatAreSwapped() throws {
    let bench = try Bench(Library.types)
    let authors = ["Ann", "Bob"].map { Author(name: $0) }
    for author in authors { bench.context.insert(author) }
    try bench.save()
    (authors[0].name, authors[1].name) = ("Bob", "Ann")
    let statements = try bench.save()
    #expect(
      statements == #"""
        BEGIN IMMEDIATE
        UPDATE "ZAUTHOR" SET "ZNAME" = NULL WHERE "Z_PK" = 1
        UPDATE "ZAUTHOR" SET "ZNAME" = NULL WHERE "Z_PK" = 2
        UPDATE "ZAUTHOR" SET "ZNAME" = 'Bob', "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = 1
        UPDATE "ZAUTHOR" SET "ZNAME" = 'Ann', "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = 2
        COMMIT
        """#)
  }

  @Test func aSaveOfNothingRunsNoStatement() throws {
    let bench = try Bench(Library.types)
    #expect(try bench.save().isEmpty)
    let book = Book(title: "One", pages: 3)
    bench.context.insert(book)
    try bench.save()
    #expect(try bench.save().isEmpty)
    book.title = "Two"
    bench.context.rollback()
    #expect(try bench.save().isEmpty)
    let new = Author(name: "Ann")
    bench.context.insert(new)
    bench.context.delete(new)
    #expect(try bench.save().isEmpty)
    bench.context.delete(book)
    bench.context.insert(book)
    #expect(try bench.save().isEmpty)
    _ = book.shelves
    _ = try bench.context.fetch(FetchDescriptor<Book>())
    #expect(try bench.save().isEmpty)
    let undo = UndoManager()
    bench.context.undoManager = undo
    book.pages = 9
    bench.context.processPendingChanges()
    undo.undo()
    #expect(try bench.save().isEmpty)
  }
}
