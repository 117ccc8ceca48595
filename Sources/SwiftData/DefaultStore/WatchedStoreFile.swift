import Foundation
import OpenSwiftDataSQLiteEngine

/// One file of a `StoreFileWatchLoop`, with its watches and its timing.
struct WatchedStoreFile {
  /// The time between calls if the system does not report writes.
  private static let interval = Duration.seconds(1)

  let onWrite: @Sendable () -> Void
  private let folder: String
  /// The names of the file, for commits without a log and for checkpoints, and of its log.
  private let names: [String]
  private let isShared: Bool
  private var folderNumber: Int32?
  private var fileNumbers: Set<Int32> = []
  var timing: StoreFileTiming

  init(
    _ path: String, isShared: Bool, now: Duration, onWrite: @escaping @Sendable () -> Void
  ) {
    self.onWrite = onWrite
    self.isShared = isShared
    // SQLite keeps its log beside the target of a link.
    let file = URL(fileURLWithPath: DatabaseFile.resolvedPath(path))
    folder = file.deletingLastPathComponent().path
    names = [file.lastPathComponent, file.lastPathComponent + "-wal"]
    timing = StoreFileTiming(now: now)
  }

  /// The numbers of its watches.
  var numbers: Set<Int32> { fileNumbers.union(folderNumber.map { [$0] } ?? []) }

  /// Watches the existing files. If the system refuses, or does not report all writes, the file is
  /// checked every second.
  mutating func attach(to events: FileEvents?, now: Duration) {
    folderNumber = events?.watchFolder(folder)
    let found = names.map { name in events?.watchFile(folder + "/" + name) }
    fileNumbers.formUnion(found.compactMap { $0 })
    let isTold = folderNumber != nil && found[0] != nil && !isShared
    timing.poll(every: isTold ? nil : WatchedStoreFile.interval, now: now)
  }

  mutating func take(_ event: FileEvents.Event, from events: FileEvents?, now: Duration) {
    if event.number < 0 { return timing.written(now: now) }
    let isOfFile = fileNumbers.contains(event.number)
    let isOfFolder = event.number == folderNumber
    guard isOfFile || isOfFolder && (event.isLast || names.contains(event.name)) else { return }
    if event.isLast { fileNumbers.remove(event.number) }
    // A removed folder is not reported while one of its files is open.
    if !event.isWrite { attach(to: events, now: now) }
    timing.written(now: now)
  }
}
