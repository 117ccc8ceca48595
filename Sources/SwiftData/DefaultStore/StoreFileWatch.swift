import Foundation
import OpenSwiftDataSQLiteEngine
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls a function after writes to the file of a store, as long as this object lives.
///
/// Reports writes of this and other processes. All commits within a few milliseconds cause one
/// call, and some further calls follow after the last write (`StoreFileTiming`). The receiver must
/// therefore ask the store what was committed, if anything. A file that is removed or replaced
/// counts as written.
///
/// On network and user-space file systems the system does not report writes of other machines and
/// programs; then, and if the system has no more watches, there is a call every second.
package final class StoreFileWatch: Sendable {
  /// The number of files that the process watches.
  package static var count: Int { StoreFileWatchThread.count }

  private let number: Int

  /// - Parameters:
  ///   - path: The file of an open store.
  ///   - onWrite: Called on the thread of all watches, so it must not block.
  package init(_ path: String, onWrite: @escaping @Sendable () -> Void) {
    number = StoreFileWatchThread.add(path, onWrite)
  }

  deinit { StoreFileWatchThread.remove(number) }
}

/// The thread that waits for writes to all watched files of the process.
///
/// 1. The first watch starts the thread. A further watch is added to the state, and a byte in a
///    pipe wakes the thread.
/// 2. The thread sleeps until the system has events or a file is due; without either it uses no
///    processor time. While a burst is gathered it ignores further events.
/// 3. Files take their events, and the due ones are called.
/// 4. The last watch ends the thread. A later watch starts another one.
///
/// `current` guards the loop of the process, `state` the files of one loop.
private final class StoreFileWatchThread: @unchecked Sendable {
  private static let current = Mutex<(loop: StoreFileWatchThread?, lastNumber: Int)>((nil, 0))

  fileprivate struct State {
    var files: [Int: WatchedStoreFile] = [:]
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// Watches are added by any thread, events are read by the loop's thread; the kernel
  /// synchronises.
  private let events = FileEvents()
  private let wakeReading: Int32
  private let wakeWriting: Int32
  private let start = ContinuousClock.now

  private init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }
    (wakeReading, wakeWriting) = (ends[0], ends[1])
  }

  deinit {
    for end in [wakeReading, wakeWriting] where end >= 0 { close(end) }
  }

  /// The number of files that the process watches.
  static var count: Int {
    current.withLock { current in current.loop?.state.withLock { $0.files.count } ?? 0 }
  }

  static func add(_ path: String, _ onWrite: @escaping @Sendable () -> Void) -> Int {
    current.withLock { current in
      current.lastNumber += 1
      let loop = current.loop ?? StoreFileWatchThread()
      loop.add(current.lastNumber, path, onWrite)
      if current.loop == nil {
        current.loop = loop
        let thread = Thread { loop.run() }
        thread.name = "SwiftData store files"
        thread.stackSize = 256 * 1024
        thread.start()
      }
      return current.lastNumber
    }
  }

  static func remove(_ number: Int) {
    current.withLock { current in
      if current.loop?.remove(number) == true { current.loop = nil }
    }
  }

  private func add(_ number: Int, _ path: String, _ onWrite: @escaping @Sendable () -> Void) {
    let mounted = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
    let type = MountedFileSystems(mountInfo: mounted).type(
      ofFileAt: DatabaseFile.resolvedPath(path))
    state.withLock { state in
      var file = WatchedStoreFile(
        path, isShared: type.map(MountedFileSystems.isShared) ?? false, now: now, onWrite: onWrite)
      file.attach(to: events, now: now)
      state.files[number] = file
    }
    wake()
  }

  /// - Returns: Whether this was the last file.
  private func remove(_ number: Int) -> Bool {
    let hasEnded = state.withLock { state in
      guard let file = state.files.removeValue(forKey: number) else { return false }
      // Several watches of one file share its numbers.
      for number in file.numbers
      where !state.files.values.contains(where: { $0.numbers.contains(number) }) {
        events?.end(number)
      }
      state.hasEnded = state.files.isEmpty
      return state.hasEnded
    }
    if hasEnded { wake() }
    return hasEnded
  }

  private func wake() {
    var byte: UInt8 = 0
    _ = write(wakeWriting, &byte, 1)
  }

  // MARK: The thread

  private var now: Duration { ContinuousClock.now - start }

  private func run() {
    while let wait = state.withLock({ $0.hasEnded ? nil : $0.wait(now: now) }) {
      sleep(wait)
      let due = state.withLock { state in
        for event in events?.take() ?? [] {
          for number in state.files.keys {
            state.files[number]?.take(event, from: events, now: now)
          }
        }
        return state.files.keys.compactMap { number in
          state.files[number]?.timing.look(now: now) == true ? state.files[number]?.onWrite : nil
        }
      }
      for onWrite in due { onWrite() }
    }
  }

  private func sleep(_ wait: State.Wait) {
    var descriptors = [pollfd(fd: wakeReading, events: Int16(POLLIN), revents: 0)]
    if let events, wait.takesEvents {
      descriptors.append(pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0))
    }
    _ = poll(&descriptors, nfds_t(descriptors.count), wait.milliseconds)
    if descriptors[0].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(wakeReading, &bytes, bytes.count) == bytes.count {}
    }
  }
}

extension StoreFileWatchThread.State {
  fileprivate struct Wait {
    /// -1 waits without a limit.
    let milliseconds: Int32
    let takesEvents: Bool
  }

  fileprivate func wait(now: Duration) -> Wait {
    let due = files.values.compactMap(\.timing.due).min()
    let milliseconds = due.map { due -> Int32 in
      let (seconds, attoseconds) = max(due - now, .zero).components
      // Rounded up, so that it does not wake too early.
      return Int32(min(seconds, 3600)) * 1000 + Int32(attoseconds / 1_000_000_000_000_000) + 1
    }
    return Wait(
      milliseconds: milliseconds ?? -1,
      takesEvents: !files.values.contains(where: \.timing.isGathering))
  }
}

/// One file of `StoreFileWatch`, with its numbers at the system and its timing.
private struct WatchedStoreFile {
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
