import Synchronization

/// Changes the stores of a container, many small changes with one commit.
///
/// ```swift
/// let writer = ModelWriter(container, waitingAtMost: .seconds(5))
/// let name = try await writer.write { context in
///   let trip = try context.fetch(FetchDescriptor<Trip>()).first
///   trip?.name += " once more"
///   return trip?.name
/// }
/// ```
///
/// Each closure is a *unit of work*. One context runs all of them, one after the other, so what a
/// unit has read cannot change before it writes, also not by another process. The end of a
/// transaction costs more than a small change. So units that come while another one runs become part of
/// its transaction:
///
/// ```
///   write(a) ─▶ begin ─▶ a, save ─▶ b, save ─▶ c, save ─▶ commit ─▶ a, b and c return
///   write(b) ────────────┘          │
///   write(c) ───────────────────────┘
/// ```
///
/// - A unit returns after the commit. What is returned is stored.
/// - A unit is stored completely or not at all. Its error is thrown to its caller only.
/// - Each unit is one save, with its own transaction in the history.
/// - If a unit fails after it has saved something itself, the transaction is undone, and each of its
///   units runs *again*, in a transaction of its own. The same happens after errors of the database.
///   So a closure must change nothing but models.
/// - A group ends after 100 units or 50 milliseconds, so that other processes can write.
///
/// Stores that implement the public ``DataStore`` protocol have no transactions; with them each unit is
/// a group. Models must not leave the closure, so it returns values; use ``ModelReaders`` for what only
/// reads. Not in Apple's framework.
public final class ModelWriter: Sendable {
  /// The container that is changed.
  public let container: ModelContainer

  private let waiting = WaitingWrites()
  private let groups: WriteGroups

  /// Prepares changes of a container.
  /// - Parameters:
  ///   - container: The container.
  ///   - limit: How long units wait for other contexts, and again for other processes, until they
  ///     fail; `nil` for the limits of the stores.
  ///   - prepare: Called before each unit, for example to set ``ModelContext/uniquenessPolicy`` or
  ///     ``ModelContext/author``.
  public init(
    _ container: ModelContainer, waitingAtMost limit: Duration? = nil,
    prepare: @escaping @Sendable (ModelContext) -> Void = { _ in }
  ) {
    self.container = container
    groups = WriteGroups(container, waiting, within: limit, prepare: prepare)
  }

  /// Runs a unit of work and saves what it has changed.
  ///
  /// A task that is cancelled while it waits is not interrupted: its unit runs.
  /// - Parameter body: Fetches, changes models, and returns values. It may run twice.
  /// - Returns: The result of `body`, after the commit.
  /// - Throws: Errors of `body` or of the save; nothing of the unit is stored then. If the commit
  ///   fails or another writer keeps the lock, all units of the group get that error.
  ///   `CancellationError` if the task is already cancelled.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      let write = WaitingWrite(
        run: { context in
          let result = try body(context)
          return { continuation.resume(returning: result) }
        }, fail: { continuation.resume(throwing: $0) })
      if waiting.add(write) { groups.start() }
    }
  }
}

/// A unit of work, whose caller waits.
struct WaitingWrite: Sendable {
  /// Returns what resumes the caller after the commit.
  let run: @Sendable (ModelContext) throws -> @Sendable () -> Void
  /// Resumes the caller.
  let fail: @Sendable (any Error) -> Void
}

/// The units of work that have not begun, in the order in which they came.
final class WaitingWrites: Sendable {
  private struct State {
    var writes: [WaitingWrite] = []
    var isServed = false
  }

  private let state = Mutex(State())

  /// - Returns: Whether nobody serves the queue. The caller must make somebody serve it then.
  func add(_ write: WaitingWrite) -> Bool {
    state.withLock { state in
      state.writes.append(write)
      defer { state.isServed = true }
      return !state.isServed
    }
  }

  func take(atMost count: Int) -> [WaitingWrite] {
    state.withLock { state in
      let taken = Array(state.writes.prefix(count))
      state.writes.removeFirst(taken.count)
      return taken
    }
  }

  /// - Returns: Whether the queue is empty, and so needs nobody.
  func end() -> Bool {
    state.withLock { state in
      if state.writes.isEmpty { state.isServed = false }
      return !state.isServed
    }
  }
}
