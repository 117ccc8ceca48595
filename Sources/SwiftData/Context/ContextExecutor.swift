import Dispatch
import Foundation

/// The actor that a context belongs to. It runs autosaves and ends undo events in separate jobs.
enum ContextExecutor: Sendable {
  case mainActor
  case executor(ExecutorReference)

  init(_ executor: any SerialExecutor) { self = .executor(ExecutorReference(executor)) }

  /// The main actor, if the caller runs on its queue; other actors cannot be recognised.
  ///
  /// On Linux any thread may serve the main queue once the main thread has handed it over.
  static var current: ContextExecutor? {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueueKey) == true ? .mainActor : nil
  }

  private static let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Runs `work` on the actor as a separate job; does nothing if the actor was deallocated.
  func run(_ work: @escaping @Sendable () throws -> Void) async throws {
    switch self {
    case .mainActor: try await MainActor.run { try work() }
    case .executor(let reference):
      guard let executor = reference.executor else { return }
      try await Visitor(executor: executor).run(work)
    }
  }

  /// Runs `work` on the actor later.
  func schedule(_ work: @escaping @Sendable () -> Void) {
    guard case .executor = self else {
      // Avoids a hop through another thread.
      Task { @MainActor in work() }
      return
    }
    Task.detached { [self] in try await run(work) }
  }
}

/// Weak, because an executor holds its context.
final class ExecutorReference: @unchecked Sendable {
  private(set) weak var executor: (any SerialExecutor)?

  init(_ executor: any SerialExecutor) { self.executor = executor }
}

/// A weak reference to a context; to be used on the context's actor only.
final class ContextReference: @unchecked Sendable {
  private(set) weak var context: ModelContext?

  init(_ context: ModelContext) { self.context = context }
}

/// Runs work on the executor of another actor, which it keeps alive meanwhile.
private actor Visitor {
  private let executor: any SerialExecutor

  init(executor: any SerialExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run(_ work: @Sendable () throws -> Void) throws { try work() }
}
