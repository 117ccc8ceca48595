/// How a file is opened for reading only.
///
/// SQLite reads a database in WAL mode only with a log and its shared memory, which it creates if
/// they are missing. A connection without write permission leaves them; one with write permission
/// removes them when it is the last to close.
package enum ReadAccess: Hashable, Sendable {
  /// Without write permission. Files with a rollback journal need no other files.
  case plain
  /// With write permission, which is not used: sees commits of other connections and leaves no
  /// file.
  case shared
  /// Without locks and files. Other processes may change the file meanwhile, so the result must be
  /// compared with the state of the file afterwards (`ConsistentRead`, `UnlockedFile`).
  case immutable
  /// Like `shared`, with a private index of the log: no other connection can use the file
  /// meanwhile, and no shared memory is created.
  case exclusive
}

extension DatabaseFile {
  /// For a store that is open for reading while other connections may write.
  package var readAccess: ReadAccess {
    guard header?.usesLog == true || log?.hasContent == true else { return .plain }
    if isWritable, isFolderWritable { return .shared }
    // In a folder that can't be written, SQLite reads a log only if its shared memory exists.
    // Without a log no connection has the file open. Each read asks whether one has opened it since.
    guard let log else { return .immutable }
    return log.hasContent || hasSharedMemory ? .plain : .immutable
  }

  /// Access modes for a short read that leaves files and folder unchanged, in the order to try.
  ///
  /// An empty log is not enough to read without locks: another process may write, and write the log
  /// back, during the read. So the file is locked wherever possible.
  package var lookAccess: [ReadAccess] {
    let isOurs = isWritable && isFolderWritable
    // While other connections use the file, shared memory exists already.
    if log?.hasContent == true { return isOurs ? [.exclusive, .shared] : [.plain] }
    // Reading after an interrupted transaction would roll it back.
    if hasUnfinishedTransaction { return [.immutable] }
    guard let header else { return [.immutable] }
    if !header.usesLog { return [.plain] }
    // A connection with shared access would leave its shared memory beside the log.
    if isOurs { return log != nil && !hasSharedMemory ? [.exclusive, .shared] : [.shared] }
    return log != nil && hasSharedMemory ? [.plain] : [.immutable]
  }
}
