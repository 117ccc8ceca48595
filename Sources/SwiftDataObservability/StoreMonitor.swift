#if Observability
  import CoreMetrics
  public import Logging
  public import SwiftData
  import Synchronization

  /// Logs, measures and traces what stores do, through swift-log, swift-metrics and
  /// swift-distributed-tracing.
  ///
  /// ```swift
  /// let monitor = StoreMonitor(logger: Logger(label: "blog.store"))
  /// var configuration = ModelConfiguration(url: url)
  /// configuration.statementLog = monitor.log(of: "blog")
  /// let container = try ModelContainer(for: Post.self, configurations: configuration)
  /// monitor.attach(to: container)
  /// ```
  ///
  /// For each event of a store:
  /// 1. The metrics change: see ``log(of:)``.
  /// 2. A statement becomes a span, if its task has a service context.
  /// 3. A statement is logged at the level `trace`, at the level `debug` if it has failed; if it takes longer than
  ///    ``Options/slowStatements``, also as a warning with its plan.
  /// 4. In a unit of work, reads of single models are counted: see
  ///    ``unitOfWork(_:logger:isolation:_:)``.
  ///
  /// Values of statements are never logged. The events arrive on the threads that use the stores;
  /// plans are read on a queue of the monitor.
  public final class StoreMonitor: Sendable {
    /// What a monitor reports.
    public struct Options: Sendable {
      /// How long a statement may take before it is logged as a warning with its plan.
      public var slowStatements: Duration = .milliseconds(100)

      /// How often one relationship, or one entity, may be read for single models in a unit of work.
      public var repeatedReads = 10

      /// How often a warning about the same statement or the same relationship may be repeated.
      public var warningInterval: Duration = .seconds(60)

      /// Whether statements become spans of the running trace.
      public var tracesStatements = true

      /// The default values.
      public init() {}
    }

    /// What the monitor reports.
    public let options: Options

    let logger: Logger
    private let examiner: StoreExaminer

    /// Makes a monitor.
    /// - Parameters:
    ///   - logger: Receives messages outside of units of work.
    ///   - options: What to report.
    public init(logger: Logger = Logger(label: "swiftdata"), options: Options = Options()) {
      self.logger = logger
      self.options = options
      examiner = StoreExaminer(interval: options.warningInterval)
    }

    /// The log for the configuration of a store.
    ///
    /// The metrics, all with the dimension `store`:
    ///
    /// - `swiftdata_statement_duration` (timer): statements, with the dimension `kind`: `select`,
    ///   `insert`, `update`, `delete`, `transaction` or `other`
    /// - `swiftdata_rows_total` (counter): rows that statements returned
    /// - `swiftdata_failed_statements_total` (counter): statements that failed, also if the save was then
    ///   repeated
    /// - `swiftdata_wait_duration` (timer): waits, with the dimension `reason`: `writer`, `reader`
    ///   or `lock`; for connections, and in the queues of `ModelWriter` and `ModelReaders`
    /// - `swiftdata_wait_timeouts_total` (counter): waits for a writer or a reader that a time limit ended, also
    ///   the limit `waitingAtMost` of a `ModelWriter` or of `ModelReaders`
    /// - `swiftdata_checkpoint_duration` (timer), `swiftdata_log_pages` (gauge): checkpoints, and the
    ///   pages in the log
    /// - `swiftdata_in_memory_total` (counter): fetches with a part that SQL could not evaluate
    /// - `swiftdata_slow_statements_total`, `swiftdata_repeated_reads_total` (counters): warnings,
    ///   also those that are not logged because they were logged recently
    /// - `swiftdata_repeated_saves_total` (counter): saves that other writers have disturbed, or that
    ///   have lost their connection, once for each repetition; only in stores with several writers
    /// - Parameter store: The name of the store in metrics and messages. It may differ from that of its
    ///   configuration.
    /// - Returns: A value for `statementLog` of one configuration.
    public func log(of store: String = "default") -> StatementLog {
      let metrics = StoreMetrics(store: store)
      let origin = MonitoredLog(store: store, examiner: examiner)
      var log = StatementLog { [self] event in
        switch event {
        case .statement(let statement): note(statement, origin, metrics)
        case .inMemory(let work):
          metrics.inMemory.increment()
          current.debug(
            "A part of a fetch is evaluated in memory.",
            metadata: [
              "store": "\(store)", "entity": "\(work.entityName)",
              "reasons": .array(work.reasons.map { "\($0)" }),
            ])
        case .wait(let wait): note(wait, store, metrics)
        case .checkpoint(let checkpoint):
          metrics.note(checkpoint)
          current.debug(
            "The log was written back.",
            metadata: [
              "store": "\(store)", "milliseconds": milliseconds(checkpoint.duration),
              "pages": "\(checkpoint.pageCount)", "written": "\(checkpoint.writtenPageCount)",
            ])
        case .repetition(let repetition):
          metrics.repeatedSaves.increment()
          current.debug(
            "A save is repeated because of other writers or a lost connection.",
            metadata: [
              "store": "\(store)", "failures": "\(repetition.failureCount)",
              "milliseconds": milliseconds(repetition.pause),
              "exclusive": "\(repetition.isExclusive)",
            ])
        }
      }
      log.noteFault = { [self] read in count(read, store, metrics) }
      log.origin = origin
      return log
    }

    /// Lets the monitor read plans of slow statements.
    ///
    /// The monitor does not keep the container alive, and keeps nothing of it when it has gone. Without this
    /// call, slow statements are logged without a plan. If no store of the container has a log of this monitor,
    /// a warning says so.
    /// - Parameter container: The container whose stores have logs of this monitor.
    public func attach(to container: ModelContainer) {
      if examiner.attach(to: container) { return }
      let stores = container.stores.map { "\($0.configuration.name)" }
      current.warning(
        """
        No store of the container has a log of this monitor. Set statementLog of the configuration to log(of:) \
        before you make the container.
        """,
        metadata: ["stores": .array(stores.map { "\($0)" })])
    }

    /// Runs one unit of work, for example a request, and finds relationships that it reads one model
    /// at a time.
    ///
    /// ```swift
    /// try await monitor.unitOfWork("GET /posts", logger: context.logger) {
    ///   try await next(request, context)
    /// }
    /// ```
    ///
    /// If the unit reads one relationship, or rows of one entity, for more single models than
    /// ``Options/repeatedReads``, one warning names the key path to prefetch, or says what else to do: models
    /// that are found by identifier have no key path, and properties that were not fetched belong into
    /// `propertiesToFetch`. Tasks that the unit creates belong to it, except detached ones.
    /// - Parameters:
    ///   - name: The name in messages.
    ///   - logger: Receives the messages about the unit's statements, for example with the
    ///     identifier of a request; `nil` for that of the monitor.
    ///   - isolation: The actor that `body` runs on.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func unitOfWork<R>(
      _ name: String, logger: Logger? = nil, isolation: isolated (any Actor)? = #isolation,
      _ body: () async throws -> R
    ) async rethrows -> R {
      try await UnitOfWork.$current.withValue(
        UnitOfWork(name: name, logger: logger ?? self.logger), operation: body,
        isolation: isolation)
    }

    /// The logger of the running unit.
    var current: Logger { UnitOfWork.current?.logger ?? logger }
  }

  extension StoreMonitor {
    private func note(
      _ statement: StatementLog.Statement, _ log: MonitoredLog, _ metrics: StoreMetrics
    ) {
      // Only the monitor asks for plans.
      if statement.sql.hasPrefix("EXPLAIN ") { return }
      let store = log.store
      let kind = StatementKind(of: statement.sql)
      metrics.note(statement, kind)
      if options.tracesStatements { StatementSpan.record(statement, kind, store) }
      let logger = current
      let level: Logger.Level = statement.failure == nil ? .trace : .debug
      if logger.logLevel <= level {
        let text = statement.failure == nil ? "finished" : "failed"
        logger.log(
          level: level, "A statement has \(text).", metadata: metadata(of: statement, store))
      }
      if statement.duration >= options.slowStatements { warn(slow: statement, log, metrics) }
    }

    private func metadata(
      of statement: StatementLog.Statement, _ store: String
    ) -> Logger.Metadata {
      var metadata: Logger.Metadata = [
        "store": "\(store)", "milliseconds": milliseconds(statement.duration),
        "rows": "\(statement.rowCount)", "sql": "\(statement.sql)",
      ]
      if let failure = statement.failure { metadata["failure"] = "\(failure)" }
      return metadata
    }

    private func warn(
      slow statement: StatementLog.Statement, _ log: MonitoredLog, _ metrics: StoreMetrics
    ) {
      metrics.slowStatements.increment()
      var found = metadata(of: statement, log.store)
      if let unit = UnitOfWork.current { found["unit"] = "\(unit.name)" }
      let (logger, metadata) = (current, found)
      examiner.plan(of: statement.sql, in: log) { plan in
        var metadata = metadata
        if let plan { metadata["plan"] = .array(plan.map { "\($0)" }) }
        logger.warning("A statement was slow.", metadata: metadata)
      }
    }

    private func count(_ read: FaultRead, _ store: String, _ metrics: StoreMetrics) {
      guard let unit = UnitOfWork.current,
        unit.count(read, in: store) == options.repeatedReads + 1
      else { return }
      metrics.repeatedReads.increment()
      let advice = read.advice(count: options.repeatedReads + 1)
      guard examiner.mayWarn(about: "repeated \(store) \(advice)") else { return }
      unit.logger.warning(
        "Single models were read repeatedly.",
        metadata: ["store": "\(store)", "unit": "\(unit.name)", "advice": "\(advice)"])
    }

    private func note(_ wait: StatementLog.Wait, _ store: String, _ metrics: StoreMetrics) {
      metrics.note(wait)
      let metadata: Logger.Metadata = [
        "store": "\(store)", "reason": "\(wait.reason)",
        "milliseconds": milliseconds(wait.duration),
      ]
      if wait.isTimedOut {
        current.warning("A wait has reached its time limit.", metadata: metadata)
      } else {
        current.debug("A read or write has waited.", metadata: metadata)
      }
    }

    private func milliseconds(_ duration: Duration) -> Logger.MetadataValue {
      // Three decimal places, without Foundation.
      let microseconds = Int(duration / .microseconds(1))
      let rest = String(microseconds % 1000)
      return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
  }
#endif
