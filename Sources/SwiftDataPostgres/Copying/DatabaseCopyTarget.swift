import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat
import SwiftData

/// Writes a store into a PostgreSQL database for a copy.
///
/// The table `Z_COPY` says how far the copy is. While it exists, the schema can't be opened as a store.
/// A run that starts later takes the copy over: its number is in `Z_COPY`, and each group of the earlier
/// run is refused from then on. So no row is written twice.
final class DatabaseCopyTarget: CopyTarget {
  private let connection: PostgresConnection
  private let location: String
  private let openProbe: () throws -> PostgresConnection
  private var probe: IndexProbe?
  private let run = UUID().uuidString

  /// From this many rows on, COPY is faster in spite of its round trips.
  private static let copiedRows = 128

  init(_ parameters: ConnectionParameters) throws {
    connection = try StoreCopy.Location.connect(parameters)
    location = parameters.description
    openProbe = { try StoreCopy.Location.connect(parameters) }
  }

  deinit { connection.close() }

  // MARK: Checks

  func refusal(of store: CopiedStore) throws -> String? {
    let place = try connection.prepare(
      """
      SELECT current_schema()::text, has_schema_privilege(current_schema(), 'CREATE'), \
      pg_is_in_recovery()
      """
    ).values().first
    guard case .text(let schema)? = place?.first else {
      return
        "The schema in the address of \(location) does not exist. Create it (CREATE SCHEMA …), or "
        + "correct options=-csearch_path=… in the address."
    }
    if !store.isDatabase, let long = store.longName {
      return
        "The name \(long) is too long for a table or column of PostgreSQL, so the store can't be copied. "
        + "Give the model or property a shorter name and migrate the file, or start with an empty database."
    }
    if place?.last == .boolean(true) {
      return
        "\(location) is a standby, which only reads. Copy into the primary server: "
        + "target_session_attrs=read-write."
    }
    let names = Set(try DatabaseRows.columns(connection).keys)
    if names.contains(PostgresCreation.copyTable) { return nil }
    if names.contains("Z_METADATA") {
      return
        "There is already a store in the schema \(schema) of \(location). Use another schema, with "
        + "options=-csearch_path=… in the address."
    }
    let taken = store.tables.map(\.name).filter(names.contains)
    guard let first = taken.first else {
      if place?[1] == .boolean(true) { return nil }
      return
        "The user may not create tables in the schema \(schema) of \(location). Copy as the owner of the "
        + "schema, or GRANT CREATE ON SCHEMA \(schema.quotedName) to the user."
    }
    return
      "The schema \(schema) of \(location) has a table \(first) already. Use another schema, with "
      + "options=-csearch_path=… in the address."
  }

  func refusal(of value: CopiedValue, in column: CopiedColumn) -> String? {
    // Values of deleted rows are stored as bytes.
    guard !column.isPreserved, case .text(let text) = value, text.utf8.contains(0) else {
      return nil
    }
    return "a text with the character U+0000, which PostgreSQL cannot store,"
  }

  func indexRefusal(
    of row: [CopiedValue], in table: CopiedTable, _ store: CopiedStore
  ) throws -> String? {
    let columns = IndexProbe.suspects(row, in: table, of: store)
    // Names that are too long are refused already.
    if columns.isEmpty || (!store.isDatabase && store.longName != nil) { return nil }
    let probe = try self.probe ?? IndexProbe(store, openProbe())
    self.probe = probe
    do {
      guard let limit = try probe.refusal(of: row, in: table) else { return nil }
      return
        "a value in \(columns.joined(separator: ", ")) that is too long for an index. \(limit) Shorten the "
        + "value, or migrate the source to models without #Index or .unique for the property."
    } catch let error as PostgresError where error.state == .insufficientPrivilege {
      // Without the right to make temporary tables, only the creation of the indexes tells.
      return nil
    }
  }

  // MARK: Rows

