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
  /// Without locks and files. Others may change the file meanwhile, so what is read has to be compared with
  /// a later look (`SteadyLook`).
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
  ///
  /// A log without content proves nothing: somebody may begin to write, and write the log back, before the
  /// look is over. So the file is locked wherever that is possible.
  package var lookAccess: [ReadAccess] {
    let isOurs = isWritable && isFolderWritable
    // While others use the file there is shared memory already.
    if log?.hasContent == true { return isOurs ? [.exclusive, .shared] : [.plain] }
    // Reading after an unfinished transaction would undo it.
    if hasUnfinishedTransaction { return [.immutable] }
    guard let header else { return [.immutable] }
    if !header.usesLog { return [.plain] }
    // A connection that shares the file would leave its shared memory beside the log.
    if isOurs { return log != nil && !hasSharedMemory ? [.exclusive, .shared] : [.shared] }
    return log != nil && hasSharedMemory ? [.plain] : [.immutable]
  }
}
