import Foundation
import Synchronization

// None of this is in Apple's framework.

extension ModelContainer {
  /// Saves what autosave would save, waits for running work, and closes the stores.
  ///
  /// ```swift
  /// // At the end of a server, after its last request:
  /// try await container.close()
  /// ```
  ///
  /// 1. Contexts with autosave are saved, each on its actor, as by ``settle()``. If that fails, the
  ///    error is thrown and the container stays open. Unsaved changes of other contexts are lost.
  /// 2. New operations throw ``SwiftDataError/containerClosed`` from then on. Running fetches, saves
  ///    and transactions end as usual; `close` waits for them. A running backup is cancelled: it throws
  ///    that error too, and leaves no file.
  /// 3. The log of each file is written back, so that the file alone contains everything, and no
  ///    `-wal` and `-shm` file remains unless another container or process uses the store.
  /// 4. Observers of the container look once more and get the error; sequences of results and of
  ///    history end.
  ///
  /// Models in memory keep the values that they have. Faults read as placeholder values; see
  /// ``UnreadableValue``. A store in memory is gone. Custom stores are not closed, but contexts of the
  /// container do not use them any more.
  ///
  /// Repeated and concurrent calls wait for the first one. Must not be awaited inside of a
  /// transaction. Without this call the stores are closed with the last reference to the container
  /// and its contexts.
  /// - Throws: The first error of an autosave, or the error of a store. If a log can't be written back,
  ///   as on a full volume, that is ``SwiftDataError/storeWriteFailure`` with the reason `diskFull` or
  ///   `unavailable`: keep the `-wal` file with its store, free space, and call `close` again. If somebody has
  ///   deleted the log, it is written back unless the file was changed since. Otherwise the file is left as it
  ///   is, the container is closed, and the error says that changes may be missing.
  public func close() async throws { try await coordinator.close() }

  /// Whether ``close()`` has begun to close the stores.
  public var isClosed: Bool { coordinator.isClosed }
}

/// The end of a container's stores.
///
/// The first call begins a task, and all calls wait for it. A failed one can be repeated. `state`
/// guards the task.
final class ContainerClosing: Sendable {
  private let state = Mutex<Task<Void, any Error>?>(nil)
  private let hasBegun = Atomic(false)

  /// Whether new operations are refused.
  var isClosed: Bool { hasBegun.load(ordering: .acquiring) }

  func run(_ coordinator: ContainerCoordinator) async throws {
    let task = state.withLock { known in
      if let known { return known }
      let new = Task { try await self.close(coordinator) }
      known = new
      return new
    }
    do {
      try await task.value
    } catch {
      state.withLock { if $0 == task { $0 = nil } }
      throw error
    }
  }

  private func close(_ coordinator: ContainerCoordinator) async throws {
    if !isClosed { try await coordinator.autosaves.settle() }
    coordinator.backups.cancel()
    hasBegun.store(true, ordering: .releasing)
    coordinator.remoteCommits.close()
    try await onOwnThread {
      // Each has a connection of its own, with which the log could not be written back.
      coordinator.backups.wait()
      var failure: (any Error)?
      // Observers end also if a log stays.
      defer {
        coordinator.changeLog.add(.everything, by: nil)
        coordinator.commits.fire()
      }
      for case let store as any ClosableStore in coordinator.stores {
        do { try store.close() } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
    }
  }
}

/// Runs work that may block for long, so that it occupies no thread of the cooperative pool.
func onOwnThread<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Swift.Result { try work() })
    }
  }
}

extension ContainerCoordinator {
  var isClosed: Bool { closing.isClosed }

  func close() async throws { try await closing.run(self) }

  /// - Throws: `SwiftDataError.containerClosed`, but not inside of work that `close` waits for.
  func requireOpen() throws {
    guard isClosed, !stores.contains(where: { ($0 as? any ClosableStore)?.isUsedByThread == true })
    else { return }
    throw SwiftDataError.containerClosed.with("It was closed with close(). Open a new container.")
  }
}
