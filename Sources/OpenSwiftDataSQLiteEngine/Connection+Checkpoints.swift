import OpenSwiftDataCSQLite

/// A checkpoint that a commit has caused.
package struct CheckpointTrace: Sendable {
  package let duration: Duration
  /// The number of pages in the log.
  package let pageCount: Int
  /// The number of these pages that are in the file now.
  package let writtenPageCount: Int
}

extension Connection {
  /// Calls `body` after each checkpoint that a commit of this connection causes.
  ///
  /// The checkpoints are those that SQLite makes by itself: its hook cannot be observed, so this
  /// takes its place, with the same number of pages. A connection without automatic checkpoints
  /// stays without them.
  package func traceCheckpoints(_ body: @escaping (CheckpointTrace) -> Void) {
    guard mode.isWritable, !mode.isInMemory,
      let pages = (try? integer("PRAGMA wal_autocheckpoint")) ?? nil, pages > 0
    else { return }
    let tracer = CheckpointTracer(pages: Int32(clamping: pages), body)
    checkpointTracer = tracer
    sqlite3_wal_hook(
      handle,
      { context, database, name, pages in
        guard let context, let database else { return SQLITE_OK }
        Unmanaged<CheckpointTracer>.fromOpaque(context).takeUnretainedValue()
          .didCommit(database, name, pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(tracer).toOpaque())
  }
}

/// Used by the thread that uses the connection, inside a commit.
final class CheckpointTracer {
  private let pages: Int32
  private let body: (CheckpointTrace) -> Void

  init(pages: Int32, _ body: @escaping (CheckpointTrace) -> Void) {
    self.pages = pages
    self.body = body
  }

  /// A failed checkpoint fails no commit, as in SQLite's own hook; the next commit tries again.
  func didCommit(_ database: OpaquePointer, _ name: UnsafePointer<CChar>?, _ count: Int32) {
    guard count >= pages else { return }
    let begin = ContinuousClock.now
    var logged: Int32 = 0
    var written: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(
      database, name, SQLITE_CHECKPOINT_PASSIVE, &logged, &written)
    guard code == SQLITE_OK else { return }
    body(
      CheckpointTrace(
        duration: .now - begin, pageCount: Int(logged), writtenPageCount: Int(written)))
  }
}
