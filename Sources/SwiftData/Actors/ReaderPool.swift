import Dispatch
import Synchronization

/// The contexts of `ModelReaders`, and the reads that wait for one.
///
/// 1. A read is the executor of its task (`PooledRead`). Its job goes to an idle reader, or waits.
/// 2. A reader runs the job on the queue of its context. The job calls the closure of the read, and
///    the task goes on elsewhere.
/// 3. The reader takes the next job that waits, on the same thread: with many reads at once each
///    changes threads twice only.
/// 4. A job that is cancelled, or waits longer than the limit, runs without a reader, and the read throws.
///
/// `state` guards the list of idle readers, the waiting jobs, and which reads are cancelled or late.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [PooledReader]
    var waiting = WaitingQueue<(job: UnownedJob, read: PooledRead)>()
  }

  private let state: Mutex<State>
  fileprivate let limit: WaitLimit?
  /// Receive the waits.
  fileprivate let logs: [StatementLog]

  /// - Parameter limit: How long a read may wait for those before it.
  init(_ container: ModelContainer, count: Int, within limit: Duration?) {
    self.limit = WaitLimit(limit)
    logs = container.coordinator.ports.compactMap(\.log)
    state = Mutex(State(idle: (0..<count).map { _ in PooledReader(container) }))
  }

  /// Where a job goes.
  private enum Place {
    case reader(PooledReader)
    case queue
    case elsewhere
  }

  /// Once another thread may have the job, nothing here uses `read`: only its task keeps it alive, and
  /// the task may have ended.
  fileprivate func enqueue(_ job: UnownedJob, of read: PooledRead) {
    var beginsToWatch = false
    let place: Place = state.withLock { state in
      if read.isCancelled.load(ordering: .relaxed) { return .elsewhere }
      if let reader = state.idle.popLast() { return .reader(reader) }
      read.ticket.store(state.waiting.append((job, read)), ordering: .relaxed)
      if !logs.isEmpty { read.wait.begin(isServed: false) }
      beginsToWatch = limit != nil && state.waiting.beginWatch()
      return .queue
    }
    if beginsToWatch, let limit { watch(limit) }
    switch place {
    case .reader(let reader):
      reader.executor.perform { [self] in serve(job, of: read, reader) }
    case .queue: break
    case .elsewhere: read.runElsewhere(job)
    }
  }

  /// Runs a job and those that wait, on the queue of the reader.
  private func serve(_ job: UnownedJob, of read: PooledRead, _ reader: PooledReader) {
    var next: (job: UnownedJob, read: PooledRead)? = (job, read)
    while let (job, read) = next {
      read.lend(reader, to: job)
      next = state.withLock { state in
        let next = state.waiting.popFirst()
        if next == nil { state.idle.append(reader) }
        next?.read.wait.end()
        return next
      }
    }
  }

  private func watch(_ limit: WaitLimit) {
    // A read that waits retains the pool.
    limit.watch { [weak self] in
      self?.state.withLock { $0.waiting.firstWatchedArrival() }
    } end: { [weak self] start in
      for (job, read) in self?.takeLate(since: start) ?? [] { read.runElsewhere(job) }
    }
  }

  private func takeLate(
    since start: ContinuousClock.Instant
  ) -> [(job: UnownedJob, read: PooledRead)] {
    state.withLock { state in
      var taken: [(job: UnownedJob, read: PooledRead)] = []
      while let next = state.waiting.popFirst(since: start) {
        next.read.isLate.store(true, ordering: .relaxed)
        next.read.wait.end(isTimedOut: true)
        taken.append(next)
      }
      return taken
    }
  }

  /// - Returns: The job of the read if it waits. The caller must run it.
  fileprivate func cancel(_ read: PooledRead) -> UnownedJob? {
    state.withLock { state in
      read.isCancelled.store(true, ordering: .relaxed)
      let job = state.waiting.remove(read.ticket.load(ordering: .relaxed))?.job
      if job != nil { read.wait.end() }
      return job
    }
  }
}