  func begin(
    _ store: CopiedStore, fingerprint: String, startsAnew: Bool
  ) throws -> [String: CopiedPart] {
    try connection.transaction {
      try connection.execute(StoreLock(.postgreSQL).statement(for: .opening))
      if try PostgresCreation.isBeingCopied(connection) {
        if !startsAnew, let parts = try found(fingerprint) { return parts }
        try removeUnfinished()
      } else if let refusal = try refusal(of: store) {
        throw SwiftDataError.loadIssueModelContainer.with(refusal, doing: "copying a store")
      }
      try create(store, fingerprint)
      return [:]
    }
  }

  /// What an interrupted run has copied of the same source; `nil` if the source has changed since.
  private func found(_ fingerprint: String) throws -> [String: CopiedPart]? {
    let take = try connection.prepare(
      "UPDATE \"Z_COPY\" SET \"Z_RUN\" = $1 WHERE \"Z_TABLE\" = '' AND \"Z_SOURCE\" = $2")
    try take.bind(.text(run), .text(fingerprint))
    guard try take.run() == 1 else { return nil }
    let statement = try connection.prepare(
      """
      SELECT "Z_TABLE", "Z_ROWS", "Z_FIRST", "Z_SECOND" FROM "Z_COPY" \
      WHERE "Z_TABLE" <> '' AND "Z_FIRST" IS NOT NULL
      """)
    return try statement.rows { rows in
      var parts: [String: CopiedPart] = [:]
      while try rows.next() {
        parts[try rows.text(0) ?? ""] = CopiedPart(
          rows: Int(try rows.integer(1) ?? 0),
          last: CopiedKey(first: try rows.integer(2) ?? 0, second: try rows.integer(3) ?? 0))
      }
      return parts
    }
  }

  /// Drops what an interrupted run has created, and nothing else.
  private func removeUnfinished() throws {
    let names = try connection.prepare("SELECT \"Z_TABLE\" FROM \"Z_COPY\"").values().map { $0[0] }
    for case .text(let name) in names where !name.isEmpty {
      try connection.execute("DROP TABLE IF EXISTS \(name.quotedName)")
    }
    try connection.execute("DROP TABLE \"Z_COPY\"")
  }

  private func create(_ store: CopiedStore, _ fingerprint: String) throws {
    try connection.execute(
      """
      CREATE TABLE "Z_COPY" ("Z_TABLE" TEXT PRIMARY KEY, "Z_ROWS" BIGINT, "Z_FIRST" BIGINT, \
      "Z_SECOND" BIGINT, "Z_SOURCE" TEXT, "Z_RUN" TEXT, "Z_INDEXED" BOOLEAN)
      """)
    let creation = PostgresCreation(
      model: store.model, numbers: store.databaseLayout.numbers,
      definitions: store.databaseLayout.creationStatements(for: .postgreSQL).filter {
        $0 is CreateTable
      },
      history: store.history ?? HistoryTables(for: store.model))
    try creation.create(connection)
    try creation.describe(connection, identifier: nil, metadata: store.metadata)
    let note = try connection.prepare(
      "INSERT INTO \"Z_COPY\" (\"Z_TABLE\", \"Z_ROWS\", \"Z_SOURCE\", \"Z_RUN\") VALUES ($1, 0, $2, $3)"
    )
    let tables = Set(
      store.databaseLayout.tables.map(\.name) + store.databaseLayout.joinTables.map(\.name)
        + PostgresCreation.ownTables)
    for name in [""] + tables.sorted() {
      try note.bind(.text(name), .text(fingerprint), .text(run))
      try note.run()
    }
  }

  func append(_ rows: [[CopiedValue]], to table: CopiedTable, _ part: CopiedPart) throws {
    try connection.transaction {
      try requireOwnRun()
      let insert = try connection.prepare(table.insertion(placeholder: "$"))
      if rows.count >= DatabaseCopyTarget.copiedRows, insert.canCopy {
        try insert.copy(table.copyCommand, last: []) { send in
          for row in rows {
            try DatabaseCopyTarget.bind(row, of: table, to: &insert.parameters)
            try send()
          }
        }
      } else {
        try insert.runBatch(rows.count) { index, parameters in
          try DatabaseCopyTarget.bind(rows[index], of: table, to: &parameters)
        }
      }
      let note = try connection.prepare(
        """
        UPDATE "Z_COPY" SET "Z_ROWS" = $2, "Z_FIRST" = $3, "Z_SECOND" = $4 WHERE "Z_TABLE" = $1
        """)
      try note.bind(
        .text(table.name), .integer(Int64(part.rows)), .integer(part.last?.first ?? 0),
        .integer(part.last?.second ?? 0))
      try note.run()
    }
  }

