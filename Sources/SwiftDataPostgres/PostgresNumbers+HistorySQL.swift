import OpenSwiftDataPostgresEngine
import SwiftData

// The statements that write a transaction of the history, where several write at once.

extension PostgresNumbers {
  /// Takes the lock and the next number, and adds the transaction. The lock is that of the table in this schema of
  /// the database. Returns the number. The statement fails with a division by zero if a key is not that of its
  /// text any more.
  /// Parameters: the keys of the four texts, the time, and the texts.
  ///
  /// Each text is compared by a query of its own, whose key the server does not see when it plans. With one query for
  /// all of them it planned the statement anew for each save, which took longer than the rest of the save.
  /// - Parameter number: The expression that takes the lock and the number.
  static func addTransaction(_ number: String) -> String {
    let areUnchanged = (1...4).map {
      """
      (SELECT "ZNAME" FROM "ATRANSACTIONSTRING" WHERE "Z_PK" = (SELECT $\($0)::bigint)) \
      IS NOT DISTINCT FROM $\($0 + 5)::text
      """
    }
    return newTransaction(
      "\(textCheck) \(areUnchanged.joined(separator: " AND ")) THEN 1 ELSE 0 END * (\(number))",
      texts: (1...4).map { "$\($0)::bigint" })
  }

  /// The same where no text can be removed meanwhile, with the four texts themselves and the time.
  static func addTransactionByTexts(_ number: String) -> String {
    newTransaction(number, texts: (1...4).map(keyOfText))
  }

  private static func newTransaction(_ number: String, texts: [String]) -> String {
    """
    INSERT INTO "ATRANSACTION" ("Z_PK", "Z_ENT", "ZAUTHORTS", "ZBUNDLEIDTS", \
    "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTIMESTAMP") \
    VALUES (\(number), 16002, \(texts.joined(separator: ", ")), $5::double precision) \
    RETURNING "Z_PK"
    """
  }

  private static let changeColumns = """
    "Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"
    """

  /// The number that `addTransaction` took on this connection.
  private static let lastNumber = "currval('\(sequence(16_002))')"

  /// Adds one change to the transaction that was added last. A statement with lists takes the server as long as
  /// three of these.
  /// Parameters: the type, entity, key and columns of the change.
  static let addChange = """
    INSERT INTO "ACHANGE" (\(changeColumns)) VALUES (nextval('\(sequence(16_001))'), 16001, \
    $1::bigint, $2::bigint, $3::bigint, \(lastNumber), $4::bytea)
    """

  /// Adds changes to the transaction that was added last.
  /// Parameters: the number of changed rows, and lists of the changes' types, entities, first and last keys,
  /// numbers of rows that follow, and columns; then a list of each preserved value of deleted rows.
  ///
  /// A range of keys is one row, but takes as many keys of changes as it has rows. The lock makes the two
  /// calls that take them one step.
  static func addChanges(tombstones: Int) -> String {
    func each(_ text: (Int) -> String) -> String { (0..<tombstones).map(text).joined() }
    let columns = each { ", \"\(HistoryTables.Change.tombstone($0))\"" }
    let values = each { ", decode(c.value\($0), 'hex')" }
    let names = each { ", value\($0)" }
    // The server estimates rows by the lengths of lists, and would plan the statement anew for each save,
    // which takes longer than to run it. It does not look into a subquery.
    let types =
      ["bigint", "bigint", "bigint", "bigint", "bigint", "text"]
      + Array(repeating: "text", count: tombstones)
    let lists = types.enumerated().map { "(SELECT $\($0 + 2)::\($1)[])" }
    let keys = sequence(16_001)
    return """
      WITH keys AS MATERIALIZED (SELECT setval('\(keys)', nextval('\(keys)') + $1::bigint - 1) AS last) \
      INSERT INTO "ACHANGE" (\(changeColumns), "ZFIRSTPK"\(columns)) \
      SELECT keys.last - c.following, 16001, c.type, c.entity, c.last, \(lastNumber), \
      decode(c.columns, 'hex'), nullif(c.first, c.last)\(values) FROM keys CROSS JOIN \
      unnest(\(lists.joined(separator: ", "))) \
      AS c (type, entity, first, last, following, columns\(names))
      """
  }

