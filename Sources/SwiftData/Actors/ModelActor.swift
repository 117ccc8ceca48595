/// An actor with its own model context. The macro `@ModelActor` adds the members that it requires.
///
/// ```swift
/// let importer = Importer(modelContainer: container)
/// try await importer.add(["Lisbon", "Porto"])
/// ```
///
/// ``ModelActor()`` shows the declaration of such an actor; see also <doc:Concurrency>.
public protocol ModelActor: Actor {
  /// The container of the context.
  nonisolated var modelContainer: ModelContainer { get }

  /// The executor that runs the actor's code; it must be a `SerialModelExecutor`.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The actor's executor. Stops the program unless `modelExecutor` is a `SerialModelExecutor`.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure(
        "\(Self.self).modelExecutor is a \(type(of: modelExecutor)); an actor needs a "
          + "SerialModelExecutor, such as DefaultSerialModelExecutor")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The actor's context. Only the actor's own code may use it.
  public var modelContext: ModelContext {
    let context = modelExecutor.modelContext
    if context.core.executor == nil, let executor = modelExecutor as? any SerialModelExecutor {
      context.core.executor = ContextExecutor(executor)
    }
    return context
  }

  /// Returns the model with this identifier, or `nil` if it has another type or does not exist.
  public subscript<T>(id: PersistentIdentifier, as as: T.Type) -> T? where T: PersistentModel {
    modelContext.core._model(for: id) as? T
  }
}
