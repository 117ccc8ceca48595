import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
package import OpenSwiftDataSQLiteEngine
import Synchronization

/// The file names that the rows of a store contain, and those that they lose.
extension ExternalFiles {
  private static let function = "swift_lost_external"

  /// Opens the files of a writable store: installs triggers on its writer, and removes files that
  /// killed processes left. Inside an enclosing transaction it removes nothing, because that
  /// transaction may change rows and be rolled back.
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

  /// Registers the function `swift_lost_external` on a connection: it records a value's file name
  /// as dropped. The triggers call it, and a change of tables may call it.
  package func register(_ connection: Connection) throws {
    try connection.register(
      function: ExternalFiles.function, argumentCount: 1, deterministic: false
    ) { [weak self] arguments in
      arguments.withBytes(0) {
        if case .name(let name) = TaggedValue($0) {
          self?.recordDropped(String(decoding: name, as: UTF8.self))
        }
      }
      return .null
    }
  }

  /// Removes the triggers of a connection, because they prevent changes of its tables.
  package static func stopFollowing(_ connection: Connection) throws {
    let triggers = try connection.texts(
      """
      SELECT name FROM temp.sqlite_master
      WHERE type = 'trigger' AND name LIKE '%\\_LOST\\_BY\\_%' ESCAPE '\\'
      """)
    for trigger in triggers { try connection.execute("DROP TRIGGER temp.\(trigger.quotedName)") }
  }

  /// The columns whose values may be stored in files.
  static func columns(of mapping: SchemaMapping) -> [(table: String, column: String)] {
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

  /// Temporary triggers of the connection, which are not stored in the file. They see every change
  /// of the rows: saves, delete rules, and the deletion of a whole table.
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
    try folder.removeLeftovers { orphans in
      try pool.read { connection in
        try StoredName.forEach(in: connection) { orphans.remove($0.name) }
      }
    }
  }
}

extension ExternalFolder {
  /// Removes files that killed processes left, and that no row of a store with this folder names.
  /// - Parameter keep: Removes the names in the rows of this store from the set.
  package func removeLeftovers(
    _ keep: (inout Set<String>) throws -> Void
  ) rethrows {
    let journals = ExternalJournal.abandoned(in: support)
    if journals.isEmpty { return }
    var orphans = Set(journals.flatMap(\.names)).filter { !$0.isEmpty }
    if !orphans.isEmpty {
      try keep(&orphans)
      guard let others = try? namesInStoresSharingFolder() else { return }
      for name in orphans.subtracting(others) { remove(name) }
    }
    for journal in journals { journal.remove() }
  }
}

/// A file name in a row.
struct StoredName {
  let table: String
  let column: String
  let key: Int64
  let name: String

  /// Calls `body` for each file name in a database, whatever its models. Reads all columns that may
  /// contain names, except the history: earlier versions kept the names of deleted rows there.
  static func forEach(in connection: Connection, _ body: (StoredName) throws -> Void) throws {
    for table in try connection.texts(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND sql NOT LIKE 'CREATE VIRTUAL%' AND sql NOT LIKE '%WITHOUT ROWID%'
      AND name <> \(HistoryTables.Entity.change.table.quotedText)
      """)
    {
      let columns = try connection.texts(
        """
        SELECT name FROM pragma_table_info(\(table.quotedText))
        WHERE upper(type) IN ('BLOB', 'VARCHAR', '') AND name <> 'Z_PLIST'
        """)
      for column in columns {
        try forEach(table, column, connection) { key, name in
          try body(StoredName(table: table, column: column, key: key, name: name))
        }
      }
    }
  }

  /// Calls `body` for each file name in a column, with the key of its row.
  /// - Parameter condition: The rows to examine; `nil` for all.
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
