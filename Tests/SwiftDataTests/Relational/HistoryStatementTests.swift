import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// The statements with which a save keeps its books.
struct HistoryStatementTests {
  @Test func anUpdateIsAddedFromItsRow() throws {
    let (context, driver) = try RecordingStore.context(
      Library.types, .sqlite, writesHistory: true)
    driver.script = [
      // The last keys of transactions and changes, and the keys of the texts.
      (
        #"SELECT coalesce((SELECT max("Z_PK") FROM "ATRANSACTION")"#,
        [[7, 5, 40, 5, 0, 1, 0, 2].map { _StoredValue.integer($0) }]
      )
    ]
    let shelf = Shelf(label: "top")
    context.insert(shelf)
    try context.save()
    #expect(
      driver.take().filter { $0.contains("ACHANGE") && $0.contains("INSERT") } == [
        """
        INSERT INTO "ACHANGE" ("Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", \
        "ZTRANSACTIONID", "ZCOLUMNS") SELECT NULL, 16001, NULL, 0, "Z_ENT", "Z_PK", ?2, NULL \
        FROM "ZSHELF" WHERE "Z_PK" >= ?1
        """
      ])
    shelf.label = "low"
    try context.save()
    let key = #"(SELECT "Z_PK" FROM "ATRANSACTIONSTRING" WHERE "ZNAME" = "#
    #expect(
      driver.statements.last { $0.sql.hasPrefix(#"INSERT INTO "ACHANGE""#) }?.values
        == [
          .integer(41), .integer(3), .integer(1), .integer(8), .blob(Data([0b1000_0000])),
        ])
    #expect(
      driver.take() == [
        #"UPDATE "ZSHELF" SET "ZLABEL" = ?1, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = ?2"#,
        """
        SELECT coalesce((SELECT max("Z_PK") FROM "ATRANSACTION"), 0), coalesce(max("Z_MAX"), -1), \
        coalesce((SELECT max("Z_PK") FROM "ACHANGE"), 0), \
        coalesce((SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 16001), -1), \
        \(key)?1), \(key)?2), \(key)?3), \(key)?4) FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 16002
        """,
        """
        INSERT INTO "ACHANGE" ("Z_PK", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", \
        "Z_ENT", "ZCHANGETYPE") VALUES (?1, ?2, ?3, ?4, ?5, 16001, 1)
        """,
        """
        INSERT INTO "ATRANSACTION" ("Z_PK", "Z_ENT", "ZAUTHORTS", "ZBUNDLEIDTS", \
        "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTIMESTAMP") VALUES (?1, 16002, ?2, ?3, ?4, ?5, ?6)
        """,
        """
        UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = CASE WHEN "Z_ENT" = 16002 THEN ?1 ELSE ?2 END \
        WHERE "Z_ENT" >= 16001 AND "Z_ENT" <= 16002
        """,
      ])
  }

  @Test func postgreSQLTakesTheSame() throws {
    let (context, driver) = try RecordingStore.context(
      Library.types, .postgreSQL, writesHistory: true)
    driver.script = [
      (#"coalesce(max("Z_MAX")"#, [Array(repeating: _StoredValue.integer(1), count: 8)])
    ]
    let shelf = Shelf(label: "top")
    context.insert(shelf)
    try context.save()
    context.delete(shelf)
    try context.save()
    #expect(
      driver.take().last { $0.hasPrefix(#"INSERT INTO "ACHANGE""#) } == """
        INSERT INTO "ACHANGE" ("Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", \
        "ZTRANSACTIONID", "ZCOLUMNS") SELECT $2 + row_number() OVER (), 16001, NULL, 2, "Z_ENT", \
        "Z_PK", $3, NULL FROM "ZSHELF" WHERE "Z_PK" IN (SELECT "value" FROM unnest($1::BIGINT[]) AS "list" ("value"))
        """)
  }
}
