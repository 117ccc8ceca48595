/// How a file is opened that is only read.
///
/// SQLite reads a database in WAL mode only with a log and its shared memory, which it makes where they
/// are missing. A connection that may not write leaves them behind; one that may removes them
/// when it is the last to close.
package enum ReadAccess: Hashable, Sendable {
  /// Without the right to write. Rollback-journal files need nothing beside them.
  case plain
  /// With the right to write, which is not used: sees what others commit and leaves no file behind.
  case shared
  /// With the assurance that nothing changes the file: no locks, no files.
  case immutable
  /// As `shared`, with a private index of the log: nobody else can use the file meanwhile, and
  /// no shared memory is made.
  case exclusive
}

extension DatabaseFile {
  /// For a store that is open to read while others may write.
  package var readAccess: ReadAccess {
    guard header?.usesLog == true || log?.hasContent == true else { return .plain }
    if isWritable, isFolderWritable { return .shared }
    // In a folder that we can't write SQLite reads a log only beside its shared memory. Where there is no
    // log nobody has the file open, and we could not see them begin.
    guard let log else { return .immutable }
    return log.hasContent || hasSharedMemory ? .plain : .immutable
  }

  /// For a look that leaves the files and the folder as they are, in the order they are tried.
  package var lookAccess: [ReadAccess] {
    if log?.hasContent == true {
      // While others use the file there is shared memory already.
      return isWritable && isFolderWritable ? [.exclusive, .shared] : [.plain]
    }
    // Reading behind an unfinished transaction would undo it.
    return header?.usesLog == false && !hasUnfinishedTransaction ? [.plain] : [.immutable]
  }
}
