import Foundation
import Synchronization

/// Reads the stores of a container on several threads at the same time.
///
/// ```swift
/// let readers = ModelReaders(container)
/// let names = try await readers.read { context in
///   try context.fetch(FetchDescriptor<Trip>()).map(\.name)
/// }
/// ```
///
/// A model actor uses one thread. A server that reads more than it writes can have one model actor
/// for changes, and this type for everything else: so many reads run at the same time as the store
/// has connections for reading (``ModelConfiguration/SQLiteOptions/readers``).
///
/// Each read sees one state of each store, as in ``ModelContext/snapshot(_:)``: fetches, faults and
/// relationships fit together. It sees everything that was saved before it began. Models must not
/// leave the closure, so it returns values. More reads than readers wait in the order in which they
/// came; a cancelled one stops waiting. Not in Apple's framework.
public final class ModelReaders: Sendable {
  /// The container that is read.
  public let container: ModelContainer
  /// How many reads can run at the same time.
  public let count: Int

  private struct State {
    var idle: [Reader]
    var waiting: [(number: Int, continuation: CheckedContinuation<Reader, any Error>)] = []
    var cancelled: Set<Int> = []
    var nextNumber = 0
  }

  private let state: Mutex<State>

  /// Prepares reads of a container.
  /// - Parameters:
  ///   - container: The container.
  ///   - count: How many reads can run at the same time, at least 1; `nil` for the number of
  ///     connections for reading of its stores.
  public init(_ container: ModelContainer, count: Int? = nil) {
    self.container = container
    let connections = container.configurations.map { $0.isStoredInMemoryOnly ? 1 : $0.sqlite.readers }
    let count = max(1, count ?? connections.min() ?? ModelConfiguration.SQLiteOptions().readers)
    self.count = count
    state = Mutex(State(idle: (0..<count).map { _ in Reader(container) }))
  }

  /// Runs a read on a thread of its own, with a context that has no unsaved changes.
  /// - Parameter body: Fetches, and returns values. It must not change models.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`; `CancellationError` if the task is cancelled before the read begins;
  ///   ``SwiftDataError/modelValidationFailure`` if `body` leaves unsaved changes, which are
  ///   discarded.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> Result
  ) async throws -> Result {
    let (reader, number) = try await idleReader()
    defer { release(reader, number) }
    return try await reader.read(body)
  }

  // MARK: Waiting

  private func idleReader() async throws -> (reader: Reader, number: Int) {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let reader = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Swift.Result<Reader, any Error>? = state.withLock { state in
          // The task may have been cancelled before it could wait.
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if let reader = state.idle.popLast() { return .success(reader) }
          state.waiting.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> CheckedContinuation<Reader, any Error>? in
        guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      waiting?.resume(throwing: CancellationError())
    }
    return (reader, number)
  }

  private func release(_ reader: Reader, _ number: Int) {
    let next = state.withLock { state -> CheckedContinuation<Reader, any Error>? in
      // A cancellation while it read.
      state.cancelled.remove(number)
      if state.waiting.isEmpty {
        state.idle.append(reader)
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: reader)
  }
}

/// One context with a queue of its own, so that reads block no thread of the cooperative pool.
private actor Reader: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(_ container: ModelContainer) {
    modelContainer = container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
  }

  func read<Result: Sendable>(_ body: (ModelContext) throws -> Result) throws -> Result {
    let context = modelContext
    defer { if context.hasChanges { context.rollback() } }
    let result = try context.snapshot { try body(context) }
    guard !context.hasChanges else {
      throw SwiftDataError.modelValidationFailure.with(
        "The closure of a read left unsaved changes, which were discarded. Change models in a model "
          + "actor.", because: .invalidRequest)
    }
    return result
  }
}
