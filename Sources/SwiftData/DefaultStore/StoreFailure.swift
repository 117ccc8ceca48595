import Foundation
package import OpenSwiftDataSQLiteEngine

/// Converts database errors to `SwiftDataError`, with entities and properties. Called by
/// `DefaultStore` around its use of the pool.
enum StoreFailure {
  static func opening(_ error: any Error, at url: URL) -> any Error {
    if error is SwiftDataError { return error }
    var error = error
    if let failure = error as? SQLiteError, failure.isOutOfSpace {
      error = failure.advising(
        "Free space on the volume and open the store again; nothing was written.")
    }
    let reason =
      switch (error as? SQLiteError)?.code {
      case .busy?, .locked?:
        "is being written by another process or container, which did not finish in time. Try again later; "
          + "the file is unchanged."
      case .corrupt?, .notADatabase?:
        isUnlocked(url)
          ? "can't be opened. \(unlockedAdvice)"
          : "can't be opened: the file is damaged. The file is unchanged. \(recoveryAdvice)"
      default: "can't be opened. Check the file and its folder."
      }
    return SwiftDataError.loadIssueModelContainer.with(
      "The store at \(url.path) \(reason)", doing: "opening a store", underlying: cause(error),
      because: SwiftDataError.Reason(storeError: error))
  }

  /// An error of a migration; a locked store is reported as one that can't be opened.
  static func migrating(_ error: any Error, at url: URL) -> any Error {
    guard let failure = error as? SQLiteError, ![.busy, .locked].contains(failure.code) else {
      return error
    }
    return SwiftDataError.loadIssueModelContainer.with(
      "The store at \(url.path) can't be migrated; it is unchanged."
        + (failure.code == .corrupt ? " \(recoveryAdvice)" : ""), doing: "migrating a store",
      underlying: cause(error), because: SwiftDataError.Reason(failure))
  }

  /// Advice for a damaged file.
  static let recoveryAdvice =
    "Restore a backup, or copy the readable rows with ModelContainer.recoverStore(at:to:) of the module "
    + "SwiftDataTools."

  static func reading(_ error: SQLiteError, mapping: SchemaMapping, at url: URL) -> any Error {
    if error.isClosedPool { return closed(url) }
    let work = StatementPurpose(error.sql, mapping)
    return SwiftDataError.storeReadFailure.with(
      "The store at \(url.path) can't be read. The context and the file are unchanged."
        + (error.code == .corrupt ? " \(isUnlocked(url) ? unlockedAdvice : recoveryAdvice)" : ""),
      doing: work.operation, entity: work.entity, property: work.property,
      underlying: cause(error), because: SwiftDataError.Reason(error))
  }

  /// Whether SQLite can't lock the file while it reads it. Apparent damage may then be a concurrent
  /// change by another program.
  private static func isUnlocked(_ url: URL) -> Bool {
    guard let file = try? DatabaseFile(at: url.path), file.kind == .file else { return false }
    return file.header?.usesLog == true && !(file.isWritable && file.isFolderWritable)
  }

  private static let unlockedAdvice =
    "The file or its folder is read-only, so the file is read without locks. Another program may "
    + "have changed it during the read. Open it again when that program has ended. If the error persists: "
    + recoveryAdvice

  /// - Parameter consequence: What did not happen, such as `nothing was deleted`.
  static func writing(
    _ error: SQLiteError, consequence: String, mapping: SchemaMapping, at url: URL
  ) -> any Error {
    if error.isClosedPool { return closed(url) }
    guard !error.isUniquenessViolation else { return duplicate(error, consequence, mapping) }
    let work = StatementPurpose(error.sql, mapping)
    return SwiftDataError.storeWriteFailure.with(
      "The store at \(url.path) can't be written; \(consequence)."
        + (error.code == .corrupt ? " \(recoveryAdvice)" : ""), doing: work.operation,
      entity: work.entity, property: work.property, underlying: cause(error),
      because: SwiftDataError.Reason(error))
  }

  /// The log could not be written back.
  static func closing(_ error: SQLiteError, at url: URL) -> SwiftDataError {
    if error.extendedCode == SQLiteError.movedFile { return closingWithoutLog(error, at: url) }
    let first = error.isOutOfSpace ? "Free space on the volume" : "Check the volume"
    let failure = error.advising(
      "\(first), then close the container again, or open the store once.")
    return .storeWriteFailure.with(
      "The latest changes of the store at \(url.path) are still in \(url.lastPathComponent)-wal, which could "
        + "not be written back. Nothing is lost as long as both files stay together.",
      doing: "closing a store", underlying: cause(failure), because: SwiftDataError.Reason(error))
  }

  /// The log was lost while the store was open, and cannot be written back.
  private static func closingWithoutLog(_ error: SQLiteError, at url: URL) -> SwiftDataError {
    .storeWriteFailure.with(
      "The store at \(url.path) is closed, but \(url.lastPathComponent)-wal was deleted, moved or replaced "
        + "while it was open. The file is left as it is, because another program may have written it since; "
        + "the latest changes of the programs that used the deleted log may be missing from it.",
      doing: "closing a store",
      underlying: cause(
        error.advising("Check the latest changes, and save again what is missing.")),
      because: SwiftDataError.Reason(error))
  }

  private static func closed(_ url: URL) -> SwiftDataError {
    .containerClosed.with(
      "The store at \(url.path) was closed with its container. Open a new container to use it again."
    )
  }

  private static func duplicate(
    _ error: SQLiteError, _ consequence: String, _ mapping: SchemaMapping
  ) -> any Error {
    let columns = error.constrainedColumns
    return UniqueViolation(
      table: columns.first?.table, columns: columns.map(\.column), statement: error.sql, mapping
    ).error(
      cause(error), else: consequence, doing: StatementPurpose(error.sql, mapping).operation)
  }

  static func cause(_ error: any Error) -> any Error {
    (error as? SQLiteError).map(SwiftDataError.DatabaseFailure.init) ?? error
  }
}

extension SwiftDataError.DatabaseFailure {
  package init(_ error: SQLiteError) {
    self.init(
      name: error.code.description, code: Int(error.code.rawValue),
      extendedCode: Int(error.extendedCode), message: error.message, sql: error.sql,
      path: error.path, sentence: error.description, cause: error.cause)
  }
}
