public import _Concurrency

/// Runs code that uses a model context.
public protocol ModelExecutor: Executor {
  /// The context, which only code that the executor runs may use.
  var modelContext: ModelContext { get }
}

/// Runs code that uses a model context, one piece after the other.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
