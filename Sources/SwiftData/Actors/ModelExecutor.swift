public import _Concurrency

/// An executor for code that uses one model context.
public protocol ModelExecutor: Executor {
  /// The context. Only code that runs on this executor may use it.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
