import OpenSwiftDataSQLSyntax
import Testing

/// The same statement in two dialects.
struct DialectTests {
  private let a = SQLExpression.column(table: "t", name: "a")

  private func texts(_ statement: some SQLStatement) -> [String] {
    SQLDialect.allCases.map { statement.rendered(in: $0).sql }
  }

  private func texts(_ expression: SQLExpression) -> [String] {
    SQLDialect.allCases.map { expression.text(in: $0) }
  }

  @Test func conditionsAreTruthValuesOrNumbers() {
    #expect(texts(.boolean(true)) == ["1", "TRUE"])
    #expect(texts(.binary(a, .equal, .false)) == [#""t"."a" = 0"#, #""t"."a" = FALSE"#])
    #expect(texts(.orFalse(a)) == [#"ifnull("t"."a", 0)"#, #"coalesce("t"."a", FALSE)"#])
    #expect(texts(.conjunction([])) == ["1", "TRUE"])
  }

  @Test func hintsAreLeftOutWhereNobodyKnowsThem() {
    #expect(
      texts(.all([.unlikely(.binary(a, .equal, .integer(1))), a.isNotNull]))
        == [
          #"unlikely("t"."a" = 1) AND "t"."a" IS NOT NULL"#,
          #"("t"."a" = 1) AND "t"."a" IS NOT NULL"#,
        ])
  }

  @Test func aListIsOneParameter() {
    #expect(
      texts(.isMember(a, of: ListParameter(.parameter(0), of: .integer)))
        == [
          #""t"."a" IN (SELECT "value" FROM json_each(?1))"#,
          #""t"."a" IN (SELECT "value" FROM unnest($1::BIGINT[]) AS "list" ("value"))"#,
        ])
    let keys = TableReference(
      list: ListParameter(.parameter(0), of: .text, hasPositions: true), as: "keys")
    #expect(
      texts(Select([.column(table: "keys", name: "value")], from: keys))
        == [
          #"SELECT "keys"."value" FROM json_each(?1) AS "keys""#,
          #"SELECT "keys"."value" FROM unnest($1::TEXT[]) WITH ORDINALITY AS "keys" ("value", "position")"#,
        ])
    #expect(SQLDialect.allCases.map { $0.list([1, -2]) } == ["[1,-2]", "{1,-2}"])
    #expect(SQLDialect.sqlite.list([]) == "[]")
    let limits: [Int64] = [.min, 0, .max, 10, -9]
    #expect(SQLDialect.sqlite.list(limits) == "\(limits)".filter { $0 != " " })
  }

  @Test func nullsComeFirstInBoth() {
    let select = Select(
      [a], from: TableReference("t"), orderBy: [OrderingTerm(a), OrderingTerm(a, .descending)],
      offset: .parameter(0))
    #expect(
      texts(select)
        == [
          #"SELECT "t"."a" FROM "t" ORDER BY "t"."a", "t"."a" DESC LIMIT -1 OFFSET ?1"#,
          #"""
          SELECT "t"."a" FROM "t" ORDER BY "t"."a" ASC NULLS FIRST, "t"."a" DESC NULLS LAST \#
          OFFSET $1
          """#,
        ])
  }

  @Test func rowsThatAreThereAreLeftOut() {
    #expect(
      texts(Insert(into: "J", columns: ["a", "b"], onConflict: .ignore))
        == [
          #"INSERT OR IGNORE INTO "J" ("a", "b") VALUES (?1, ?2)"#,
          #"INSERT INTO "J" ("a", "b") VALUES ($1, $2) ON CONFLICT DO NOTHING"#,
        ])
  }

  @Test func columnsHaveTypesOfTheirDatabase() {
    let types: [SQLType] = [.integer, .boolean, .real, .timestamp, .decimal, .text, .blob]
    let table = CreateTable(
      "T", columns: types.enumerated().map { ColumnDefinition("c\($0)", $1) })
    #expect(
      texts(table)
        == [
          #"""
          CREATE TABLE "T" ( "c0" INTEGER, "c1" INTEGER, "c2" FLOAT, "c3" TIMESTAMP, \#
          "c4" DECIMAL, "c5" VARCHAR, "c6" BLOB )
          """#,
          #"""
          CREATE TABLE "T" ( "c0" BIGINT, "c1" BOOLEAN, "c2" DOUBLE PRECISION, \#
          "c3" DOUBLE PRECISION, "c4" NUMERIC, "c5" TEXT COLLATE "C", "c6" BYTEA )
          """#,
        ])
    #expect(texts(.cast(a, to: .blob)) == [#"CAST("t"."a" AS BLOB)"#, #"CAST("t"."a" AS BYTEA)"#])
    #expect(
      texts(CreateIndex("I", on: "T", columns: [.init("a", isBinary: true)]))
        == [
          #"CREATE INDEX "I" ON "T" ("a" COLLATE BINARY)"#,
          #"CREATE INDEX "I" ON "T" ("a" ASC NULLS FIRST)"#,
        ])
  }

  @Test func textHasFormsWhereTheDatabaseKnowsUnicode() {
    for (form, name) in [(SQLExpression.composed, "NFC"), (SQLExpression.decomposed, "NFD")] {
      #expect(
        form(a).text(in: .postgreSQL)
          == #"CASE WHEN octet_length("t"."a") = char_length("t"."a") THEN "t"."a" "#
          + #"ELSE normalize("t"."a", \#(name)) END"#)
      #expect(form(.text("a")).text(in: .postgreSQL) == "normalize('a', \(name))")
    }
  }
}
