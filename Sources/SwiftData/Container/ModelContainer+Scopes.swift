import Observation
import Synchronization

// The containers that queries find. None of this is in Apple's framework, where views have an environment.

extension ModelContainer {
  /// The container of the process: that of each query which is in no scope of another one.
  ///
  /// ```swift
  /// ModelContainer.installed = container
  /// ```
  ///
  /// It may be set at any time, from any thread. Queries that are observed tell of it.
  ///
  /// Not in Apple's framework.
  public static var installed: ModelContainer? {
    get { InstalledContainer.shared.container }
    set { InstalledContainer.shared.container = newValue }
  }

  /// The container of the innermost scope around the code that runs.
  @TaskLocal static var scoped: ModelContainer?

  /// A container without stores.
  static let empty = ModelContainer(
    ContainerCoordinator(schema: Schema(), stores: [], configurations: [], migrationPlan: nil))
}

/// Gives a container to the queries that are made, first read or updated in a scope.
///
/// ```swift
/// let model = withModelContainer(container) { TripsModel() }
/// ```
///
/// Not in Apple's framework.
/// - Parameters:
///   - container: What the queries fetch from, in its main context.
///   - operation: The scope, with all functions that it calls and the tasks of its own that it makes.
/// - Returns: What the scope returns.
/// - Throws: What the scope throws.
public func withModelContainer<Result>(
  _ container: ModelContainer, operation: () throws -> Result
) rethrows -> Result {
  try ModelContainer.$scoped.withValue(container, operation: operation)
}

/// Gives a container to the queries that are made, first read or updated in a scope that waits.
///
/// Not in Apple's framework.
/// - Parameters:
///   - container: What the queries fetch from, in its main context.
///   - isolation: The actor of the scope.
///   - operation: The scope, with all functions that it calls and the tasks of its own that it makes.
/// - Returns: What the scope returns.
/// - Throws: What the scope throws.
public func withModelContainer<Result>(
  _ container: ModelContainer, isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> Result
) async rethrows -> Result {
  try await ModelContainer.$scoped.withValue(
    container, operation: operation, isolation: isolation)
}

/// The container of the process, whose changes can be observed.
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
        // Stores are closed outside of the lock.
        withExtendedLifetime(old) {}
      }
    }
  }
}
