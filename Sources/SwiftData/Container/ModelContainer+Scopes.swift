import Observation
import Synchronization

// The containers of queries. None of this is in Apple's framework, where views have an environment.

extension ModelContainer {
  /// The container of the process: queries use it unless they are in a scope of
  /// `withModelContainer`.
  ///
  /// ```swift
  /// ModelContainer.installed = container
  /// ```
  ///
  /// It may be set at any time, from any thread. Observed queries notify their observers.
  ///
  /// Not in Apple's framework.
  public static var installed: ModelContainer? {
    get { InstalledContainer.shared.container }
    set { InstalledContainer.shared.container = newValue }
  }

  /// The container of the innermost enclosing scope.
  @TaskLocal static var scoped: ModelContainer?

  /// A container without stores.
  static let empty = ModelContainer(
    ContainerCoordinator(schema: Schema(), stores: [], configurations: [], migrationPlan: nil))
}

/// Sets the container of queries that are created, first read or updated in a scope.
///
/// ```swift
/// let model = withModelContainer(container) { TripsModel() }
/// ```
///
/// Not in Apple's framework.
/// - Parameters:
///   - container: The queries fetch from its main context.
///   - operation: The code of the scope, including the functions it calls and the tasks it creates,
///     except detached ones.
/// - Returns: The result of `operation`.
/// - Throws: Errors of `operation`.
public func withModelContainer<Result>(
  _ container: ModelContainer, operation: () throws -> Result
) rethrows -> Result {
  try ModelContainer.$scoped.withValue(container, operation: operation)
}

/// Sets the container of queries that are created, first read or updated in an asynchronous scope.
///
/// Not in Apple's framework.
/// - Parameters:
///   - container: The queries fetch from its main context.
///   - isolation: The actor that `operation` runs on.
///   - operation: The code of the scope, including the functions it calls and the tasks it creates,
///     except detached ones.
/// - Returns: The result of `operation`.
/// - Throws: Errors of `operation`.
public func withModelContainer<Result>(
  _ container: ModelContainer, isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> Result
) async rethrows -> Result {
  try await ModelContainer.$scoped.withValue(
    container, operation: operation, isolation: isolation)
}

/// The container of the process, as an observable property.
private final class InstalledContainer: Observable, Sendable {
  static let shared = InstalledContainer()

  private let registrar = ObservationRegistrar()
  private let known = Mutex<ModelContainer?>(nil)

  var container: ModelContainer? {
    get {
      registrar.access(self, keyPath: \.container)
      return known.withLock { $0 }
    }
    set {
      registrar.withMutation(of: self, keyPath: \.container) {
        let old = known.withLock { known in
          defer { known = newValue }
          return known
        }
        // The old container's stores are closed outside of the lock.
        withExtendedLifetime(old) {}
      }
    }
  }
}
