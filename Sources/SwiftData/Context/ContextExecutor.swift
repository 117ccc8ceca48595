import Dispatch
import Foundation

/// The actor that a context belongs to. It runs autosaves and ends undo events in separate jobs.
enum ContextExecutor: Sendable {
  case mainActor
  case actor(ActorReference)
  case executor(ExecutorReference)

  init(_ executor: any SerialExecutor) { self = .executor(ExecutorReference(executor)) }

  init(_ actor: any Actor) {
    self = actor === MainActor.shared ? .mainActor : .actor(ActorReference(actor))
  }

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

  /// The executor of a model actor, which owns the context; `nil` for another actor.
  var ofModelActor: (any SerialExecutor)? {
    guard case .executor(let reference) = self else { return nil }
    return reference.executor
  }

  /// Runs `work` on the actor as a separate job; does nothing if the actor was deallocated.
  func run(_ work: @escaping @Sendable () throws -> Void) async throws {
    switch self {
    case .mainActor: try await MainActor.run { try work() }
    case .actor(let reference):
      guard let actor = reference.actor else { return }
      try await ContextExecutor.run(work, on: actor)
    case .executor(let reference):
      guard let executor = reference.executor else { return }
      try await Visitor(executor: executor).run(work)
    }
  }

  /// Runs `work` on the actor later.
  func schedule(_ work: @escaping @Sendable () -> Void) {
    switch self {
    case .mainActor:
      // Avoids a hop through another thread.
      Task { @MainActor in work() }
    case .actor(let reference):
      guard let actor = reference.actor else { return }
      Task { try await ContextExecutor.run(work, on: actor) }
    case .executor: Task.detached { [self] in try await run(work) }
    }
  }

  private static func run(
    _ work: @Sendable () throws -> Void, on actor: isolated any Actor
  ) throws { try work() }
}

/// A weak reference to an actor, so that an observer does not retain the actor that owns it.
final class ActorReference: @unchecked Sendable {
  private(set) weak var actor: (any Actor)?

  init(_ actor: any Actor) { self.actor = actor }
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

/// The actor of a context, shared by the parts that schedule jobs on it.
final class ContextIsolation {
  /// The actor that the context belongs to, if known.
  var known: ContextExecutor?

  /// The actor on which edits are made now: the known one, or the main actor on its thread.
  var current: ContextExecutor? { known ?? ContextExecutor.current }
}
