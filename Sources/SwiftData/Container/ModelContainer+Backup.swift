public import Foundation
import Synchronization

extension ModelContainer {
  /// Copies a store into a file while the store is used.
  ///
  /// ```swift
  /// let name = Date.now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
  /// let summary = try await container.backup(to: folder.appending(path: "trips-\(name).store"))
  /// print(summary.byteCount, summary.rowCounts)
  /// ```
  ///
  /// The copy has one state of the store: everything that was committed when the backup began. Fetches
  /// and saves continue meanwhile, also in other processes. The write-ahead log grows until the end,
  /// because it keeps that state. With large values in files of their own, writers wait while the
  /// files are linked. Opened with the same models, the copy is a store with the same identifier.
  /// If another container or process has migrated the store since it was opened, the copy has the new
  /// version: open it with the new models.
  ///
  /// The copy is checked (`PRAGMA integrity_check`, and the number of rows) and synchronised with the
  /// disk before it gets its name. So a file with that name is complete. A backup that fails, is
  /// cancelled or is killed leaves at most a file with the extension `partial`, which the next backup
  /// to the same place removes. Large values are in a folder `.<name>_SUPPORT` beside the file; copy
  /// both to another machine.
  ///
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - url: The file of the copy, which must not exist, in an existing folder.
  ///   - name: The name of the configuration of the store; `nil` if the container has one store.
  ///   - progress: Called after each 4 MB or so, on a separate thread.
  /// - Throws: `CancellationError` if the task is cancelled; ``SwiftDataError/storeReadFailure`` if
  ///   the file exists, the store is in memory or not in a file, or reading or writing fails;
  ///   ``SwiftDataError/containerClosed``, also if the container is closed meanwhile.
  @discardableResult
  public func backup(
    to url: URL, configuration name: String? = nil,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws -> BackupSummary {
    try coordinator.requireOpen()
    let store = try backedUpStore(name)
    let isCancelled = Flag()
    let backups = coordinator.backups
    let closed = SwiftDataError.containerClosed.with(
      "It was closed with close(), so no backup was made. Open a new container.")
    return try await withTaskCancellationHandler {
      try await onOwnThread {
        do {
          let summary = try backups.run {
            try store.backup(
              to: url, progress: { progress?($0) },
              isCancelled: { isCancelled.isSet || backups.isCancelled })
          }
          guard let summary else { throw closed }
          return summary
        } catch is CancellationError where !isCancelled.isSet {
          throw closed
        }
      }
    } onCancel: {
      isCancelled.set()
    }
  }

  private func backedUpStore(_ name: String?) throws -> any BackupProviding {
    let named = coordinator.stores.filter { name == nil || $0.configuration.name == name }
    let names = coordinator.stores.map { "'\($0.configuration.name)'" }.joined(separator: ", ")
    guard let store = named.first, named.count == 1 else {
      throw SwiftDataError.storeReadFailure.with(
        name == nil
          ? "The container has several stores: \(names). Pass the name of a configuration."
          : "The container has no store with this configuration. It has \(names).",
        doing: "backing up a store", because: .invalidRequest)
    }
    guard let store = store as? any BackupProviding else {
      throw SwiftDataError.storeReadFailure.with(
        "The store '\(store.configuration.name)' is a custom store, which is not backed up by its container. "
          + "Use the means of the store.", doing: "backing up a store", because: .invalidRequest)
    }
    return store
  }
}

/// Is set once, by any thread.
private final class Flag: Sendable {
  private let state = Atomic(false)

  var isSet: Bool { state.load(ordering: .relaxed) }

  func set() { state.store(true, ordering: .relaxed) }
}
