import OpenSwiftDataPostgresEngine
import SwiftData

// The statements that write a transaction of the history, where several write at once.

extension PostgresNumbers {
  /// Takes the lock and the next number, and writes the transaction and its changes. `CASE` takes them in
  /// this order. The lock is that of the table in this schema of the database.
  /// Parameters: the four texts, the time, the number of changed rows, and lists of the changes' types,
  /// entities, first and last keys, numbers of rows that follow, and columns; then a list of each preserved
  /// value of deleted rows. Returns the number. A text that is not stored is an error, a division by zero.
  ///
  /// A range of keys is one row, but takes as many keys of changes as it has rows. The lock makes the two
  /// calls that take them one step.
  /// - Parameter number: The expression that takes the number.
  static func addition(_ number: String, tombstones: Int = 0) -> String {
    func each(_ text: (Int) -> String) -> String { (0..<tombstones).map(text).joined() }
    let columns = each { ", \"\(HistoryTables.Change.tombstone($0))\"" }
    let values = each { ", decode(c.value\($0), 'hex')" }
    let names = each { ", value\($0)" }
    // The server estimates rows by the lengths of lists, and would plan the statement anew for each save,
    // which takes longer than to run it. It does not look into a subquery.
    let types =
      ["bigint", "bigint", "bigint", "bigint", "bigint", "text"]
      + Array(repeating: "text", count: tombstones)
    let lists = types.enumerated().map { "(SELECT $\($0 + 7)::\($1)[])" }
    let keys = sequence(16_001)
    return """
      \(newTransaction(number)) RETURNING "Z_PK"), \
      keys AS MATERIALIZED (SELECT number, \
      setval('\(keys)', nextval('\(keys)') + $6::bigint - 1) AS last FROM next), \
      changes AS (INSERT INTO "ACHANGE" ("Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZFIRSTPK", \
      "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"\(columns)) \
      SELECT keys.last - c.following, 16001, c.type, c.entity, nullif(c.first, c.last), c.last, \
      keys.number, decode(c.columns, 'hex')\(values) FROM keys CROSS JOIN \
      unnest(\(lists.joined(separator: ", "))) \
      AS c (type, entity, first, last, following, columns\(names))) \
      SELECT "Z_PK" FROM added
      """
  }

  /// The addition for a single change. Without lists the server needs a quarter less time.
  /// Parameters: the four texts, the time, and the type, entity, key and columns of the change.
  /// Returns the number.
  static func additionOfOne(_ number: String) -> String {
    """
    \(newTransaction(number)) RETURNING "Z_PK") \
    INSERT INTO "ACHANGE" ("Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", \
    "ZTRANSACTIONID", "ZCOLUMNS") \
    SELECT nextval('\(sequence(16_001))'), 16001, $6::bigint, $7::bigint, $8::bigint, "Z_PK", \
    $9::bytea FROM added RETURNING "ZTRANSACTIONID"
    """
  }

  /// The beginning of each addition, up to the row of the transaction.
  private static func newTransaction(_ number: String) -> String {
    let keys = (1...4).map { "\(keyOfText($0)) AS text\($0)" }.joined(separator: ", ")
    return """
      WITH texts AS MATERIALIZED (SELECT \(keys)), \
      next AS MATERIALIZED (SELECT \(checked(number)) AS number, texts.* FROM texts), \
      added AS (INSERT INTO "ATRANSACTION" ("Z_PK", "Z_ENT", "ZAUTHORTS", "ZBUNDLEIDTS", \
      "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTIMESTAMP") \
      SELECT number, 16002, text1, text2, text3, text4, $5::double precision FROM next
      """
  }

  /// The number, or an error if a text is not stored.
  private static func checked(_ number: String) -> String {
    let isStored = (1...4).map { "($\($0)::text IS NULL OR text\($0) IS NOT NULL)" }
      .joined(separator: " AND ")
    return "\(textCheck) \(isStored) THEN 1 ELSE 0 END * (\(number))"
  }

  static let textCheck = "1 / CASE WHEN"

  private static func keyOfText(_ parameter: Int) -> String {
    "(SELECT \"Z_PK\" FROM \"ATRANSACTIONSTRING\" WHERE \"ZNAME\" = $\(parameter)::text)"
  }

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
  /// may have been removed. Keys are never used again.
  /// Parameters: the time of the transaction, and the entity and key of the row, the last one of a range.
  static func proof(ofRowIn table: String) -> String {
    """
    SELECT count(*) FROM (SELECT) AS one WHERE EXISTS (SELECT FROM "ATRANSACTION" AS t \
    JOIN "ACHANGE" AS c ON c."ZTRANSACTIONID" = t."Z_PK" WHERE t."ZTIMESTAMP" = $1 \
    AND c."ZCHANGETYPE" = 0 AND c."ZENTITY" = $2 AND c."ZENTITYPK" = $3) \
    OR EXISTS (SELECT FROM \(PostgresConnection.quoted(table)) WHERE "Z_PK" = $3)
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
