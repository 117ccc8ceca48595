import OpenSwiftDataSQLSyntax
import Testing

struct StatementTests {
  @Test func anInsertOfOneRowTakesAParameterForEachColumn() {
    let insert = Insert(into: "ZITEM", columns: ["Z_PK", "ZNAME"])
    #expect(
      insert.rendered(in: .sqlite)
        == RenderedSQL(
          sql: #"INSERT INTO "ZITEM" ("Z_PK", "ZNAME") VALUES (?1, ?2)"#, parameterCount: 2))
    let many = Insert(
      into: "J", columns: ["a", "b"],
      rows: [[.parameter(0), .parameter(1)], [.parameter(0), .integer(7)]], onConflict: .ignore)
    #expect(
      many.rendered(in: .sqlite)
        == RenderedSQL(
          sql: #"INSERT OR IGNORE INTO "J" ("a", "b") VALUES (?1, ?2), (?1, 7)"#,
          parameterCount: 2))
    let stopping = Insert(into: "J", columns: ["a"], onConflict: .stop)
    #expect(stopping.rendered(in: .sqlite).sql == #"INSERT OR FAIL INTO "J" ("a") VALUES (?1)"#)
  }

  @Test func manyRowsAreUpdatedFromLists() {
    let update = ListUpdate(
      "ZITEM", set: [.init("ZNAME", .text), .init("ZSIZE", .real)], key: .init("Z_PK", .integer),
      version: "Z_OPT")
    #expect(
      update.rendered(in: .postgreSQL)
        == RenderedSQL(
          sql: #"UPDATE "ZITEM" SET "ZNAME" = "new"."ZNAME", "ZSIZE" = "new"."ZSIZE", "#
            + #""Z_OPT" = "ZITEM"."Z_OPT" + 1 FROM unnest((SELECT $1::TEXT[]), "#
            + #"(SELECT $2::DOUBLE PRECISION[]), (SELECT $3::BIGINT[])) "#
            + #"AS "new" ("ZNAME", "ZSIZE", "Z_PK") WHERE "ZITEM"."Z_PK" = "new"."Z_PK" "#
            + #"RETURNING "ZITEM"."Z_PK""#, parameterCount: 3))
  }

  @Test func manyRowsAreLookedUpByLists() {
    let lookUp = ListLookUp(
      in: "ZITEM", where: [.init("ZNAME", .text), .init("ZSIZE", .integer)], key: "Z_PK", ["Z_ENT"])
    #expect(
      lookUp.rendered(in: .postgreSQL)
        == RenderedSQL(
          sql: #"SELECT "new"."position", "new"."first", "ZITEM"."Z_PK", "ZITEM"."Z_ENT" "#
            + #"FROM (SELECT *, min("position") OVER (PARTITION BY "c1" COLLATE "C", "c2") "#
            + #"AS "first" FROM unnest((SELECT $1::TEXT[]), (SELECT $2::BIGINT[])) "#
            + #"WITH ORDINALITY AS list ("c1", "c2", "position") "#
            + #"WHERE "c1" IS NOT NULL AND "c2" IS NOT NULL) AS "new" "#
            + #"LEFT JOIN "ZITEM" ON "ZITEM"."ZNAME" = "new"."c1" AND "ZITEM"."ZSIZE" = "new"."c2" "#
            + #"WHERE "ZITEM"."Z_PK" IS NOT NULL OR "new"."position" <> "new"."first""#,
          parameterCount: 2))
  }

  @Test func updatesAndDeletes() {
    let key = SQLExpression.column(table: nil, name: "Z_PK")
    let version = SQLExpression.column(table: nil, name: "Z_OPT")
    #expect(
      Update(
        "ZITEM",
        set: [
          Assignment("ZNAME", .parameter(0)),
          Assignment("Z_OPT", .binary(version, .add, .integer(1))),
        ], where: .binary(key, .equal, .parameter(1))
      ).rendered(in: .sqlite).sql
        == #"UPDATE "ZITEM" SET "ZNAME" = ?1, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = ?2"#)
    #expect(
      Delete(from: "ZITEM", where: .binary(key, .equal, .parameter(0))).rendered(in: .sqlite).sql
        == #"DELETE FROM "ZITEM" WHERE "Z_PK" = ?1"#)
    #expect(Delete(from: "ZITEM", where: nil).rendered(in: .sqlite).sql == #"DELETE FROM "ZITEM""#)
  }

  @Test func tablesAndIndexes() {
    #expect(
      CreateTable(
        "ZITEM",
        columns: [
          ColumnDefinition("Z_PK", .integer, isPrimaryKey: true),
          ColumnDefinition("ZNAME", .text),
        ]
      ).rendered(in: .sqlite).sql
        == "CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR )")
    #expect(
      CreateTable(
        "J", columns: [ColumnDefinition("a", .integer), ColumnDefinition("b", .integer)],
        primaryKey: ["a", "b"], ifNotExists: true
      ).rendered(in: .sqlite).sql
        == #"CREATE TABLE IF NOT EXISTS "J" ( "a" INTEGER, "b" INTEGER, PRIMARY KEY ("a", "b") )"#)
    #expect(
      CreateIndex(
        "I", on: "T", columns: [.init("a", isBinary: true, direction: .ascending)],
        isUnique: true
      ).rendered(in: .sqlite).sql == #"CREATE UNIQUE INDEX "I" ON "T" ("a" COLLATE BINARY ASC)"#)
    #expect(
      CreateIndex("Z_Größe_1", on: "ACHANGE", columns: [.init("Z a"), .init("ZÄ")])
        .rendered(in: .sqlite).sql == #"CREATE INDEX Z_Größe_1 ON ACHANGE ("Z a", ZÄ)"#)
  }

  @Test(arguments: [
    (
      AlterSchema.addColumn(table: "T", ColumnDefinition("a", .real)),
      #"ALTER TABLE "T" ADD COLUMN "a" FLOAT"#
    ),
    (.dropColumn(table: "T", column: "a"), #"ALTER TABLE "T" DROP COLUMN "a""#),
    (
      .renameColumn(table: "T", from: "a", to: "b"),
      #"ALTER TABLE "T" RENAME COLUMN "a" TO "b""#
    ),
    (.renameTable(from: "T", to: "U"), #"ALTER TABLE "T" RENAME TO "U""#),
    (.dropTable("T", ifExists: true), #"DROP TABLE IF EXISTS "T""#),
    (.dropIndex("I", ifExists: false), #"DROP INDEX "I""#),
  ])
  func tablesChange(statement: AlterSchema, sql: String) {
    #expect(statement.rendered(in: .sqlite).sql == sql)
  }
}
