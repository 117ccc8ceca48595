import Dispatch

/// Runs the code of a model actor on a serial queue of its own, never on the main thread.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  /// The context, which only code that the executor runs may use.
  public final let modelContext: ModelContext

  private let queue = DispatchQueue(label: "SwiftData.DefaultSerialModelExecutor")

  /// Makes an executor for a context that nobody else uses.
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

  /// A reference that does not keep the executor alive; the actor does.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Stops the program unless it runs on the queue of the executor.
  public func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
