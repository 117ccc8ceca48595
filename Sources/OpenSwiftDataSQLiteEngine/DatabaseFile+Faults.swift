/// Why a database file is not opened, decided from what was seen of it.
package enum DatabaseFileFault: Error, Hashable, Sendable {
  case folder
  case notAFile
  case unreadable
  /// The bytes are of something else.
  case notADatabase
  case damagedHeader
  case newerFormat
  /// The file ends before its last page.
  case truncated(pages: Int, of: Int)
  /// The file is empty and its log is not.
  case emptyBesideLog
  /// The log beside the file is of another database, or is none.
  case foreignLog
  case newerLog
  /// The rollback journal beside the file is of another database, or is none.
  case foreignJournal
  /// An interrupted transaction has to be undone, which reading must not do.
  case unfinishedTransaction
  /// The log has commits, and SQLite can't read it in a folder that can't be written.
  case unreadableLog
  case unwritableFile
  case unwritableFolder
}

extension DatabaseFile {
  /// What prevents the file from being opened; looks no further than headers and lengths.
  package func fault(forWriting isWriting: Bool) -> DatabaseFileFault? {
    switch kind {
    case .missing: return nil
    case .folder: return .folder
    case .other: return .notAFile
    case .file: break
    }
    if !isReadable { return .unreadable }
    if size == 0 {
      // SQLite would remove the log.
      return log?.hasContent == true ? .emptyBesideLog : writingFault(isWriting)
    }
    return journalFault ?? headerFault ?? writingFault(isWriting) ?? readingFault(isWriting)
  }

  /// Whether a transaction was interrupted, so that the next writer has to undo it.
  package var hasUnfinishedTransaction: Bool {
    journal?.isBegun == true && !isBeingWritten
  }

  private var journalFault: DatabaseFileFault? {
    guard hasUnfinishedTransaction, let journal else { return nil }
    if !journal.isJournal { return .foreignJournal }
    if let header, let pageSize = journal.pageSize, pageSize != header.pageSize {
      return .foreignJournal
    }
    return nil
  }

  private var headerFault: DatabaseFileFault? {
    guard let header else {
      // The first page may be one that the interrupted transaction was writing.
      if hasUnfinishedTransaction { return nil }
      return DatabaseHeader.begins(beginning) ? .damagedHeader : .notADatabase
    }
    if header.isOfNewerFormat { return .newerFormat }
    if let fault = logFault(header) { return fault }
    // The log and the journal may have the pages that the file lacks.
    guard log?.hasContent != true, journal?.isBegun != true, let count = header.pageCount,
      size / header.pageSize < count
    else { return nil }
    return .truncated(pages: size / header.pageSize, of: count)
  }

  private func logFault(_ header: DatabaseHeader) -> DatabaseFileFault? {
    switch log?.header {
    case nil, .unwritten?: nil
    case .foreign?: .foreignLog
    case .newer?: .newerLog
    case .header(let log)?: log.pageSize == header.pageSize ? nil : .foreignLog
    }
  }

  private func writingFault(_ isWriting: Bool) -> DatabaseFileFault? {
    guard isWriting else { return nil }
    if !isWritable { return .unwritableFile }
    return isFolderWritable ? nil : .unwritableFolder
  }

  private func readingFault(_ isWriting: Bool) -> DatabaseFileFault? {
    guard !isWriting else { return nil }
    if hasUnfinishedTransaction { return .unfinishedTransaction }
    if log?.hasContent == true, !hasSharedMemory, !isFolderWritable { return .unreadableLog }
    return nil
  }
}
