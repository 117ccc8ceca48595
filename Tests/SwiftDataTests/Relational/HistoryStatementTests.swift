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
      (#"max("Z_PK") FROM "ACHANGE""#, [[.integer(40)]]),
      (#"max("Z_PK") FROM "ATRANSACTION""#, [[.integer(7)]]),
      (#"FROM "ATRANSACTIONSTRING" WHERE"#, [[.integer(1)]]),
      (#"SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = 1600"#, [[.integer(5)]]),
    ]
    let shelf = Shelf(label: "top")
    context.insert(shelf)
    try context.save()
    #expect(
      driver.take().filter { $0.contains("ACHANGE") && $0.contains("INSERT") } == [
        """
        INSERT INTO "ACHANGE" ("Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", \
        "ZTRANSACTIONID") SELECT "Z_PK" + ?1, 16001, 0, "Z_ENT", "Z_PK", ?2 FROM "ZSHELF" \
        WHERE "Z_PK" >= ?3
        """
      ])
    shelf.label = "low"
    try context.save()
    let lastKey = #"SELECT "Z_MAX" FROM "Z_PRIMARYKEY" WHERE "Z_ENT" = "#
    let storeLastKey = #"UPDATE "Z_PRIMARYKEY" SET "Z_MAX" = ?1 WHERE "Z_ENT" = "#
    let findText = #"SELECT "Z_PK" FROM "ATRANSACTIONSTRING" WHERE "ZNAME" = ?1"#
    #expect(
      driver.statements.last { $0.sql.hasPrefix(#"INSERT INTO "ACHANGE""#) }?.values
        == [.text("[1]"), .integer(40), .integer(8), .blob(Data([0b1000_0000]))])
    #expect(
      driver.take() == [
        #"UPDATE "ZSHELF" SET "ZLABEL" = ?1, "Z_OPT" = "Z_OPT" + 1 WHERE "Z_PK" = ?2"#,
        #"SELECT max("Z_PK") FROM "ATRANSACTION""#, lastKey + "16002",
        #"SELECT max("Z_PK") FROM "ACHANGE""#, lastKey + "16001",
        """
        INSERT INTO "ACHANGE" ("Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", \
        "ZTRANSACTIONID", "ZCOLUMNS") SELECT ?2 + row_number() OVER (), 16001, 1, "Z_ENT", "Z_PK", \
        ?3, ?4 FROM "ZSHELF" WHERE "Z_PK" IN (SELECT "value" FROM json_each(?1))
        """, findText, findText,
        """
        INSERT INTO "ATRANSACTION" ("Z_PK", "Z_ENT", "ZAUTHORTS", "ZBUNDLEIDTS", \
        "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTIMESTAMP") VALUES (?1, 16002, ?2, ?3, ?4, ?5, ?6)
        """, storeLastKey + "16002", storeLastKey + "16001",
      ])
  }

  @Test func postgreSQLTakesTheSame() throws {
    let (context, driver) = try RecordingStore.context(
      Library.types, .postgreSQL, writesHistory: true)
    let shelf = Shelf(label: "top")
    context.insert(shelf)
    try context.save()
    context.delete(shelf)
    try context.save()
    #expect(
      driver.take().last { $0.hasPrefix(#"INSERT INTO "ACHANGE""#) } == """
        INSERT INTO "ACHANGE" ("Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", \
        "ZTRANSACTIONID") SELECT $2 + row_number() OVER (), 16001, 2, "Z_ENT", "Z_PK", $3 \
        FROM "ZSHELF" WHERE "Z_PK" IN (SELECT "value" FROM unnest($1::BIGINT[]) AS "list" ("value"))
        """)
  }
}