  static let addChangesWithoutValues = addChanges(tombstones: 0)

  static let textCheck = "1 / CASE WHEN"

  private static func keyOfText(_ parameter: Int) -> String {
    "(SELECT \"Z_PK\" FROM \"ATRANSACTIONSTRING\" WHERE \"ZNAME\" = $\(parameter)::text)"
  }

  /// Returns the key of a text.
  static let findText = "SELECT \"Z_PK\" FROM \"ATRANSACTIONSTRING\" WHERE \"ZNAME\" = $1"

  /// Adds a text that is not stored, and returns its key.
  static let addText = """
    INSERT INTO "ATRANSACTIONSTRING" ("Z_PK", "Z_ENT", "ZNAME") \
    VALUES (nextval('\(sequence(16_003))'), 16003, $1) RETURNING "Z_PK"
    """

  /// Adds those of the four texts that are not stored.
  static let addTexts = """
    INSERT INTO "ATRANSACTIONSTRING" ("Z_PK", "Z_ENT", "ZNAME") \
    SELECT nextval('\(sequence(16_003))'), 16003, new.name FROM (SELECT DISTINCT name \
    FROM unnest(ARRAY[$1::text, $2::text, $3::text, $4::text]) AS texts (name) \
    WHERE name IS NOT NULL) AS new \
    WHERE NOT EXISTS (SELECT FROM "ATRANSACTIONSTRING" WHERE "ZNAME" = new.name)
    """

  /// Counts the transactions of some times. Other transactions may have them too.
  static let proof =
    "SELECT count(*) FROM \"ATRANSACTION\" WHERE \"ZTIMESTAMP\" = ANY($1::double precision[])"

  /// Returns 1 if a transaction has inserted a row, which may have been deleted since then, and its history
  /// may have been removed. A crash of the server may lose that a sequence has given a key, and another process
  /// gets it: null if another transaction has inserted a row of this entity with this key.
  /// Parameters: the time of the transaction, and the entity and key of the row, the last one of a range.
  static func proof(ofRowIn table: String) -> String {
    """
    SELECT CASE WHEN EXISTS (SELECT FROM "ATRANSACTION" AS t \
    JOIN "ACHANGE" AS c ON c."ZTRANSACTIONID" = t."Z_PK" WHERE t."ZTIMESTAMP" = $1 \
    AND c."ZCHANGETYPE" = 0 AND c."ZENTITY" = $2 AND c."ZENTITYPK" = $3) THEN 1 \
    WHEN NOT EXISTS (SELECT FROM \(PostgresConnection.quoted(table)) \
    WHERE "Z_PK" = $3 AND "Z_ENT" = $2) THEN 0 \
    WHEN NOT EXISTS (SELECT FROM "ACHANGE" WHERE "ZCHANGETYPE" = 0 AND "ZENTITY" = $2 \
    AND $3 BETWEEN coalesce("ZFIRSTPK", "ZENTITYPK") AND "ZENTITYPK") THEN 1 END
    """
  }

  /// Returns 1 if a transaction has changed a row, and 0 if it has not; null if its history may have been
  /// removed, because that of an earlier transaction was. History is removed from the oldest on, except
  /// by a predicate.
  /// Parameters: the time of the transaction, the entity and key of the row, the last one of a range, and the
  /// number of an earlier transaction.
  static let proofOfChange = """
    SELECT CASE WHEN EXISTS (SELECT FROM "ATRANSACTION" AS t JOIN "ACHANGE" AS c \
    ON c."ZTRANSACTIONID" = t."Z_PK" WHERE t."ZTIMESTAMP" = $1 AND t."Z_PK" > $4 \
    AND c."ZCHANGETYPE" = 1 AND c."ZENTITY" = $2 AND c."ZENTITYPK" = $3) THEN 1 \
    WHEN EXISTS (SELECT FROM "ATRANSACTION" WHERE "Z_PK" = $4) THEN 0 END
    """

  /// With the table's number it makes a lock that other programs hardly use.
  static let lockClass = 0x5377_6966
}
