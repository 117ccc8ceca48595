extension SQLiteError: CustomStringConvertible {
  /// What failed, for which database, and what to do next.
  package var description: String {
    "\(problem): \(cause)"
  }

  /// The same without the path and the kind of failure, for errors that already contain them.
  package var cause: String {
    var text = "\(message) (\(code) \(extendedCode))."
    if let sql { text += " Statement: \(abbreviated(sql))." }
    if let advice { text += " \(advice)" }
    return text
  }

  private var databaseText: String {
    path.map { "the database at \($0)" } ?? "the in-memory database"
  }

  private var problem: String {
    if extendedCode == SQLiteError.movedFile {
      return "Cannot write \(databaseText): the file or its log is not at its path any more"
    }
    return switch code {
    case _ where isOutOfSpace: "No space left to write \(databaseText)"
    case .aborted: "The transaction on \(databaseText) was rolled back"
    case .busy, .locked: "Cannot use \(databaseText): it is locked by another connection"
    case .inputOutput: "Reading or writing \(databaseText) failed"
    case .readOnly: "Cannot write \(databaseText): it is read-only"
    case .cannotOpen: "Cannot open \(databaseText)"
    case .permission: "Access to \(databaseText) is denied"
    case .notADatabase: "The file is not an SQLite database: \(databaseText)"
    case .corrupt: "Damaged file: \(databaseText)"
    case .constraint: "A constraint of \(databaseText) rejects the change"
    case .interrupted: "The work on \(databaseText) was interrupted"
    case .outOfMemory: "Out of memory in \(databaseText)"
    case .tooBig: "A value is too large for \(databaseText)"
    default: "Error in \(databaseText)"
    }
  }

  private var advice: String? {
    if let remedy { return remedy }
    if extendedCode == SQLiteError.movedFile {
      return
        "Close this container, then create a new container for the file that is now at this path; "
        + "nothing was written."
    }
    return switch code {
    case _ where isOutOfSpace: "Free space on the volume and try again; nothing was written."
    case .busy, .locked:
      "Try again when the other process or thread has finished its transaction, "
        + "or raise sqlite.busyTimeout of the configuration."
    case .inputOutput where extendedCode == SQLiteError.missingTemporaryDirectory:
      "No directory for temporary files can be written. Set SQLITE_TMPDIR in the environment of the process "
        + "to one that can; nothing was written."
    case .inputOutput: "Check the volume, its free space and its quota; nothing was written."
    case .readOnly: "Check the permissions of the file and its directory, or open it read-only."
    case .cannotOpen, .permission:
      "Check that the directory exists and that the file and its directory can be written."
    case .notADatabase: "Check the path, or whether the file is encrypted."
    case .corrupt: "Restore a backup, or recover the readable rows."
    case .tooBig: "Store large data with the external storage option."
    default: nil
    }
  }

  private func abbreviated(_ sql: String) -> String {
    sql.count > 400 ? sql.prefix(400) + "…" : sql
  }
}
