extension SQLiteError: CustomStringConvertible {
  /// What failed, where, and what to do next.
  package var description: String {
    "\(problem): \(cause)"
  }

  /// The same without the place and the kind of the failure, for errors that have told them.
  package var cause: String {
    var text = "\(message) (\(code) \(extendedCode))."
    if let sql { text += " Statement: \(abbreviated(sql))." }
    if let advice { text += " \(advice)" }
    return text
  }

  private var place: String {
    path.map { "the database at \($0)" } ?? "the database in memory"
  }

  private var problem: String {
    if extendedCode == SQLiteError.movedFile {
      return "Cannot write \(place), the file is not there any more"
    }
    return switch code {
    case .aborted: "The transaction on \(place) was undone"
    case .busy, .locked: "Cannot use \(place), it is locked by another connection"
    case .full: "No space left to write \(place)"
    case .inputOutput: "Reading or writing \(place) failed"
    case .readOnly: "Cannot write \(place), it is read-only"
    case .cannotOpen: "Cannot open \(place)"
    case .permission: "Access to \(place) is denied"
    case .notADatabase: "The file is no SQLite database: \(place)"
    case .corrupt: "Damaged file: \(place)"
    case .constraint: "A constraint of \(place) refuses the change"
    case .interrupted: "The work on \(place) was interrupted"
    case .outOfMemory: "Out of memory in \(place)"
    case .tooBig: "A value is too large for \(place)"
    default: "Error in \(place)"
    }
  }

  private var advice: String? {
    if extendedCode == SQLiteError.movedFile {
      return "Make a new container for the file that is there now; nothing was written."
    }
    return switch code {
    case .busy, .locked:
      "Try again when the other process or thread has finished its transaction, "
        + "or open with a longer busy timeout."
    case .full: "Free space on the volume and save again; nothing was written."
    case .inputOutput: "Check the volume, its free space and its quota; nothing was written."
    case .readOnly: "Check the permissions of the file and its directory, or open it read-only."
    case .cannotOpen, .permission:
      "Check that the directory exists and that the file and its directory can be written."
    case .notADatabase: "Check the path, or whether the file is encrypted."
    case .corrupt: "Restore a backup, or recover what can be read."
    case .tooBig: "Store large data with the external storage option."
    default: nil
    }
  }

  private func abbreviated(_ sql: String) -> String {
    sql.count > 400 ? sql.prefix(400) + "…" : sql
  }
}
