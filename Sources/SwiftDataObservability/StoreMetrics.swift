#if Observability
  import CoreMetrics
  import SwiftData

  /// The metrics of one store, made once: looking one up by its label takes a lock.
  struct StoreMetrics: Sendable {
    let inMemory: Counter
    let slowStatements: Counter
    private let failedStatements: Counter
    let repeatedReads: Counter
    let repeatedSaves: Counter
    private let statements: [StatementKind: CoreMetrics.Timer]
    private let rows: Counter
    private let waits: [StatementLog.Wait.Reason: CoreMetrics.Timer]
    private let timeouts: Counter
    private let checkpoints: CoreMetrics.Timer
    private let logPages: Gauge

    init(store: String) {
      let store = ("store", store)
      func counter(_ name: String) -> Counter {
        Counter(label: "swiftdata_\(name)", dimensions: [store])
      }
      inMemory = counter("in_memory_total")
      slowStatements = counter("slow_statements_total")
      failedStatements = counter("failed_statements_total")
      repeatedReads = counter("repeated_reads_total")
      repeatedSaves = counter("repeated_saves_total")
      rows = counter("rows_total")
      timeouts = counter("wait_timeouts_total")
      statements = Dictionary(
        uniqueKeysWithValues: StatementKind.allCases.map { kind in
          (
            kind,
            CoreMetrics.Timer(
              label: "swiftdata_statement_duration", dimensions: [store, ("kind", kind.rawValue)])
          )
        })
      waits = Dictionary(
        uniqueKeysWithValues: [StatementLog.Wait.Reason.writer, .reader, .lock].map { reason in
          (
            reason,
            CoreMetrics.Timer(
              label: "swiftdata_wait_duration", dimensions: [store, ("reason", reason.rawValue)])
          )
        })
      checkpoints = CoreMetrics.Timer(label: "swiftdata_checkpoint_duration", dimensions: [store])
      logPages = Gauge(label: "swiftdata_log_pages", dimensions: [store])
    }

    func note(_ statement: StatementLog.Statement, _ kind: StatementKind) {
      statements[kind]?.recordNanoseconds(nanoseconds(statement.duration))
      if statement.failure != nil { failedStatements.increment() }
      if statement.rowCount > 0 { rows.increment(by: statement.rowCount) }
    }

    func note(_ wait: StatementLog.Wait) {
      waits[wait.reason]?.recordNanoseconds(nanoseconds(wait.duration))
      if wait.isTimedOut { timeouts.increment() }
    }

    func note(_ checkpoint: StatementLog.Checkpoint) {
      checkpoints.recordNanoseconds(nanoseconds(checkpoint.duration))
      logPages.record(checkpoint.pageCount)
    }

    private func nanoseconds(_ duration: Duration) -> Int64 {
      let (seconds, attoseconds) = duration.components
      return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }
#endif
