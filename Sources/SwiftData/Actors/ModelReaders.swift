import Synchronization

/// Reads the stores of a container on several threads at the same time.
///
/// ```swift
/// let readers = ModelReaders(container, waitingAtMost: .seconds(5))
/// let names = try await readers.read { context in
///   try context.fetch(FetchDescriptor<Trip>()).map(\.name)
/// }
/// ```
///
/// A model actor uses one thread. A server that reads more than it writes can have one model actor
/// for changes, and this type for everything else: so many reads run at the same time as the store
/// has connections for reading: ``ModelConfiguration/SQLiteOptions/readers`` of a file; in PostgreSQL
/// `connections` without two, one for the writer and one for observers, and those to standbys.
///
/// Each read sees one state of each store, as in ``ModelContext/snapshot(_:)``: fetches, faults and
/// relationships fit together. It sees everything that was saved before it began, also by other
/// processes, unless it reads from a standby of PostgreSQL that has not received their saves. It may see
/// what was saved before its first fetch. Models must not leave the closure, so it returns values, and no
/// model stays in memory for the next read. More reads than readers wait in the order in which they
/// came. What a read sets on its context ends with it. Without a limit of the wait, a few slow reads make all others wait, however long it takes: a server
/// sets one, and answers 503. A read whose task is cancelled stops waiting; if it runs, its statement is
/// interrupted. Not in Apple's framework.
public final class ModelReaders: Sendable {
  /// The container that is read.
  public let container: ModelContainer
  /// How many reads can run at the same time.
  public let count: Int

  private let pool: ReaderPool

  /// Prepares reads of a container.
  /// - Parameters:
  ///   - container: The container.
  ///   - count: How many reads can run at the same time, at least 1; `nil` for the number of
  ///     connections for reading of its stores.
  ///   - limit: How long reads wait for those before them, at least 100 milliseconds, until they fail;
  ///     `nil` for no limit. The wait for a connection, which other contexts may use too, has the limit of
  ///     the store.
  public init(
    _ container: ModelContainer, count: Int? = nil, waitingAtMost limit: Duration? = nil
  ) {
    self.container = container
    let possible = container.coordinator.ports.compactMap(\.readerCount).min()
    let count = max(1, count ?? possible ?? ModelConfiguration.SQLiteOptions().readers)
    self.count = count
    pool = ReaderPool(container, count: count, within: limit)
  }

  /// Runs a read on a thread of its own, with a context that has no unsaved changes.
  ///
  /// The read belongs to the calling task, with its task-local values. A wait for other reads is an event of the
  /// stores' logs (``StatementLog/Event/wait(_:)``).
  /// - Parameter body: Fetches, and returns values. It must not change models.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`; `CancellationError` if the task is cancelled before `body` has its
  ///   results;
  ///   ``SwiftDataError/modelValidationFailure`` if `body` leaves unsaved changes, which are
  ///   discarded; ``SwiftDataError/storeReadFailure`` if related models could not be read, whose lists
  ///   were empty therefore, or, with the reason `busy`, if the read did not begin within the limit.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let read = PooledRead(pool)
    return try await withTaskCancellationHandler {
      try await withTaskExecutorPreference(read) { try await read.run(body) }
    } onCancel: {
      read.cancel()
    }
  }
}