  static func bind(
    _ row: [CopiedValue], of table: CopiedTable, to parameters: inout ParameterBuffer
  ) throws {
    for (index, column) in table.columns.enumerated() {
      try parameters.bind(
        column.isPreserved ? PostgresValue(preserved: row[index]) : PostgresValue(row[index]),
        at: index + 1)
    }
  }

  /// Locks the row until the end of the transaction, so that a later run waits for it.
  private func requireOwnRun() throws {
    guard try PostgresCreation.isBeingCopied(connection) else { throw takenOver }
    let statement = try connection.prepare(
      "UPDATE \"Z_COPY\" SET \"Z_RUN\" = $1 WHERE \"Z_TABLE\" = '' AND \"Z_RUN\" = $1")
    try statement.bind(.text(run))
    guard try statement.run() == 1 else { throw takenOver }
  }

  private var takenOver: SwiftDataError {
    .storeWriteFailure.with(
      "Another copy into \(location) was started and has taken this one over. Wait for its end.",
      doing: "copying a store")
  }

  func makeIndexes(_ store: CopiedStore) throws {
    try connection.transaction {
      try requireOwnRun()
      let done = try connection.prepare(
        "SELECT count(*) FROM \"Z_COPY\" WHERE \"Z_TABLE\" = '' AND \"Z_INDEXED\"")
      if try done.integer() == 1 { return }
      for case let index as CreateIndex in store.databaseLayout.creationStatements(for: .postgreSQL)
      {
        do {
          try connection.execute(index.rendered(in: .postgreSQL).sql)
        } catch let error as PostgresError {
          guard let limit = error.exceededIndexLimit else { throw error }
          throw SwiftDataError.loadIssueModelContainer.with(
            "A value in \(index.table) is too long for the index \(index.name). \(limit) Shorten the value, or "
              + "migrate the source to models without #Index or .unique for the property, and start anew.",
            doing: "copying a store", underlying: error)
        }
      }
      try connection.execute("UPDATE \"Z_COPY\" SET \"Z_INDEXED\" = TRUE WHERE \"Z_TABLE\" = ''")
    }
  }

  func rows(of table: CopiedTable, _ body: ([CopiedValue]) throws -> Void) throws {
    try DatabaseRows.read(connection, table, after: nil, body)
  }

  func finish(_ store: CopiedStore, identifier: String) throws {
    try connection.transaction {
      try requireOwnRun()
      try DatabaseKeys.write(store.entities, connection)
      let update = try connection.prepare("UPDATE \"Z_METADATA\" SET \"Z_UUID\" = $1")
      try update.bind(.text(identifier))
      try update.run()
      let deleted = try connection.prepare(
        "UPDATE \"Z_DELETEDHISTORY\" SET \"Z_START\" = $1, \"Z_LAST\" = $2")
      try deleted.bind(
        .integer(store.deletedHistory.start), .integer(store.deletedHistory.last))
      try deleted.run()
      try connection.execute("DROP TABLE \"Z_COPY\"")
    }
    // New tables have no statistics, so the first queries would be planned badly. The copy is complete
    // without them, and the server's own maintenance makes them later.
    for table in store.tables { try? connection.execute("ANALYZE \(table.name.quotedName)") }
  }
}

extension PostgresValue {
  fileprivate init(preserved value: CopiedValue) {
    self = PreservedBytes.bytes(of: value.preserved).map(PostgresValue.bytes) ?? .null
  }

  fileprivate init(_ value: CopiedValue) {
    switch value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .double(value)
    case .decimal(let value): self = .numeric(value)
    case .text(let value): self = .text(value)
    case .bytes(let value): self = .bytes(value)
    }
  }
}
