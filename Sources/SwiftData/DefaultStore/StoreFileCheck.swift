import Foundation
package import OpenSwiftDataSQLiteEngine

/// Checks the files of a store before it is opened, so that a file that can't be used is refused
/// with a reason and stays unchanged. Called by `StoreFile`.
///
/// 1. The headers and lengths of the file, its log and its journal are checked
///    (`DatabaseFileProblem`).
/// 2. The schema is read through a connection that leaves the files unchanged.
/// 3. The log must belong to the file: both must contain the same store identifier, and the history of the file
///    must go on in the log (`LogLineage`).
/// 4. If opening the file for writing would change it, models that do not match are refused before
///    (`StoreFile.judge`).
package struct StoreFileCheck {
  private let file: DatabaseFile
  private let url: URL

  /// A file that passed the check.
  struct Finding {
    let stored: StoredSchema
    /// Whether opening the file for writing would change it, so that models must be compared first.
    let isChangedByOpening: Bool
    /// Whether the file uses a rollback journal, not a write-ahead log.
    let hasRollbackJournal: Bool
    /// Whether the file was read without locks: the description may mix two states then. This is so
    /// if a program was interrupted while it wrote, or if the file can't be locked.
    let mayMixStates: Bool

    /// The description with which later reads may be compared.
    var earlier: StoredSchema? { mayMixStates ? nil : stored }

    /// The same file after it was opened for writing.
    func afterOpening(_ stored: StoredSchema) -> Finding {
      Finding(
        stored: stored, isChangedByOpening: false, hasRollbackJournal: hasRollbackJournal,
        mayMixStates: false)
    }
  }

  /// - Returns: The schema of the file; `nil` if the file is missing or empty.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the file can't be used, or
  ///   `SQLiteError`.
  static func check(_ url: URL, allowsSave: Bool) throws -> Finding? {
    try ConsistentRead(path: url.path).run { file, look in
      let check = StoreFileCheck(file: file, url: url)
      if file.kind == .missing, !allowsSave {
        throw SwiftDataError.loadIssueModelContainer.with(
          "There is no file at \(url.path), and allowsSave: false does not create one. Check the URL, or open "
            + "the store with allowsSave: true once.", doing: "opening a store",
          because: .unavailable)
      }
      try check.checkHeaders(allowsSave: allowsSave)
      guard file.size > 0, let stored = try check.checkedContent(&look) else { return nil }
      return Finding(
        stored: stored, isChangedByOpening: check.isChangedByOpening,
        hasRollbackJournal: file.header?.usesLog == false,
        mayMixStates: file.hasUnfinishedTransaction || file.lookAccess.last == .immutable)
    }
  }

  /// Refuses a path that leads to no place for a file: it would look like a missing one.
  static func checkPath(_ url: URL) throws {
    guard access(url.path, F_OK) != 0 else { return }
    let cause = POSIXError.last
    let problem: String
    switch cause.code {
    case .EACCES:
      problem =
        "one of its folders can't be entered by the user of this process. Check the permissions"
    case .ENOTDIR: problem = "a part of the path is a file, not a folder. Check the path"
    case .ELOOP: problem = "the symbolic links of the path lead to each other. Check the links"
    default: return
    }
    throw SwiftDataError.loadIssueModelContainer.with(
      "The file at \(url.path) can't be reached: \(problem).", doing: "opening a store",
      underlying: cause, because: .unavailable)
  }

  /// Opens a file for reading: changes nothing, and leaves no file beside it. Refuses the log of another
  /// file. Everything that `body` reads is from one state of the store, even while other processes write.
  /// - Parameters:
  ///   - earlier: An earlier description of the file, if there is one.
  ///   - body: Called again if a file that could not be locked was changed meanwhile.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the file is not a store or can't be
  ///   read, or the error of `body`.
  package static func look<R>(
    at url: URL, since earlier: StoredSchema? = nil,
    _ body: (Connection, StoredSchema) throws -> R
  ) throws -> R {
    do {
      try checkPath(url)
      return try ConsistentRead(path: url.path).run { file, look in
        let check = StoreFileCheck(file: file, url: url)
        if file.kind == .missing {
          throw SwiftDataError.loadIssueModelContainer.with(
            "There is no file at \(url.path). Check the path.", doing: "opening a store",
            because: .unavailable)
        }
        try check.checkHeaders(allowsSave: false)
        let connection = try file.look()
        return try connection.transaction(.deferred) {
          guard let stored = try check.schema(connection, since: earlier) else {
            throw SwiftDataError.loadIssueModelContainer.with(
              "The file at \(url.path) is empty. Check the URL.", doing: "opening a store",
              because: .storeDamaged)
          }
          look.begin(connection)
          return try body(connection, stored)
        }
      }
    } catch {
      throw StoreFailure.opening(error, at: url)
    }
  }

  /// A sentence about damage that prevents reading the file; nil if there is none.
  package static func damage(of url: URL) -> String? {
    do {
      try ConsistentRead(path: url.path).run { file, _ in
        if let fault = file.fault(forWriting: false) { throw fault }
      }
    } catch let fault as DatabaseFileProblem {
      switch fault {
      case .truncated, .damagedHeader: return fault.sentence(url)
      default: return nil
      }
    } catch {}
    return nil
  }

  /// The last connection to close writes the log back, and a file with a rollback journal is
  /// switched to WAL mode.
  private var isChangedByOpening: Bool {
    file.log?.hasContent == true || file.header?.usesLog != true
  }

  private func checkHeaders(allowsSave: Bool) throws {
    guard let fault = file.fault(forWriting: allowsSave) else { return }
    throw SwiftDataError.loadIssueModelContainer.with(
      fault.sentence(url), doing: "opening a store", because: fault.reason)
  }

  private func checkedContent(_ look: inout ConsistentRead.Progress) throws -> StoredSchema? {
    let connection: Connection
    do {
      connection = try file.look()
    } catch let error as SQLiteError where file.hasUnfinishedTransaction {
      // The first page is half written; the next writer restores it.
      if error.code == .notADatabase || error.code == .corrupt { return nil }
      throw error
    }
    let stored = try schema(connection)
    look.begin(connection)
    return stored
  }

  /// Reads the schema, and refuses the log of another file.
  private func schema(
    _ connection: Connection, since known: StoredSchema? = nil
  ) throws -> StoredSchema? {
    // The identifier and the history in the file without its log.
    let withoutLog = try? file.openWithoutLog()
    let earlier = (try? withoutLog?.text("SELECT Z_UUID FROM Z_METADATA")) ?? nil
    let lineage = withoutLog.flatMap(LogLineage.init)
    let stored: StoredSchema?
    do {
      stored = try StoredSchema.read(connection, since: known)
    } catch {
      let isContent = (error as? SQLiteError).map { $0.code == .corrupt || $0.code == .error }
      throw earlier != nil && isContent != false ? foreignLog : error
    }
    if let earlier, earlier != stored?.identifier { throw foreignLog }
    if withoutLog != nil, !LogLineage.hasSize(of: file) { throw foreignLog }
    if let lineage, !lineage.goesOn(in: connection) { throw foreignLog }
    return stored
  }

  private var foreignLog: SwiftDataError {
    .loadIssueModelContainer.with(
      DatabaseFileProblem.foreignLog.sentence(url), doing: "opening a store",
      because: DatabaseFileProblem.foreignLog.reason)
  }
}

