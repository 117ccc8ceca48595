import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// Writes a store file for a copy.
///
/// The rows are written into a file with another name, which is renamed when the copy is complete.
/// Large values go into files whose names follow from their rows, so a repeated run writes the same.
///
/// A lock keeps two copies into one file apart.
///
/// As in a save, the names are in a journal until their rows are committed. The next run removes the files of an
/// interrupted one that no row names, and so does a store in the same folder when it is opened.
final class FileCopyTarget: CopyTarget {
  private let url: URL
  private let temporaryURL: URL
  private let folder: ExternalFolder
  private var lock: CopyLock?
  private var opened: Connection?
  /// The file that the connection has opened.
  private var identity: FileIdentity?
  /// The names of the files that are written for the running group; `nil` before the first one.
  private var journal: ExternalJournal?
  /// The tables of the file, by the name of the source's table: databases shorten names.
  private var tables: [String: CopiedTable] = [:]
  private var renumbering: EntityRenumbering?
  private var identifier = ""
  /// Whether large values of external attributes go into files. If the source does not list these
  /// attributes, a value that begins like theirs may be another one, so all stay in their rows.
  private var usesFiles = false
  /// Whether decimals are written as Apple's frameworks write them, and not as this library does.
  private var usesRealDecimals = false

  /// The application number in the header of a file that is being copied: "copy" in ASCII. A store has
  /// none.
  private static let application: Int64 = 0x636F_7079

  init(_ target: URL) {
    // A symbolic link to a missing file has the name that the copy would get.
    url = URL(fileURLWithPath: DatabaseFile.resolvedPath(target.path))
    temporaryURL = URL(fileURLWithPath: url.path + ExternalFolder.copySuffix)
    folder = ExternalFolder(of: target)
  }

  deinit {
    // Closing the connection removes the log, so the lock must last longer.
    opened = nil
  }

  private func connection() throws -> Connection {
    if let opened { return opened }
    let connection = try Connection(path: temporaryURL.path)
    opened = connection
    identity = FileIdentity(of: temporaryURL)
    return connection
  }

  /// - Throws: `SwiftDataError.storeWriteFailure` if another program has replaced or removed the file.
  private func requireOwnFile() throws {
    guard identity?.hasChanged() != false else { return }
    throw SwiftDataError.storeWriteFailure.with(
      "Another program has replaced or removed the file \(temporaryURL.path) during the copy. Run the "
        + "copy again when no other one is running.", doing: "copying a store")
  }

  // MARK: Checks

