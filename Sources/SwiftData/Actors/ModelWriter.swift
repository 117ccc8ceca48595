/// Changes the stores of a container in units of work that are stored completely or not at all.
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
/// Each closure is a *unit of work*: what it has read cannot change before it writes, also not by
/// another process.
///
/// In a file, one context runs all units, one after the other. The end of a transaction costs more than
/// a small change. So units that come while another one runs become part of its transaction:
///
/// ```
///   write(a) ─▶ begin ─▶ a, save ─▶ b, save ─▶ c, save ─▶ commit ─▶ a, b and c return
///   write(b) ────────────┘          │
///   write(c) ───────────────────────┘
/// ```
///
/// In PostgreSQL, several contexts run units at the same time, up to half of the `connections`, each in a
/// transaction that the server isolates from others (`SERIALIZABLE`). A unit that another writer has
/// disturbed runs again. While units disturb each other, as when all change the same row, they
/// run one after the other and share commits.
///
/// - A unit returns after the commit. What is returned is stored.
/// - A unit is stored completely or not at all. Its error is thrown to its caller only.
/// - Each unit is one save, with its own transaction in the history.
/// - What a unit sets on the context, such as ``ModelContext/author`` or ``ModelContext/undoManager``, ends
///   with it.
/// - What observers of `didSave` edit in the context is saved before the next unit of the context, with the author of the
///   unit, in a transaction of its own. It is saved like edits of any context: other writers are not kept from changing
///   what an observer has read, so to increase a number, call `write` in a task. The unit returns after this save, or
///   after `waitingAtMost`. If the store is busy, the save is repeated for a minute. What can't be saved is discarded,
///   with a line on standard error. What observers of `willSave` edit is part of the unit.
/// - If one of several units of a transaction fails after it has saved something itself, or its save fails after it
///   has written, the transaction is undone, and each of its units runs *again*, in a transaction of its own. The same
///   happens after errors of the database. So a closure must change nothing but models.
/// - A shared transaction ends after 100 units or 50 milliseconds, so that other processes can write.
///
/// Stores that implement the public ``DataStore`` protocol have no transactions: each unit is a group
/// there. In a container with several stores units run one after the other, also in PostgreSQL.
///
/// Models must not leave the closure, so it returns values; use ``ModelReaders`` for what only reads. Not
/// in Apple's framework.
public final class ModelWriter: Sendable {
  /// The container that is changed.
  public let container: ModelContainer

  private let waiting: WaitingWrites
  private let groups: [WriteGroups]
  /// Receive the waits.
  private let logs: [StatementLog]

  /// Prepares changes of a container.
  /// - Parameters:
  ///   - container: The container.
  ///   - limit: How long units wait for those before them, at least 100 milliseconds, for other contexts, and
  ///     again for other processes, until they fail; `nil` for the limits of the stores, and no limit for the
  ///     wait for units of this writer.
  ///   - prepare: Called before each unit, on the queue of its context, for example to set
  ///     ``ModelContext/uniquenessPolicy`` or ``ModelContext/author``.
  public init(
    _ container: ModelContainer, waitingAtMost limit: Duration? = nil,
    prepare: @escaping @Sendable (ModelContext) -> Void = { _ in }
  ) {
    self.container = container
    let count = WriteGroups.count(for: container)
    logs = container.coordinator.ports.compactMap(\.log)
    let waiting = WaitingWrites(contexts: count, within: limit, notesWaits: !logs.isEmpty)
    self.waiting = waiting
    groups = (0..<count).map {
      WriteGroups(container, waiting, index: $0, within: limit, prepare: prepare)
    }
  }

  /// Runs a unit of work and saves what it has changed.
  ///
  /// If the task is cancelled while the unit waits for others, the unit does not run. One that runs is not
  /// interrupted. The wait is an event of the stores' logs (``StatementLog/Event/wait(_:)``), when the unit has ended.
  /// - Parameter body: Fetches, changes models, and returns values. It may run several times.
  /// - Returns: The result of `body`, after the commit.
  /// - Throws: Errors of `body` or of the save; nothing of the unit is stored then. If the commit
  ///   fails or another writer keeps the lock, all units of the group get that error.
  ///   `CancellationError` if the task is cancelled before the unit begins.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let caller = WaitingCaller()
    defer { if !logs.isEmpty { caller.queueing.report(.writer, to: logs) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        caller.wait { continuation.resume(throwing: $0) }
        let write = WaitingWrite(caller: caller) { context in
          let result = try body(context)
          return { if caller.end() { continuation.resume(returning: result) } }
        }
        if let index = waiting.add(write) { groups[index].start() }
      }
    } onCancel: {
      waiting.cancel(caller)
    }
  }
}
