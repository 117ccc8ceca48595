import OpenSwiftDataSQLSyntax
import Testing

struct SQLExpressionTests {
  private let a = SQLExpression.column(table: nil, name: "a")
  private let b = SQLExpression.column(table: nil, name: "b")
  private let c = SQLExpression.column(table: nil, name: "c")

  @Test func namesAreAlwaysQuoted() {
    #expect(SQLExpression.column(table: "t\"0", name: "se lect").sql == #""t""0"."se lect""#)
    #expect(SQLExpression.text("it's").sql == "'it''s'")
  }

  @Test func parenthesesStandWhereTheyChangeTheMeaning() {
    let sum = SQLExpression.binary(a, .add, b)
    #expect(SQLExpression.binary(sum, .multiply, c).sql == #"("a" + "b") * "c""#)
    #expect(SQLExpression.binary(a, .multiply, sum).sql == #""a" * ("a" + "b")"#)
    #expect(SQLExpression.binary(sum, .add, c).sql == #""a" + "b" + "c""#)
    #expect(SQLExpression.binary(c, .subtract, sum).sql == #""c" - ("a" + "b")"#)
    let either = SQLExpression.any([.unary(.isNull, a), .binary(b, .less, c)])
    #expect(
      SQLExpression.all([either, .binary(a, .isSame, b)]).sql
        == #"("a" IS NULL OR "b" < "c") AND "a" IS "b""#)
    #expect(SQLExpression.unary(.not, either).sql == #"NOT ("a" IS NULL OR "b" < "c")"#)
    #expect(
      SQLExpression.binary(.binary(a, .less, b), .equal, .binary(b, .less, c)).sql
        == #"("a" < "b") = ("b" < "c")"#)
  }

  @Test func twoSignsNeverBecomeAComment() {
    #expect(SQLExpression.unary(.minus, .unary(.minus, a)).sql == #"-(-"a")"#)
    #expect(SQLExpression.binary(a, .subtract, .integer(-1)).sql == #""a" - (-1)"#)
  }

  @Test func choicesCastsAndCollations() {
    #expect(
      SQLExpression.conditional(
        [SQLBranch(when: .binary(a, .equal, .integer(1)), then: b)], otherwise: .null
      ).sql == #"CASE WHEN "a" = 1 THEN "b" ELSE NULL END"#)
    #expect(SQLExpression.cast(a, to: .real).sql == #"CAST("a" AS REAL)"#)
    #expect(SQLExpression.collate(a, "swift").sql == #""a" COLLATE "swift""#)
    #expect(SQLExpression.inList(a, [.parameter(0), .parameter(1)]).sql == #""a" IN (?1, ?2)"#)
  }

  @Test func aSubqueryIsAValueOrAQuestion() {
    let select = Select([.integer(1)], from: TableReference("T"), where: .binary(a, .equal, b))
    #expect(SQLExpression.exists(select).sql == #"EXISTS (SELECT 1 FROM "T" WHERE "a" = "b")"#)
    #expect(
      SQLExpression.binary(.subquery(select), .greater, .integer(2)).sql
        == #"(SELECT 1 FROM "T" WHERE "a" = "b") > 2"#)
  }

  @Test func constantsFold() {
    #expect(SQLExpression.all([.true, .true]) == .true)
    #expect(SQLExpression.all([a, .false]) == .false)
    #expect(SQLExpression.all([.true, a]) == a)
    #expect(SQLExpression.any([.false, a]) == a)
    #expect(SQLExpression.any([]) == .false)
    #expect(SQLExpression.all([.all([a, b]), a]) == .conjunction([a, b]))
  }

  @Test func negationTurnsWhatItCan() {
    #expect(SQLExpression.true.negated == .false)
    #expect(a.isNull.negated == a.isNotNull)
    #expect(SQLExpression.binary(a, .isSame, b).negated == .binary(a, .isNotSame, b))
    #expect(SQLExpression.binary(a, .less, b).negated.sql == #"NOT "a" < "b""#)
    #expect(SQLExpression.binary(a, .less, b).negated.negated == .binary(a, .less, b))
  }

  @Test func dialectsDiffer() {
    let same = SQLExpression.binary(a, .isSame, .parameter(1))
    #expect(same.sql == #""a" IS ?2"#)
    #expect(same.text(in: .postgreSQL) == #""a" IS NOT DISTINCT FROM $2"#)
  }

  @Test func parametersGetNewNumbersAtAnyDepth() {
    let select = Select(
      [.integer(1)], from: TableReference(list: ListParameter(.parameter(3), of: .integer)),
      where: .inList(a, [.parameter(1), .parameter(3)]))
    let moved = SQLExpression.all([.exists(select), .binary(b, .equal, .parameter(1))])
      .replacingParameters { $0 + 10 }
    #expect(
      moved.sql == #"""
        EXISTS (SELECT 1 FROM json_each(?14) WHERE "a" IN (?12, ?14)) AND "b" = ?12
        """#)
  }
}