/// A context with a queue of its own, so that reads block no thread of the cooperative pool.
private final class PooledReader: @unchecked Sendable {
  // Only jobs on the queue of the executor use the context.
  let executor: DefaultSerialModelExecutor
  private let settings: ContextSettings

  init(_ container: ModelContainer) {
    let context = ModelContext(container)
    settings = ContextSettings(context)
    executor = DefaultSerialModelExecutor(modelContext: context)
  }

  func read<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
    let context = executor.modelContext
    defer {
      if context.hasChanges { context.rollback() }
      settings.restore(in: context)
      // The next read sees another state, which models of this one might not show: other containers
      // and processes save too.
      withExtendedLifetime(context.core.recentModels.removeAll()) {}
      // Models that were prefetched along a circle retain each other.
      context.core.releaseRelatedModels()
    }
    context.core.failedReads.removeAll()
    let result = try context.core.snapshot(from: .firstRead) { try body(context) }
    try context.core.failedReads.throwFirst(
      "reading",
      "Related models or large values could not be read, so the result would be incomplete. Read again."
    )
    guard !context.hasChanges else {
      throw SwiftDataError.modelValidationFailure.with(
        "The closure of a read left unsaved changes, which were discarded. Change models in a model "
          + "actor.", because: .invalidRequest)
    }
    return result
  }
}

/// One read: the executor that its task prefers meanwhile.
final class PooledRead: TaskExecutor {
  private let pool: ReaderPool
  private let interruption = ReadInterruption()
  /// The reader that runs the job of the task now.
  private let reader = Mutex<PooledReader?>(nil)
  /// Guarded by the state of the pool.
  fileprivate let isCancelled = Atomic(false)
  /// Whether it has waited longer than the limit; guarded by the state of the pool.
  fileprivate let isLate = Atomic(false)
  /// What the waiting job had in the queue last; guarded by the state of the pool.
  fileprivate let ticket = Atomic(-1)
  fileprivate let wait = QueuedWait()

  init(_ pool: ReaderPool) { self.pool = pool }

  func enqueue(_ job: consuming ExecutorJob) { pool.enqueue(UnownedJob(job), of: self) }

  /// Runs on the queue of a reader, or elsewhere if the task was cancelled before, or has waited too long.
  func run<Result>(_ body: @Sendable (ModelContext) throws -> Result) async throws -> Result {
    if !pool.logs.isEmpty { wait.report(.reader, to: pool.logs) }
    guard let reader = reader.withLock(\.self) else {
      if isLate.load(ordering: .relaxed), let limit = pool.limit { throw PooledRead.busy(limit) }
      throw CancellationError()
    }
    do {
      let result = try interruption.run { try reader.read(body) }
      // Code that ignores the errors of interrupted reads returns a wrong result.
      if interruption.isRequested { throw CancellationError() }
      return result
    } catch  where interruption.isRequested {
      throw CancellationError()
    }
  }

  private static func busy(_ limit: WaitLimit) -> SwiftDataError {
    .storeReadFailure.with(
      "The read waited \(limit.duration) for those before it and did not begin. Try again, make reads shorter, "
        + "open the store with more readers, or raise waitingAtMost of the ModelReaders.",
      doing: "waiting for other reads", because: .busy)
  }

  /// Runs the job with the reader, on its queue.
  fileprivate func lend(_ lent: PooledReader, to job: UnownedJob) {
    reader.withLock { $0 = lent }
    job.runSynchronously(on: asUnownedTaskExecutor())
    reader.withLock { $0 = nil }
  }

  func cancel() {
    interruption.request()
    if let job = pool.cancel(self) { runElsewhere(job) }
  }

  /// The task throws then, because it has no reader. Nothing here uses the read afterwards.
  fileprivate func runElsewhere(_ job: UnownedJob) {
    DispatchQueue.global().async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
