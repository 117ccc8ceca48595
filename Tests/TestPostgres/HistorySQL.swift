/// The history of a store in a database, for plain SQL.
package enum HistorySQL {
  /// The changes as a source of rows: one for each changed row, also of a range of keys.
  package static let changes = """
    (SELECT "Z_PK" - ("ZENTITYPK" - k) AS "Z_PK", "ZENTITY", k AS "ZENTITYPK", "ZCHANGETYPE", \
    "ZTRANSACTIONID", "ZCOLUMNS" FROM "ACHANGE" CROSS JOIN LATERAL \
    generate_series(coalesce("ZFIRSTPK", "ZENTITYPK"), "ZENTITYPK") AS k) AS changes
    """
}
