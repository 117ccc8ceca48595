import OpenSwiftDataSQLiteEngine

// What connections and pools of SQLite report.
extension StatementLog {
  func attach(to connection: Connection) {
    connection.trace(includesValues: includesValues) { [handle] trace in
      handle(
        .statement(
          Statement(
            sql: trace.sql, sqlWithValues: trace.expandedSQL, duration: trace.duration,
            rowCount: trace.rowCount, failure: trace.failure)))
    }
    connection.traceWaits { [handle] duration in
      handle(.wait(Wait(reason: .lock, duration: duration, isTimedOut: false)))
    }
    connection.traceCheckpoints { [handle] checkpoint in
      handle(
        .checkpoint(
          Checkpoint(
            duration: checkpoint.duration, pageCount: checkpoint.pageCount,
            writtenPageCount: checkpoint.writtenPageCount)))
    }
  }

  @Sendable func note(_ wait: PoolWait) {
    handle(
      .wait(
        Wait(
          reason: wait.isForWriting ? .writer : .reader, duration: wait.duration,
          isTimedOut: wait.isTimedOut)))
  }
}