extension DatabaseFileProblem {
  /// The problem of the file, and what to do.
  package func sentence(_ url: URL) -> String {
    let (path, name) = (url.path, url.lastPathComponent)
    return switch self {
    case .folder:
      "The store at \(path) can't be opened: the path is a folder. Choose the URL of a file."
    case .notAFile:
      "The store at \(path) can't be opened: the path is not a regular file. Choose the URL of a file."
    case .unreadable:
      "The store at \(path) can't be opened: the file is not readable. Check its permissions."
    case .notADatabase:
      "The store at \(path) can't be opened: the file is not an SQLite database. Check the URL, and whether "
        + "the file is encrypted or compressed; \(untouched)"
    case .damagedHeader:
      "The store at \(path) can't be opened: the first page of the file is damaged. \(recovery)"
    case .newerFormat:
      "The store at \(path) can't be opened: this version of SQLite does not support "
        + "its format. Use a newer SQLite; \(untouched)"
    case .truncated(let pages, let count):
      "The store at \(path) can't be opened: the file ends after \(pages) of \(count) pages, so the copy "
        + "is incomplete. \(recovery)"
    case .emptyBesideLog:
      "The store at \(path) can't be opened: the file is empty, but \(name)-wal is not. Restore the "
        + "file that belongs to \(name)-wal, or move \(name)-wal away; \(untouched)"
    case .foreignLog:
      "The store at \(path) can't be opened: \(name)-wal is not the log of this file. Restore the log "
        + "that belongs to the file, or move \(name)-wal away; \(untouched)"
    case .newerLog:
      "The store at \(path) can't be opened: \(name)-wal has a format that this version of "
        + "SQLite does not support. Use a newer SQLite; \(untouched)"
    case .foreignJournal:
      "The store at \(path) can't be opened: \(name)-journal is not the journal of this file. Restore the "
        + "journal that belongs to the file, or move \(name)-journal away; \(untouched)"
    case .unfinishedTransaction:
      "The store at \(path) can't be opened for reading: a program was interrupted while it wrote, and "
        + "\(name)-journal has to be rolled back first. Open it once with allowsSave: true; \(untouched)"
    case .unreadableLog:
      "The store at \(path) can't be opened: \(name)-wal contains changes that SQLite can't read "
        + "in a read-only folder. Copy both files to a writable folder."
    case .unwritableFile:
      "The store at \(path) can't be opened: the file is read-only. Check its permissions, or open "
        + "it with allowsSave: false."
    case .unwritableFolder:
      "The store at \(path) can't be opened: SQLite has to create a log in its folder, which is read-only. "
        + "Check its permissions, or open the store with allowsSave: false."
    }
  }

  private var untouched: String { "the file is unchanged." }

  private var recovery: String { "The file is unchanged. \(StoreFailure.recoveryAdvice)" }
}
