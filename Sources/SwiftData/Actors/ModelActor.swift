/// An actor with a model context of its own; `@ModelActor` writes what it needs.
///
/// ```swift
/// let importer = Importer(modelContainer: container)
/// try await importer.add(["Lisbon", "Porto"])
/// ```
///
/// See ``ModelActor()`` for the actor, and <doc:Concurrency>.
public protocol ModelActor: Actor {
  /// The container of the context.
  nonisolated var modelContainer: ModelContainer { get }

  /// Runs the code of the actor; a `SerialModelExecutor`.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor of the actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure(
        "\(Self.self).modelExecutor is a \(type(of: modelExecutor)); an actor needs a "
          + "SerialModelExecutor, such as DefaultSerialModelExecutor")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The context of the actor.
  public var modelContext: ModelContext {
    let context = modelExecutor.modelContext
    if context.core.executor == nil, let executor = modelExecutor as? any SerialModelExecutor {
      context.core.executor = ContextExecutor(executor)
    }
    return context
  }

  /// The model of an identifier; `nil` when it is of another type or does not exist.
  public subscript<T>(id: PersistentIdentifier, as as: T.Type) -> T? where T: PersistentModel {
    modelContext.core._model(for: id) as? T
  }
}