  func refusal(of store: CopiedStore) throws -> String? {
    for suffix in ["", "-wal", "-journal"] where exists(url.path + suffix) {
      return
        "There is already a file at \(url.path)\(suffix). Choose another path, or move it away."
    }
    if exists(temporaryURL.path) { return isUnfinished(store) ? nil : otherFile }
    if !folder.files().isEmpty {
      return
        "The folder \(folder.support.path) has large values of another store. Choose a file name that "
        + "differs in more than the extension."
    }
    let parent = url.deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: parent, isDirectory: &isFolder), isFolder.boolValue
    else {
      return "There is no folder \(parent). Create it, or choose another path."
    }
    guard FileManager.default.isWritableFile(atPath: parent) else {
      return "The folder \(parent) can't be written. Change its rights, or choose another path."
    }
    return nil
  }

  private var otherFile: String {
    "The file \(temporaryURL.path) is not an unfinished copy. Move it away, or choose another path."
  }

  /// Whether an interrupted run has made the temporary file, or nothing is in it.
  private func isUnfinished(_ store: CopiedStore) -> Bool {
    guard let file = try? DatabaseFile(at: temporaryURL.path) else { return false }
    if file.size == 0, file.log?.hasContent != true { return true }
    guard let connection = try? file.look() else { return false }
    let isOwn = "SELECT count(*) = 0 OR sum(name = 'Z_COPY') > 0 FROM sqlite_schema"
    if (try? connection.integer(isOwn)) == 1 { return true }
    // The run was interrupted when only the new name was missing. The identifier may be a new one.
    if (try? connection.integer("PRAGMA application_id")) == FileCopyTarget.application {
      return true
    }
    // Earlier releases did not set the application number.
    return (try? connection.text("SELECT Z_UUID FROM Z_METADATA")) == store.identifier
  }

  func refusal(of value: CopiedValue, in column: CopiedColumn) -> String? { nil }

  func indexRefusal(
    of row: [CopiedValue], in table: CopiedTable, _ store: CopiedStore
  ) -> String? { nil }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  // MARK: Rows

  func begin(
    _ store: CopiedStore, fingerprint: String, startsAnew: Bool
  ) throws -> [String: CopiedPart] {
    lock = try CopyLock(for: url)
    // Another copy may have ended before the lock was taken.
    if let refusal = try refusal(of: store) {
      throw SwiftDataError.loadIssueModelContainer.with(refusal, doing: "copying a store")
    }
    tables = store.fileTables
    renumbering = store.renumbering.isEmpty ? nil : store.renumbering
    identifier = store.identifier
    usesFiles = store.listsExternalAttributes
    usesRealDecimals = !store.listsExternalAttributes
    if exists(temporaryURL.path) {
      // The unfinished file counts as another store with this folder.
      folder.removeLeftovers { _ in }
      if !startsAnew, let parts = try found(fingerprint) { return parts }
      try removeUnfinished()
    }
    try create(store, fingerprint)
    return [:]
  }

  /// What an interrupted run has copied of the same source; `nil` if the source has changed since.
  private func found(_ fingerprint: String) throws -> [String: CopiedPart]? {
    guard let connection = try? connection(),
      (try? connection.text("SELECT Z_SOURCE FROM Z_COPY WHERE Z_TABLE = ''")) == fingerprint
    else { return nil }
    var parts: [String: CopiedPart] = [:]
    let statement = try connection.prepare(
      "SELECT Z_TABLE, Z_ROWS, Z_FIRST, Z_SECOND FROM Z_COPY WHERE Z_TABLE <> ''")
    while try statement.step() {
      parts[statement.string(0)] = CopiedPart(
        rows: Int(statement.int64(1)),
        last: CopiedKey(first: statement.int64(2), second: statement.int64(3)))
    }
    return parts
  }

  private func removeUnfinished() throws {
    // The folder may also have files of a store whose name differs in the extension.
    for name in try writtenFiles(connection()) { folder.remove(name) }
    opened = nil
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: temporaryURL.path + suffix)
    }
  }

  /// The names of the files that an interrupted run has written for its rows.
  private func writtenFiles(_ connection: Connection) throws -> [String] {
    let noted = try? connection.text("SELECT Z_SOURCE FROM Z_COPY WHERE Z_TABLE = ''")
    let source = noted.flatMap { $0.split(separator: " ").first.map(String.init) } ?? identifier
    let columns = try connection.prepare(
      """
      SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c \
      WHERE t.type = 'table' AND c.name NOT IN ('Z_PK', 'Z_ENT', 'Z_OPT') AND EXISTS \
      (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'Z_OPT')
      """)
    var found: [(table: String, column: String)] = []
    while try columns.step() { found.append((columns.string(0), columns.string(1))) }
    var names: [String] = []
    for (table, column) in found {
      let rows = try connection.prepare(
        "SELECT Z_PK, \(column.quotedName) FROM \(table.quotedName) "
          + "WHERE typeof(\(column.quotedName)) = 'blob'")
      while try rows.step() {
        let name = rows.data(1).withUnsafeBytes { bytes -> String? in
          guard case .name(let name) = TaggedValue(bytes) else { return nil }
          return String(decoding: name, as: UTF8.self)
        }
        let own = FileCopyTarget.fileName(source, table, column, rows.int64(0))
        if name == own { names.append(own) }
      }
    }
    return names
  }

  private func create(_ store: CopiedStore, _ fingerprint: String) throws {
    let connection = try connection()
    try connection.transaction {
      let known = StoreMetadata(store.metadata)
      try StoreCreation(
        model: store.model, numbers: store.fileLayout.numbers,
        definitions: store.fileLayout.creationStatements.filter { $0 is CreateTable },
        externalAttributes: known?.externalAttributes ?? [],
        integerTypes: known?.integerTypes ?? [:], optionalParts: known?.optionalParts ?? [],
        ownEntities: Set(store.model.entities.map(\.name))
      ).create(connection)
      let columns = HistoryTables(for: store.model).tombstoneCount
      for index in columns..<max(columns, store.history?.tombstoneCount ?? 0) {
        try connection.execute(
          "ALTER TABLE \(HistoryTables.Entity.change.table) "
            + "ADD COLUMN \(HistoryTables.Change.tombstone(index)) BLOB")
      }
      try connection.execute(
        """
        CREATE TABLE Z_COPY (Z_TABLE VARCHAR PRIMARY KEY, Z_ROWS INTEGER, Z_FIRST INTEGER, \
        Z_SECOND INTEGER, Z_SOURCE VARCHAR)
        """)
      let insert = try connection.prepare(
        "INSERT INTO Z_COPY (Z_TABLE, Z_ROWS, Z_SOURCE) VALUES ('', 0, ?1)")
      try insert.bind(fingerprint, at: 1)
      try insert.run()
      try connection.execute("PRAGMA application_id = \(FileCopyTarget.application)")
    }
  }

  func append(_ rows: [[CopiedValue]], to source: CopiedTable, _ part: CopiedPart) throws {
    try requireOwnFile()
    let table = tables[source.name] ?? source
    let names = rows.flatMap { row in
      row.indices.compactMap { fileName(of: row[$0], at: $0, row, table) }
    }
    do {
      try append(rows, to: table, of: source, part, files: names)
      journal?.empty()
    } catch {
      // The next run finds out which of the files rows name.
      journal?.abandon()
      journal = nil
      throw error
    }
  }

  private func append(
    _ rows: [[CopiedValue]], to table: CopiedTable, of source: CopiedTable, _ part: CopiedPart,
    files names: [String]
  ) throws {
    let connection = try connection()
    try connection.transaction {
      try note(names)
      let insert = try connection.prepare(table.insertion(placeholder: "?"))
      for row in rows {
        let row = renumbering?.renumbered(row, of: table) ?? row
        for (index, value) in row.enumerated() {
          try bind(value, to: insert, Int32(index + 1), row, table)
        }
        try insert.run()
      }
      if !names.isEmpty { try folder.synchronize() }
      let note = try connection.prepare(
        "REPLACE INTO Z_COPY (Z_TABLE, Z_ROWS, Z_FIRST, Z_SECOND) VALUES (?1, ?2, ?3, ?4)")
      try note.bind(source.name, at: 1)
      try note.bind(Int64(part.rows), at: 2)
      try note.bind(part.last?.first ?? 0, at: 3)
      try note.bind(part.last?.second ?? 0, at: 4)
      try note.run()
    }
  }

  /// Adds names to the journal before their files are written.
  private func note(_ names: [String]) throws {
    if names.isEmpty { return }
    try folder.make()
    let journal = try journal ?? ExternalJournal.make(in: folder.support)
    self.journal = journal
    try journal.add(names)
  }

  private func bind(
    _ value: CopiedValue, to statement: Statement, _ index: Int32, _ row: [CopiedValue],
    _ table: CopiedTable
  ) throws {
    let name = fileName(of: value, at: Int(index) - 1, row, table)
    switch value {
    case .null: try statement.bindNull(at: index)
    case .boolean(let value): try statement.bind(value ? 1 : 0 as Int64, at: index)
    case .integer(let value): try statement.bind(value, at: index)
    case .real(let value): try statement.bind(value, at: index)
    case .text(let value):
      if usesFiles, table.columns[Int(index) - 1].isExternal {
        let tagged = Data([TaggedValue.valueTag]) + Data(value.utf8)
        try statement.bind(storing(tagged, in: name), at: index)
      } else {
        try statement.bind(value, at: index)
      }
    case .bytes(let value):
      try statement.bind(storing(value, in: name), at: index)
    case .decimal(let value):
      if usesRealDecimals, let number = Double(value.description),
        Decimal(storedValue: .real(number)) == value
      {
        return try statement.bind(number, at: index)
      }
      switch value.storedValue {
      case .integer(let value): try statement.bind(value, at: index)
      case .real(let value): try statement.bind(value, at: index)
      case .text(let value): try statement.bind(value, at: index)
      case .blob(let value): try statement.bind(value, at: index)
      case .null: try statement.bindNull(at: index)
      }
    }
  }

  /// The bytes for a row: the value, or the name of a file to which it is written.
  private func storing(_ value: Data, in name: String?) throws -> Data {
    guard let name else { return value }
    // An interrupted run may have left the file.
    folder.remove(name)
    try folder.write(value.dropFirst(), named: name)
    return Data([TaggedValue.nameTag]) + Data(name.utf8) + Data([0])
  }

  /// The name of the file for a value; `nil` if the value stays in its row.
  private func fileName(
    of value: CopiedValue, at index: Int, _ row: [CopiedValue], _ table: CopiedTable
  ) -> String? {
    let column = table.columns[index]
    guard usesFiles, column.isExternal else { return nil }
    let size: Int
    switch value {
    case .text(let text): size = text.utf8.count
    case .bytes(let bytes) where bytes.first == TaggedValue.valueTag: size = bytes.count - 1
    default: return nil
    }
    if size <= ExternalFiles.threshold { return nil }
    return FileCopyTarget.fileName(
      identifier, table.name, column.name, row.first?.integer ?? 0)
  }

  /// The name of the file for a value of a row.
  private static func fileName(
    _ identifier: String, _ table: String, _ column: String, _ key: Int64
  ) -> String {
    let hash = SHA256.hash(of: Data("\(identifier) \(table) \(column) \(key)".utf8))
    return hash.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
  }

  func makeIndexes(_ store: CopiedStore) throws {
    let connection = try connection()
    try connection.transaction {
      for case var index as CreateIndex in store.fileLayout.creationStatements {
        index.ifNotExists = true
        try connection.execute(index.rendered(in: .sqlite).sql)
      }
    }
  }

  func rows(of source: CopiedTable, _ body: ([CopiedValue]) throws -> Void) throws {
    let table = tables[source.name] ?? source
    try FileRows(connection(), folder: folder, guesses: true).read(table, after: nil) { row in
      try body(renumbering?.original(row, of: table) ?? row)
    }
  }

  // MARK: End

  func finish(_ store: CopiedStore, identifier: String) throws {
    try requireOwnFile()
    try complete(store, identifier: identifier)
    journal = nil
    // The last connection to close writes the log back and removes it.
    opened = nil
    guard !exists(temporaryURL.path + "-wal") else {
      throw SwiftDataError.storeWriteFailure.with(
        "Another program has the file \(temporaryURL.path) open. Close it there, and run the copy again.",
        doing: "copying a store")
    }
    try requireOwnFile()
    try FileManager.default.moveItem(at: temporaryURL, to: url)
    // The application number must remain until now. Left by a crash here, it has no effect on the store.
    try? Connection(path: url.path).execute("PRAGMA application_id = 0")
    lock = nil
  }

  private func complete(_ store: CopiedStore, identifier: String) throws {
    let connection = try connection()
    try connection.transaction {
      try writeLastKeys(store, connection)
      let update = try connection.prepare("UPDATE Z_METADATA SET Z_UUID = ?1, Z_PLIST = ?2")
      try update.bind(identifier, at: 1)
      try update.bind(try metadata(of: store), at: 2)
      try update.run()
    }
    let result = try connection.text("PRAGMA integrity_check(1)") ?? "no answer"
    guard result == "ok" else {
      throw SQLiteError(.corrupt, message: "the new file is damaged: \(result)")
    }
    try connection.execute("DROP TABLE Z_COPY")
  }

  /// The dictionary of the source if it describes the model as a file's does.
  private func metadata(of store: CopiedStore) throws -> Data {
    let known = StoreMetadata(store.metadata)
    if known?.versionHashes == VersionHashes(store.model).byEntity, known?.frameworkVersion != nil {
      return store.metadata
    }
    return try StoreMetadata.data(
      store.model, replacing: store.metadata, externalAttributes: known?.externalAttributes ?? [],
      integerTypes: known?.integerTypes ?? [:], optionalParts: known?.optionalParts ?? [],
      recordsForm: { known?.compositeForms?[$0] != nil },
      recordsList: { known?.listTypes?[$0] != nil })
  }

  private func writeLastKeys(_ store: CopiedStore, _ connection: Connection) throws {
    let update = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")
    for entity in store.entities {
      try update.bind(entity.lastKey, at: 1)
      try update.bind(store.renumbering.number(of: Int64(entity.number)), at: 2)
      try update.run()
    }
  }
}
