import OpenSwiftDataSQLSyntax
import Testing

struct SelectTests {
  private let name = SQLExpression.column(table: "t0", name: "ZNAME")
  private let from = TableReference("ZITEM", as: "t0")

  @Test func aQueryReadsInTheOrderOfSQL() {
    let select = Select(
      [ResultColumn(name), ResultColumn(.function("count", [.star]), as: "n")],
      from: from,
      joins: [
        Join(
          .left, TableReference("ZOWNER", as: "t1"),
          on: .binary(
            .column(table: "t1", name: "Z_PK"), .equal, .column(table: "t0", name: "ZOWNER")))
      ],
      where: .binary(name, .equal, .parameter(0)),
      orderBy: [OrderingTerm(name, .descending), OrderingTerm(.column(table: "t0", name: "Z_PK"))],
      limit: .parameter(1), offset: .parameter(2))
    #expect(
      select.rendered(in: .sqlite)
        == RenderedSQL(
          sql: """
            SELECT "t0"."ZNAME", count(*) AS "n" FROM "ZITEM" AS "t0" \
            LEFT JOIN "ZOWNER" AS "t1" ON "t1"."Z_PK" = "t0"."ZOWNER" \
            WHERE "t0"."ZNAME" = ?1 ORDER BY "t0"."ZNAME" DESC, "t0"."Z_PK" LIMIT ?2 OFFSET ?3
            """, parameterCount: 3))
  }

  @Test func anOffsetAloneGetsTheLimitThatSQLiteWants() {
    let select = Select([name], from: from, offset: .parameter(0))
    #expect(
      select.rendered(in: .sqlite).sql
        == #"SELECT "t0"."ZNAME" FROM "ZITEM" AS "t0" LIMIT -1 OFFSET ?1"#)
    #expect(
      select.rendered(in: .postgreSQL).sql
        == #"SELECT "t0"."ZNAME" FROM "ZITEM" AS "t0" OFFSET $1"#)
  }

  @Test func nullsCanBePlaced() {
    let select = Select([name], from: from, orderBy: [OrderingTerm(name, nulls: .last)])
    #expect(
      select.rendered(in: .sqlite).sql
        == #"SELECT "t0"."ZNAME" FROM "ZITEM" AS "t0" ORDER BY "t0"."ZNAME" ASC NULLS LAST"#)
  }

  @Test func aTableValuedFunctionStandsInFrom() {
    let each = Select(
      [.column(table: nil, name: "value")],
      from: TableReference(list: ListParameter(.parameter(0), of: .integer)))
    #expect(
      SQLExpression.inSelect(name, each).sql
        == #""t0"."ZNAME" IN (SELECT "value" FROM json_each(?1))"#)
  }
}

extension SQLExpression {
  /// The text in SQLite's dialect.
  var sql: String { text(in: .sqlite) }

  func text(in dialect: SQLDialect) -> String {
    var renderer = SQLRenderer(dialect: dialect)
    write(to: &renderer)
    return renderer.text
  }
}
