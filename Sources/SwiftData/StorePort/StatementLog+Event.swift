import Foundation

extension StatementLog {
  /// An event in the log.
  public enum Event: Sendable {
    /// A statement has finished, or failed.
    case statement(Statement)
    /// A part of a fetch is evaluated in memory.
    case inMemory(InMemoryWork)
    /// A thread has waited for a connection, a connection for a lock, or a read or unit of work for others.
    case wait(Wait)
    /// The write-ahead log was written back to the file.
    case checkpoint(Checkpoint)
    /// A save that other writers have disturbed is done again, or a unit of a ``ModelWriter``. Only in stores
    /// with several writers.
    case repetition(Repetition)
  }

  /// A statement that has finished, or failed.
  public struct Statement: Sendable {
    /// The SQL text, with parameters in place of values.
    public let sql: String
    /// The SQL text with its values, if the log includes values.
    public let sqlWithValues: String?
    /// The time from the start of the statement to its end, including the reading of its rows.
    ///
    /// Statements that a database server receives together count from the answer to the one before them.
    public let duration: Duration
    /// The number of rows that the statement returned.
    public let rowCount: Int
    /// The code of the failure; `nil` if the statement has succeeded.
    ///
    /// In a default store the name of SQLite's result code, such as `SQLITE_BUSY`. In PostgreSQL the `SQLSTATE` of
    /// the server, such as `55P03`, or a word if the server has not answered: `timeout`, `cancelled`,
    /// `connection` or `invalidAnswer`. The code `02000` is that of a save that has found a row missing.
    public let failure: String?

    package init(
      sql: String, sqlWithValues: String?, duration: Duration, rowCount: Int, failure: String?
    ) {
      self.sql = sql
      self.sqlWithValues = sqlWithValues
      self.duration = duration
      self.rowCount = rowCount
      self.failure = failure
    }
  }

  /// The part of a fetch that SQL can't evaluate.
  public struct InMemoryWork: Sendable {
    /// The entity that was fetched.
    public let entityName: String
    /// The reasons: one for each part of the predicate, and one for the order.
    public let reasons: [String]
  }

  /// A wait of a thread that reads or writes, or of a read or unit of work in a queue.
  ///
  /// A unit of work that has waited in the queue of a ``ModelWriter`` may wait for a connection and a lock
  /// then; each wait is an event of its own. What is served at once gives none.
  public struct Wait: Sendable {
    /// What was waited for.
    public enum Reason: String, Sendable {
      /// The writing connection, which another thread of this process used.
      ///
      /// In a store with several writers: a connection for writing, all of which other threads used.
      ///
      /// Or a context of a ``ModelWriter``, all of which ran other units. All stores of its container report it,
      /// after the unit.
      case writer
      /// A reading connection, all of which other threads of this process used.
      ///
      /// Or a context of ``ModelReaders``, all of which ran other reads. All stores of its container report it.
      case reader
      /// A lock of another process or container. Reported once for each retry. A database server
      /// does not report it: the statement takes longer.
      case lock
    }

    /// What was waited for.
    public let reason: Reason
    /// The time of the wait; for a lock, the time before the retry.
    public let duration: Duration
    /// Whether the time limit ended the wait, so that the operation failed. A wait that a cancellation ended is not
    /// timed out.
    public let isTimedOut: Bool

    package init(reason: Reason, duration: Duration, isTimedOut: Bool) {
      self.reason = reason
      self.duration = duration
      self.isTimedOut = isTimedOut
    }
  }

  /// A checkpoint after a commit of this process.
  public struct Checkpoint: Sendable {
    /// The time that the committing thread needed for it.
    public let duration: Duration
    /// The number of pages in the log.
    public let pageCount: Int
    /// The number of these pages that are written back. Smaller than `pageCount` while readers need
    /// the old pages.
    public let writtenPageCount: Int
  }

  /// A save or a batch deletion that failed because of other rows or writers, or lost its connection, and
  /// is done again.
  ///
  /// A save that a server checks at its commit fails because of other rows if a new model has the unique
  /// values of one, or if one that it needs does not exist any more.
  public struct Repetition: Sendable {
    /// How often it has failed.
    public let failureCount: Int
    /// The pause before the next attempt.
    public let pause: Duration
    /// Whether the next attempt excludes other writers, so that it is not disturbed again.
    public let isExclusive: Bool
  }
}

extension StatementLog.Event: CustomStringConvertible {
  /// The event as one line of text.
  public var description: String {
    switch self {
    case .statement(let statement):
      let sql = statement.sqlWithValues ?? statement.sql
      let outcome = statement.failure.map { "failed (\($0))" } ?? "\(statement.rowCount) rows"
      return "SQL \(milliseconds(statement.duration)) ms, \(outcome): \(sql)"
    case .inMemory(let work):
      return "SQL \(work.entityName), evaluated in memory: \(work.reasons.joined(separator: "; "))"
    case .wait(let wait):
      let outcome = wait.isTimedOut ? ", in vain" : ""
      return "SQL waited \(milliseconds(wait.duration)) ms for a \(wait.reason)\(outcome)"
    case .checkpoint(let checkpoint):
      return "SQL \(milliseconds(checkpoint.duration)) ms, checkpoint: "
        + "\(checkpoint.writtenPageCount) of \(checkpoint.pageCount) pages"
    case .repetition(let repetition):
      let access = repetition.isExclusive ? "without other writers" : "beside other writers"
      return "SQL save failed \(repetition.failureCount) times because of other rows or writers "
        + "or a lost connection, repeated \(access) after \(milliseconds(repetition.pause)) ms"
    }
  }

  private func milliseconds(_ duration: Duration) -> String {
    String(format: "%.3f", duration / .milliseconds(1))
  }
}

extension StatementLog.Event {
  var withoutValues: Self {
    guard case .statement(let statement) = self else { return self }
    return .statement(
      StatementLog.Statement(
        sql: statement.sql, sqlWithValues: nil, duration: statement.duration,
        rowCount: statement.rowCount, failure: statement.failure))
  }
}
