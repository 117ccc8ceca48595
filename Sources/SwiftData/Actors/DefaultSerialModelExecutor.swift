import Dispatch

/// Runs the code of a model actor on a serial queue of its own, never on the main thread.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  /// The context. Only code that runs on this executor may use it.
  public final let modelContext: ModelContext

  private let queue = DispatchQueue(label: "SwiftData.DefaultSerialModelExecutor")

  /// Creates an executor for a context that no other code uses.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    modelContext.core.executor = ContextExecutor(self)
  }

  /// Runs a job after those that were enqueued before.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The queue keeps the executor alive until the job is done.
    queue.async { [self] in
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  /// Runs other work that uses the context, in the same order as jobs.
  func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  /// Returns a reference that does not retain the executor; the actor retains it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Stops the program unless the caller runs on the executor's queue.
  public func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
