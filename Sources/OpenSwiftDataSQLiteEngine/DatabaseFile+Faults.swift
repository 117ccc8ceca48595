/// Why a database file cannot be opened, decided from its headers and lengths.
package enum DatabaseFileProblem: Error, Hashable, Sendable {
  case folder
  case notAFile
  case unreadable
  /// The file does not begin like a database.
  case notADatabase
  case damagedHeader
  case newerFormat
  /// The file ends before its last page.
  case truncated(pages: Int, of: Int)
  /// The file is empty, but its log is not.
  case emptyBesideLog
  /// The log belongs to another database, or is not a log.
  case foreignLog
  case newerLog
  /// The rollback journal belongs to another database, or is not a journal.
  case foreignJournal
  /// An interrupted transaction must be rolled back first, which a reader must not do.
  case unfinishedTransaction
  /// The log has commits, and SQLite can't read a log in a folder that can't be written.
  case unreadableLog
  case unwritableFile
  case unwritableFolder
}

extension DatabaseFile {
  /// What prevents the file from being opened; examines only headers and lengths.
  package func fault(forWriting isWriting: Bool) -> DatabaseFileProblem? {
    switch kind {
    case .missing: return nil
    case .folder: return .folder
    case .other: return .notAFile
    case .file: break
    }
    if !isReadable { return .unreadable }
    if size == 0 {
      // SQLite would delete the log of an empty file.
      return log?.hasContent == true ? .emptyBesideLog : writingFault(isWriting)
    }
    return journalFault ?? headerFault ?? writingFault(isWriting) ?? readingFault(isWriting)
  }

  /// Whether a transaction was interrupted, so that the next writer must roll it back.
  package var hasUnfinishedTransaction: Bool {
    journal?.isBegun == true && !isBeingWritten
  }

  private var journalFault: DatabaseFileProblem? {
    guard hasUnfinishedTransaction, let journal else { return nil }
    if !journal.isJournal { return .foreignJournal }
    if let header, let pageSize = journal.pageSize, pageSize != header.pageSize {
      return .foreignJournal
    }
    return nil
  }

  private var headerFault: DatabaseFileProblem? {
    guard let header else {
      // The interrupted transaction may have been writing the first page.
      if hasUnfinishedTransaction { return nil }
      return DatabaseHeader.begins(beginning) ? .damagedHeader : .notADatabase
    }
    if header.isOfNewerFormat { return .newerFormat }
    if let fault = logFault(header) { return fault }
    // The log and the journal may contain the pages that the file lacks.
    guard log?.hasContent != true, journal?.isBegun != true, let count = header.pageCount,
      size / header.pageSize < count
    else { return nil }
    return .truncated(pages: size / header.pageSize, of: count)
  }

  private func logFault(_ header: DatabaseHeader) -> DatabaseFileProblem? {
    switch log?.header {
    case nil, .unwritten?: nil
    case .foreign?: .foreignLog
    case .newer?: .newerLog
    case .header(let log)?: log.pageSize == header.pageSize ? nil : .foreignLog
    }
  }

  private func writingFault(_ isWriting: Bool) -> DatabaseFileProblem? {
    guard isWriting else { return nil }
    if !isWritable { return .unwritableFile }
    return isFolderWritable ? nil : .unwritableFolder
  }

  private func readingFault(_ isWriting: Bool) -> DatabaseFileProblem? {
    guard !isWriting else { return nil }
    if hasUnfinishedTransaction { return .unfinishedTransaction }
    if log?.hasContent == true, !hasSharedMemory, !isFolderWritable { return .unreadableLog }
    return nil
  }
}
