import Dispatch
import Foundation
import OpenSwiftDataSQLSyntax
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

/// Copies a store while contexts and other processes write to it. Called by
/// `ModelContainer.backup(to:)`.
///
/// 1. A connection of its own begins a read transaction. All that follows is of that state. If rows
///    may name files, the transaction begins under the write lock, and these files are hard-linked
///    into a folder beside the store before the lock is released: later saves may remove them.
/// 2. The pages are copied in steps into a file with a temporary name.
/// 3. The linked values are moved beside the copy, or copied if it is on another volume.
/// 4. The copy is checked: its integrity, and the number of rows of each table.
/// 5. Everything is synchronised with the disk. Then the copy is renamed, so a file with the final
///    name is complete.
///
/// A killed backup leaves a file with a temporary name, which the next one to the same place removes, and links, which
/// the next one after a day removes. A lock on the temporary file keeps two backups to one place apart. Between the steps
/// of one backup, another one may complete or begin: after the lock, the place and the temporary name are examined again.
package struct RunningBackup {
  private let store: DefaultStore
  private let url: URL
  private let progress: (BackupProgress) -> Void
  private let isCancelled: @Sendable () -> Bool
  private let lock: (Int32) -> Int32

  /// - Parameter lock: Locks a file if nobody else has locked it; nil for `flock`. Returns 0 or the number of
  ///   the system's error.
  package init(
    of store: DefaultStore, to url: URL, progress: @escaping (BackupProgress) -> Void,
    isCancelled: @escaping @Sendable () -> Bool, lock: ((Int32) -> Int32)? = nil
  ) {
    self.store = store
    self.url = url
    self.progress = progress
    self.isCancelled = isCancelled
    self.lock = lock ?? { flock($0, LOCK_EX | LOCK_NB) == 0 ? 0 : errno }
  }

  /// The number of pages for each step: a few milliseconds.
  private static let pagesAtOnce: Int32 = 1000

  private static let stagingPrefix = "backup-"

  private static let partialSuffix = ".partial"

  private var partial: URL {
    url.deletingLastPathComponent()
      .appendingPathComponent(url.lastPathComponent + RunningBackup.partialSuffix)
  }

  /// The name that the temporary file of a backup will get; other names as they are.
  static func nameWhenComplete(_ name: String) -> String {
    name.hasSuffix(partialSuffix) ? String(name.dropLast(partialSuffix.count)) : name
  }

  private var staging: URL {
    ExternalFolder(of: store.configuration.url).support
      .appendingPathComponent(
        "\(RunningBackup.stagingPrefix)\(UUID().uuidString)", isDirectory: true)
  }

  package func run() throws -> BackupSummary {
    try requireFreePlace()
    if isCancelled() { throw CancellationError() }
    let staging = staging
    defer { try? FileManager.default.removeItem(at: staging) }
    do {
      let lock = try lockPartial()
      defer { close(lock) }
      var linked: [URL] = []
      do {
        return try copy(staging, linking: &linked)
      } catch {
        removePartial(linked, lock)
        throw error
      }
    } catch let error as CancellationError {
      throw error
    } catch let error as SwiftDataError {
      throw error
    } catch let error as SQLiteError where error.isClosedPool {
      throw SwiftDataError.containerClosed.with("No backup was made.")
    } catch {
      throw SwiftDataError.storeReadFailure.with(
        "The store at \(store.configuration.url.path) can't be backed up to \(url.path). No backup was "
          + "made; the store is unchanged.", doing: "backing up a store",
        underlying: StoreFailure.cause(advised(error)),
        because: SwiftDataError.Reason(storeError: error))
    }
  }

  /// The volume of the copy may be another one than that of the store.
  private func advised(_ error: any Error) -> any Error {
    guard let full = error as? SQLiteError, full.isOutOfSpace, full.path != store.pool.path else {
      return error
    }
    let folder = url.deletingLastPathComponent().path
    return full.advising("Free space on the volume of \(folder) and back up the store again.")
  }

  private func requireFreePlace() throws {
    guard url.isFileURL, !url.lastPathComponent.isEmpty else {
      throw refusal("The URL \(url) is not the URL of a file. Use the URL of a file in a folder.")
    }
    removeOtherNameOfCopy()
    if isTaken { throw takenName }
    let folder = ExternalFolder(of: url)
    if folder.sharesValues {
      guard ExternalFiles.columns(of: store.engine.mapping).isEmpty else {
        throw sharedFolder(folder)
      }
      return
    }
    let values = folder.support
    guard
      !FileManager.default.fileExists(atPath: values.path)
        || FileManager.default.fileExists(atPath: partial.path)
    else {
      throw refusal(
        "There is already a folder of values at \(values.path), of no store beside it. Choose another name, or "
          + "move the folder away."
      )
    }
  }

  private var isTaken: Bool { FileManager.default.fileExists(atPath: url.path) }

  private var takenName: SwiftDataError {
    refusal(
      "There is already a file at \(url.path). Choose another name, or remove the file with its folder of "
        + "values first.")
  }

  private func sharedFolder(_ folder: ExternalFolder) -> SwiftDataError {
    let name = url.lastPathComponent.replacing(".", with: "-") + ".store"
    return refusal(
      "Another store may keep large values in \(folder.support.path), where those of a backup to \(url.path) would be. "
        + "Choose another name, such as \(name).")
  }

  /// Removes what a backup has left in the folder for its values, if it belongs to no store.
  private func removeValues() {
    let folder = ExternalFolder(of: url)
    if !isTaken, !folder.sharesValues { try? FileManager.default.removeItem(at: folder.support) }
  }

  private func refusal(_ text: String) -> SwiftDataError {
    .storeReadFailure.with(text, doing: "backing up a store", because: .invalidRequest)
  }

  private var otherBackup: SwiftDataError {
    .storeReadFailure.with(
      "Another backup to \(url.path) is running. Wait for its end, or choose another name.",
      doing: "backing up a store", because: .busy)
  }

  /// Removes the temporary name of a complete copy, which a process has left that was killed before it
  /// removed the name itself.
  ///
  /// The file is not opened. It may be a store in use, and closing it would end SQLite's locks in this
  /// process.
  private func removeOtherNameOfCopy() {
    if let count = DatabaseFile.linkCount(of: partial.path), count > 1 { unlink(partial.path) }
  }

  /// Creates the temporary file, after removing what a killed backup has left. Returns the descriptor with the lock.
  private func lockPartial() throws -> Int32 {
    try removeLeftPartial()
    let file = open(partial.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw errno == EEXIST ? otherBackup : POSIXError.last }
    let code = lock(file)
    if code == EWOULDBLOCK {
      // The other one takes the file for a left one, and removes it.
      close(file)
      throw otherBackup
    }
    do {
      guard code == 0 || ExternalJournal.isUnsupportedLock(code) else {
        throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
      }
      if isTaken { throw takenName }
      guard isPartial(file) else { throw otherBackup }
    } catch {
      if isPartial(file) { unlink(partial.path) }
      close(file)
      throw error
    }
    return file
  }

  /// Removes the temporary file of a killed backup, with its values. It is not used again, because it may
  /// have become a complete copy since it was opened.
  private func removeLeftPartial() throws {
    let file = open(partial.path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return }
      throw POSIXError.last
    }
    defer { close(file) }
    let code = lock(file)
    if isTaken { throw takenName }
    if ExternalJournal.isUnsupportedLock(code) {
      throw refusal(
        "There is the temporary file of another backup at \(partial.path). Its file system has no locks, so it "
          + "is not known whether that backup is running. If not, remove the file and the folder "
          + "\(ExternalFolder(of: url).support.path), or choose another name.")
    }
    guard code == 0 || code == EWOULDBLOCK else {
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }
    guard code == 0, isPartial(file) else { throw otherBackup }
    removeValues()
    unlink(partial.path)
  }

  /// Whether an open file has the temporary name.
  private func isPartial(_ file: Int32) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(file, &own) == 0 && lstat(partial.path, &named) == 0
      && own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }

  /// - Parameters:
  ///   - linked: The values that this backup has put into the folder. They are removed also if another file
  ///     has got the name meanwhile. It is no copy with these values as long as this backup has its lock.
  ///   - file: The descriptor that holds the lock.
  private func removePartial(_ linked: [URL], _ file: Int32) {
    if isTaken, !linked.isEmpty, isPartial(file), DatabaseFile.linkCount(of: partial.path) == 1 {
      for value in linked { unlink(value.path) }
      // Folders that contain anything else stay.
      let folder = ExternalFolder(of: url)
      rmdir(folder.values.path)
      rmdir(folder.support.path)
    }
    removeValues()
    unlink(partial.path)
  }

  // MARK: Copying

  private func copy(_ staging: URL, linking linked: inout [URL]) throws -> BackupSummary {
    let source = try Connection(
      path: store.configuration.url.path,
      mode: store.configuration.allowsSave ? .readWrite : .readOnly)
    try source.execute("PRAGMA query_only = ON")
    try begin(source, staging)
    defer { source.rollback() }
    let pageSize = try Int(source.integer("PRAGMA page_size") ?? 0)
    try source.copyInSteps(to: partial.path, pages: RunningBackup.pagesAtOnce) { copied, all in
      if isCancelled() { throw CancellationError() }
      progress(BackupProgress(copiedBytes: copied * pageSize, totalBytes: all * pageSize))
    }
    let (values, missing) = try copyValues(staging, linking: &linked)
    let counts = try check(against: source)
    try ExternalFolder.synchronize(partial)
    try throwInjectedFault("rename \(partial.lastPathComponent)")
    try CompletedFile.rename(partial.path, to: url.path)
    do {
      try ExternalFolder.synchronize(url.deletingLastPathComponent())
    } catch {
      // A file with the final name has its values, so the name is removed before them.
      _ = rename(url.path, partial.path)
      throw error
    }
    return BackupSummary(
      url: url, byteCount: DatabaseFile.size(of: url.path) ?? 0, rowCounts: counts,
      externalValueCount: values, missingValueCount: missing)
  }

  /// Begins the read transaction of the copy.
  private func begin(_ source: Connection, _ staging: URL) throws {
    guard store.configuration.allowsSave else { return try beginReading(source) }
    let columns = ExternalFiles.columns(of: store.engine.mapping)
    do {
      guard !columns.isEmpty else {
        try beginReading(source)
        // After a migration, rows may name files.
        return try store.pool.read { try $0.checkSchema() }
      }
      try store.pool.write { writer in
        try begin(source, staging, locking: writer) { link in
          for (table, column) in columns {
            try StoredName.forEach(table, column, source) { _, name in try link(name) }
          }
        }
      }
    } catch is StoreSchemaMonitor.Migrated {
      source.rollback()
      // The copy gets the new version. The connections of the store refuse to write it, and any column may name files.
      let options = store.configuration.sqlite
      let writer = try Connection(
        path: store.configuration.url.path, mode: .readWrite,
        busyTimeout: options.connectionTimeout, tuning: options.tuning)
      try begin(source, staging, locking: writer) { link in
        try StoredName.forEach(in: source) { try link($0.name) }
      }
    }
  }

  /// Links the files that the rows name, while `writer` has the write lock.
  private func begin(
    _ source: Connection, _ staging: URL, locking writer: Connection,
    _ forEachName: ((String) throws -> Void) throws -> Void
  ) throws {
    let folder = ExternalFolder(of: store.configuration.url)
    removeOldStaging(in: folder.support)
    try writer.begin(.immediate)
    defer { writer.rollback() }
    try beginReading(source)
    try folder.makeFolder(staging)
    try forEachName { name in
      guard let file = folder.file(named: name) else { return }
      let place = staging.appendingPathComponent(name)
      if hardLink(file.path, place.path) == 0 || errno == EEXIST { return }
      try FileManager.default.copyItem(at: file, to: place)
    }
  }

  /// Removes the links that killed backups have left. A running backup is younger than a day.
  private func removeOldStaging(in support: URL) {
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: support.path)) ?? []
    where name.hasPrefix(RunningBackup.stagingPrefix) {
      let folder = support.appendingPathComponent(name)
      let changed = try? files.attributesOfItem(atPath: folder.path)[.modificationDate] as? Date
      guard let changed, changed.timeIntervalSinceNow < -86_400 else { continue }
      try? files.removeItem(at: folder)
    }
  }

  private func beginReading(_ source: Connection) throws {
    try source.begin(.deferred)
    _ = try source.integer("SELECT count(*) FROM sqlite_master")
  }

  // MARK: Values

  private func copyValues(
    _ staging: URL, linking linked: inout [URL]
  ) throws -> (copied: Int, missing: Int) {
    let source = ExternalFolder(of: store.configuration.url)
    let copy = ExternalFolder(of: url)
    let sharesValues = copy.sharesValues
    var names: Set<String> = []
    var missing = 0
    let connection = try Connection(path: partial.path, mode: .readOnly, access: .immutable)
    // Also the names of entities that are not in the schema.
    try StoredName.forEach(in: connection) { stored in
      guard names.insert(stored.name).inserted else { return }
      if isCancelled() { throw CancellationError() }
      let staged = staging.appendingPathComponent(stored.name)
      let file =
        FileManager.default.fileExists(atPath: staged.path)
        ? staged : source.file(named: stored.name)
      guard let file else {
        missing += 1
        return
      }
      guard !sharesValues else { throw sharedFolder(copy) }
      try copy.make()
      let place = copy.values.appendingPathComponent(stored.name)
      if try RunningBackup.link(file, to: place) { linked.append(place) }
    }
    if names.count > missing { try copy.synchronize() }
    return (names.count - missing, missing)
  }

  /// - Returns: Whether there was no such file before.
  private static func link(_ file: URL, to place: URL) throws -> Bool {
    try throwInjectedFault("link \(file.lastPathComponent)")
    if hardLink(file.path, place.path) == 0 { return true }
    if errno == EEXIST { return false }
    try FileManager.default.copyItem(at: file, to: place)
    try ExternalFolder.synchronize(place)
    return true
  }

  // MARK: Checking

  private func check(against source: Connection) throws -> [String: Int] {
    let copy = try Connection(path: partial.path, mode: .readOnly, access: .immutable)
    return try endingWhenCancelled([copy, source]) {
      let findings = try copy.texts("PRAGMA integrity_check(1)")
      guard findings == ["ok"] else {
        throw SwiftDataError.storeReadFailure.with(
          "The store at \(store.configuration.url.path) is damaged: \(findings.first ?? "no answer"). No backup was "
            + "made. \(StoreFailure.recoveryAdvice)", doing: "checking a backup",
          because: .storeDamaged)
      }
      let (expected, found) = (try counts(source), try counts(copy))
      guard expected == found else {
        throw SwiftDataError.storeReadFailure.with(
          "The copy of the store has other numbers of rows than the store. No backup was made. Try again.",
          doing: "checking a backup", because: .unavailable)
      }
      return found
    }
  }

  /// Runs statements that may take long; they end when the backup is cancelled. A progress handler of
  /// SQLite is not called while old versions check the pages, and an interruption that comes before its statement is
  /// forgotten. So another thread repeats it.
  private func endingWhenCancelled<R>(
    _ connections: [Connection], _ body: () throws -> R
  ) throws -> R {
    let interrupted = InterruptedConnections(connections)
    let queue = DispatchQueue(label: "SwiftData backup")
    let watch = DispatchSource.makeTimerSource(queue: queue)
    let interval = DispatchTimeInterval.milliseconds(100)
    watch.schedule(deadline: .now() + interval, repeating: interval)
    watch.setEventHandler { [isCancelled] in
      if isCancelled() { interrupted.interrupt() }
    }
    watch.resume()
    defer {
      watch.cancel()
      // The queue releases the handler later, perhaps after the end of the backup.
      interrupted.removeAll()
    }
    do {
      return try body()
    } catch let error as SQLiteError where error.code == .interrupted && isCancelled() {
      throw CancellationError()
    }
  }

  /// The number of rows of each entity's table. A migration may have removed some.
  private func counts(_ connection: Connection) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
    for table in Set(store.engine.mapping.entities.map(\.table)).intersection(tables) {
      if isCancelled() { throw CancellationError() }
      counts[table] = try Int(
        connection.integer("SELECT count(*) FROM \(table.quotedName)") ?? 0)
    }
    return counts
  }
}

/// Connections that another thread interrupts.
private final class InterruptedConnections: Sendable {
  // Any thread may interrupt a connection. Guarded by the mutex.
  nonisolated(unsafe) private var connections: [Connection]
  private let lock = Mutex(())

  init(_ connections: [Connection]) { self.connections = connections }

  func interrupt() {
    lock.withLock { _ in for connection in connections { connection.interrupt() } }
  }

  func removeAll() { lock.withLock { _ in connections = [] } }
}

extension DefaultStore: BackupProviding {
  package func backup(
    to url: URL, progress: @escaping (BackupProgress) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> BackupSummary {
    guard !configuration.isStoredInMemoryOnly else {
      throw SwiftDataError.storeReadFailure.with(
        "A store in memory has no file to back up. Copy its models into another container.",
        doing: "backing up a store", because: .invalidRequest)
    }
    return try RunningBackup(of: self, to: url, progress: progress, isCancelled: isCancelled).run()
  }
}
