import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
package import OpenSwiftDataSQLiteEngine
import Synchronization

/// Which names of files the rows of a store have, and which they lose.
extension ExternalFiles {
  private static let function = "swift_lost_external"

  /// Opens the files of a store that is open for writing: follows what its writer does, and removes what
  /// processes left behind that were killed. Inside an enclosing transaction nothing is removed, since
  /// it may change what rows name and be undone.
  package func open(_ pool: ConnectionPool, mapping: SchemaMapping) throws {
    if !state.withLock(\.isEnclosed) { try removeLeftovers(pool) }
    let columns = ExternalFiles.columns(of: mapping)
    if columns.isEmpty { return }
    try pool.write { try follow(columns, $0) }
  }

  private func follow(_ columns: [(table: String, column: String)], _ connection: Connection) throws
  {
    try ExternalFiles.stopFollowing(connection)
    try register(connection)
    for (table, column) in columns {
      for statement in ExternalFiles.triggers(table, column) { try connection.execute(statement) }
    }
  }

  /// Gives a connection the function `swift_lost_external`, which notes the name that a value is, as the
  /// triggers do. A change of tables may call it itself.
  package func register(_ connection: Connection) throws {
    try connection.register(
      function: ExternalFiles.function, argumentCount: 1, deterministic: false
    ) { [weak self] arguments in
      arguments.withBytes(0) {
        if case .name(let name) = TaggedValue($0) {
          self?.noteLost(String(decoding: name, as: UTF8.self))
        }
      }
      return .null
    }
  }

  /// Removes the triggers of a connection, which stand in the way of changes of its tables.
  package static func stopFollowing(_ connection: Connection) throws {
    let triggers = try connection.texts(
      """
      SELECT name FROM temp.sqlite_master
      WHERE type = 'trigger' AND name LIKE '%\\_LOST\\_BY\\_%' ESCAPE '\\'
      """)
    for trigger in triggers { try connection.execute("DROP TRIGGER temp.\(trigger.quotedName)") }
  }

  /// The columns whose values may lie in files.
  private static func columns(of mapping: SchemaMapping) -> [(table: String, column: String)] {
    var known: Set<[String]> = []
    var columns: [(table: String, column: String)] = []
    for entity in mapping.entities {
      for property in entity.properties {
        guard case .attribute(let column) = property.kind,
          entity.descriptor.properties[property.slot].isExternallyStored,
          known.insert([entity.table, column.name]).inserted
        else { continue }
        columns.append((entity.table, column.name))
      }
    }
    return columns
  }

  /// Triggers of the connection: nothing of them is in the file. They see every change of the rows, be it
  /// a save, a deletion by rules or of a whole table.
  private static func triggers(_ table: String, _ column: String) -> [String] {
    let name = "\(table)_\(column)_LOST"
    let old = "OLD.\(column.quotedName)"
    let isName = "typeof(\(old)) = 'blob' AND substr(\(old), 1, 1) = x'02'"
    let body = "BEGIN SELECT \(function)(\(old)); END"
    return [
      """
      CREATE TEMP TRIGGER \("\(name)_BY_UPDATE".quotedName) AFTER UPDATE OF \(column.quotedName) \
      ON main.\(table.quotedName) WHEN \(isName) AND \(old) IS NOT NEW.\(column.quotedName) \(body)
      """,
      """
      CREATE TEMP TRIGGER \("\(name)_BY_DELETION".quotedName) AFTER DELETE \
      ON main.\(table.quotedName) WHEN \(isName) \(body)
      """,
    ]
  }

  private func removeLeftovers(_ pool: ConnectionPool) throws {
    let journals = ExternalJournal.leftBehind(in: folder.support)
    if journals.isEmpty { return }
    let names = Set(journals.flatMap(\.names)).filter { !$0.isEmpty }
    if !names.isEmpty {
      var orphans = names
      try pool.read { connection in
        try StoredName.forEach(in: connection) { orphans.remove($0.name) }
      }
      guard let others = try? folder.namesOfNeighbours() else { return }
      for name in orphans.subtracting(others) { folder.remove(name) }
    }
    for journal in journals { journal.remove() }
  }
}

/// A name of a file as a row has it.
struct StoredName {
  let table: String
  let column: String
  let key: Int64
  let name: String

  /// Calls `body` with each name in a database, whichever models it was made with: the columns that may
  /// have any are read whole.
  static func forEach(in connection: Connection, _ body: (StoredName) throws -> Void) throws {
    for table in try connection.texts(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND sql NOT LIKE 'CREATE VIRTUAL%' AND sql NOT LIKE '%WITHOUT ROWID%'
      """)
    {
      let columns = try connection.texts(
        """
        SELECT name FROM pragma_table_info(\(table.literal))
        WHERE upper(type) IN ('BLOB', 'VARCHAR', '') AND name <> 'Z_PLIST'
        """)
      for column in columns {
        try forEach(table, column, connection) { key, name in
          try body(StoredName(table: table, column: column, key: key, name: name))
        }
      }
    }
  }

  /// Calls `body` with each name in a column, and the key of its row.
  /// - Parameter condition: Which rows are looked at; `nil` for all.
  static func forEach(
    _ table: String, _ column: String, _ connection: Connection, where condition: String? = nil,
    _ body: (Int64, String) throws -> Void
  ) throws {
    let value = column.quotedName
    let rows = try connection.prepare(
      """
      SELECT rowid, \(value) FROM \(table.quotedName)
      WHERE typeof(\(value)) = 'blob' AND length(\(value)) BETWEEN 2 AND \(TaggedValue.longestName + 2)
      AND substr(\(value), 1, 1) = x'02' AND \(condition ?? "1")
      """)
    while try rows.step() {
      let name = rows.withBytes(1) { bytes -> String? in
        guard case .name(let name) = TaggedValue(bytes) else { return nil }
        return String(decoding: name, as: UTF8.self)
      }
      if let name { try body(rows.int64(0), name) }
    }
  }
}

extension String {
  fileprivate var literal: String { "'\(replacing("'", with: "''"))'" }
}
