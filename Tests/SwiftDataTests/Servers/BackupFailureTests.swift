import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestModels
import SwiftData
import Synchronization
import Testing

/// Backups that fail: nothing of an earlier one is lost, and a later one succeeds.
@Suite struct BackupFailureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Negative.self, configurations: ModelConfiguration(url: url))
  }

  /// Adds negatives whose values are in rows (up to 100 kB), or in files.
  private func add(_ numbers: Range<Int>, size: Int, to container: ModelContainer) throws {
    let context = ModelContext(container)
    for number in numbers {
      context.insert(Negative(number: number, data: Negative.data(number, edit: 0, size: size)))
    }
    try context.save()
  }

  /// The numbers of the negatives in a copy, after a check of their values.
  private func numbers(_ url: URL) throws -> [Int] {
    let context = ModelContext(try open(url))
    let found = try context.fetch(FetchDescriptor<Negative>(sortBy: [SortDescriptor(\.number)]))
    for negative in found {
      #expect(negative.data.starts(with: Data("\(negative.number).".utf8)))
    }
    return found.map(\.number)
  }

  /// The files of a copy with their contents, without the log of a container that reads it.
  private func contents(_ url: URL) throws -> [String: Data] {
    let name = url.deletingPathExtension().lastPathComponent
    let parent = url.deletingLastPathComponent()
    let values = parent.appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
    var contents = [url.lastPathComponent: try Data(contentsOf: url)]
    for file in (try? FileManager.default.contentsOfDirectory(atPath: values.path)) ?? [] {
      contents[file] = try Data(contentsOf: values.appendingPathComponent(file))
    }
    return contents
  }

  private func names(_ parent: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: parent.path)
  }

  /// As on file systems without hard links.
  @Test(arguments: [EPERM, EOPNOTSUPP, ENOSYS])
  func aFileThatTookTheNameMeanwhileIsKeptWithoutHardLinks(_ code: Int32) throws {
    let partial = folder.url.appendingPathComponent("copy.partial")
    let place = folder.url.appendingPathComponent("copy.store")
    try Data("copy".utf8).write(to: partial)
    try Data("mine".utf8).write(to: place)
    let error = #expect(throws: POSIXError.self) {
      try CompletedFile.rename(partial.path, to: place.path) { _, _ in code }
    }
    #expect(error?.code == .EEXIST)
    #expect(try String(contentsOf: place, encoding: .utf8) == "mine")
    try FileManager.default.removeItem(at: place)
    try CompletedFile.rename(partial.path, to: place.path) { _, _ in code }
    #expect(try String(contentsOf: place, encoding: .utf8) == "copy")
    #expect(!FileManager.default.fileExists(atPath: partial.path))
  }

  @Test func aFileThatTookTheNameMeanwhileIsKept() async throws {
    let container = try open(folder.store)
    let place = folder.url.appendingPathComponent("copy.store")
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: place) { _ in try? Data("mine".utf8).write(to: place) }
    }
    #expect(try String(contentsOf: place, encoding: .utf8) == "mine")
    #expect(try !names(folder.url).contains { $0.hasSuffix("partial") })
  }

  @Test func noValuesStayBesideAFileThatTookTheName() async throws {
    let container = try open(folder.store)
    try add(0..<3, size: 300_000, to: container)
    let place = folder.url.appendingPathComponent("copy.store")
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: place) { _ in try? Data("mine".utf8).write(to: place) }
    }
    #expect(try names(folder.url).filter { $0.contains("copy") } == ["copy.store"])
    #expect(try String(contentsOf: place, encoding: .utf8) == "mine")
  }

  /// A container's store, to be backed up on the thread of a test.
  private func store(at url: URL) throws -> DefaultStore {
    let configuration = ModelConfiguration(schema: Schema([Negative.self]), url: url)
    return try DefaultStore(configuration, migrationPlan: nil)
  }

  /// The check of the pages would take long, and find the damage at its end.
  @Test func theCheckOfACancelledBackupEnds() throws {
    _ = try open(folder.store)
    try SQLiteFile.execute(
      """
      CREATE TABLE slow (a INTEGER PRIMARY KEY,
        CHECK (a < 2000 AND instr(hex(zeroblob(3000000 + a)), 'x') = 0));
      PRAGMA ignore_check_constraints = ON;
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000)
        INSERT INTO slow SELECT x FROM n;
      """, in: folder.store)
    let store = try store(at: folder.store)
    let isCopied = Mutex(false)
    #expect(throws: CancellationError.self) {
      try store.backup(to: folder.url.appendingPathComponent("copy.store")) { step in
        if step.copiedBytes == step.totalBytes { isCopied.withLock { $0 = true } }
      } isCancelled: {
        isCopied.withLock { $0 }
      }
    }
    #expect(try !names(folder.url).contains { $0.hasPrefix("copy") })
  }

  #if os(Linux)
    @Test func aBackupThatHasReturnedHasNoOpenCopy() throws {
      _ = try open(folder.store)
      let store = try store(at: folder.store)
      for number in 0..<50 {
        let name = "copy\(number).store"
        _ = try store.backup(
          to: folder.url.appendingPathComponent(name), progress: { _ in }, isCancelled: { false })
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let open = files.compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(!open.contains { $0.contains("\(folder.url.lastPathComponent)/\(name)") })
      }
    }
  #endif

  /// Without locks, two backups can't be kept apart from what a killed one has left.
  @Test(arguments: [ENOLCK, EOPNOTSUPP, ENOSYS])
  func aBackupNeedsNoLocks(_ code: Int32) throws {
    try add(0..<3, size: 300_000, to: try open(folder.store))
    let store = try store(at: folder.store)
    let place = folder.url.appendingPathComponent("copy.store")
    let partial = place.appendingPathExtension("partial")
    let backup = RunningBackup(
      of: store, to: place, progress: { _ in }, isCancelled: { false }, lock: { _ in code })
    try Data("left".utf8).write(to: partial)
    let error = #expect(throws: SwiftDataError.storeReadFailure) { try backup.run() }
    #expect(error?.description.contains("has no locks") == true)
    #expect(error?.description.contains(partial.path) == true)
    #expect(try String(contentsOf: partial, encoding: .utf8) == "left")
    try FileManager.default.removeItem(at: partial)
    #expect(try backup.run().externalValueCount == 3)
    #expect(try numbers(place) == [0, 1, 2])
    #expect(!FileManager.default.fileExists(atPath: partial.path))
  }

  @Test func aFailedLockIsNoOtherBackup() throws {
    let store = try store(at: folder.store)
    let place = folder.url.appendingPathComponent("copy.store")
    func failure(_ code: Int32) -> SwiftDataError? {
      #expect(throws: SwiftDataError.storeReadFailure) {
        try RunningBackup(
          of: store, to: place, progress: { _ in }, isCancelled: { false }, lock: { _ in code }
        ).run()
      }
    }
    let failed = failure(EIO)
    #expect(failed?.description.contains("Another backup") == false)
    #expect(try !names(folder.url).contains { $0.hasPrefix("copy") })
    try Data("running".utf8).write(to: place.appendingPathExtension("partial"))
    let refused = failure(EWOULDBLOCK)
    #expect(refused?.reason == .busy)
    #expect(refused?.description.contains("Another backup") == true)
    #expect(try names(folder.url).contains("copy.store.partial"))
  }

  /// Also if the last step fails, after the copy has got its name.
  @Test(.enabled(if: FailureInjector.isAvailable)) func aFailureLeavesNothingOfTheCopy() throws {
    try add(0..<3, size: 300_000, to: try open(folder.store))
    let store = try store(at: folder.store)
    func backup(_ name: String) throws {
      let place = folder.url.appendingPathComponent(name)
      _ = try store.backup(to: place, progress: { _ in }, isCancelled: { false })
    }
    let counter = FailureInjector(failingAt: nil)
    try counter.run { try backup("first.store") }
    #expect(counter.operations.last?.hasSuffix(folder.url.lastPathComponent) == true)
    for number in 1...counter.operations.count {
      let injector = FailureInjector(failingAt: number)
      do {
        try injector.run { try backup("copy.store") }
      } catch {
        let left = try names(folder.url).filter { $0.contains("copy") }
        #expect(left.isEmpty, "\(left) after \(injector.operations.last ?? "")")
        continue
      }
      // The failure was no obstacle.
      let place = folder.url.appendingPathComponent("copy.store")
      #expect(try numbers(place) == [0, 1, 2])
      for name in try names(folder.url) where name.contains("copy") {
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
      }
    }
    try backup("copy.store")
  }

  /// The first backup looks whether the place is free, and then the second one completes.
  @Test func aBackupThatCompletesMeanwhileIsKept() throws {
    try add(0..<3, size: 300_000, to: try open(folder.store))
    let store = try store(at: folder.store)
    let place = folder.url.appendingPathComponent("copy.store")
    let isFirst = Mutex(true)
    let error = #expect(throws: SwiftDataError.storeReadFailure) {
      try store.backup(to: place, progress: { _ in }) {
        let begins = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if begins {
          #expect(throws: Never.self) {
            try store.backup(to: place, progress: { _ in }, isCancelled: { false })
          }
        }
        return false
      }
    }
    #expect(error?.description.contains("There is already a file") == true)
    #expect(try numbers(place) == [0, 1, 2])
    #expect(try !names(folder.url).contains { $0.hasSuffix("partial") })
  }

  /// A process was killed after its copy had got the name, before the temporary name was removed. The copy
  /// is in use since, under another name.
  @Test func aCopyWithAnotherNameIsKept() async throws {
    let container = try open(folder.store)
    try add(0..<3, size: 300_000, to: container)
    let place = folder.url.appendingPathComponent("copy.store")
    let production = folder.url.appendingPathComponent("production.store")
    let partial = place.appendingPathExtension("partial")
    let values = folder.url.appendingPathComponent(".copy_SUPPORT")
    let files = FileManager.default
    try await container.backup(to: place)
    let before = try contents(place)
    try files.linkItem(at: place, to: partial)
    try files.moveItem(at: place, to: production)
    // The values of the copy are still there.
    await #expect(throws: SwiftDataError.storeReadFailure) {
      try await container.backup(to: place)
    }
    #expect(!files.fileExists(atPath: partial.path))
    try files.linkItem(at: production, to: partial)
    try files.moveItem(at: values, to: folder.url.appendingPathComponent(".production_SUPPORT"))
    try add(3..<4, size: 300_000, to: container)
    try await container.backup(to: place)
    #expect(try Set(contents(production).values) == Set(before.values))
    #expect(try numbers(production) == [0, 1, 2])
    #expect(try numbers(place) == [0, 1, 2, 3])
    #expect(try !names(folder.url).contains { $0.hasSuffix("partial") })
  }

  @Test(arguments: ["first", "last"])
  func aProcessThatDiesLeavesNoFileWithTheName(_ step: String) async throws {
    let container = try open(folder.store)
    try add(0..<300, size: 20_000, to: container)
    try add(300..<303, size: 300_000, to: container)
    let older = folder.url.appendingPathComponent("older.store")
    let newer = folder.url.appendingPathComponent("newer.store")
    let summary = try await container.backup(to: older)
    #expect(summary.externalValueCount == 3)
    let before = try contents(older)
    #expect(before.count == 4)
    try add(303..<305, size: 300_000, to: container)

    let store = folder.store.path
    let (text, reason) = try await onThread {
      let worker = try StoreWorkerProcess(["backup", store, newer.path, step])
      return (worker.finishedText(), worker.process.terminationReason)
    }
    #expect(reason == .uncaughtSignal && text.contains("dies"), "\(text)")
    #expect(!FileManager.default.fileExists(atPath: newer.path))
    #expect(FileManager.default.fileExists(atPath: newer.path + ".partial"))
    #expect(try contents(older) == before)

    // The store is used as before, and the next backup to the same name is complete.
    try add(305..<306, size: 10, to: container)
    try await container.backup(to: newer)
    #expect(try numbers(newer) == Array(0..<306))
    #expect(try !names(folder.url).contains { $0.hasSuffix("partial") })
    #expect(try contents(older) == before)
    #expect(try numbers(older) == Array(0..<303))
  }

  @Test func aProcessMaySaveMeanwhile() async throws {
    _ = try open(folder.store)
    let worker = try StoreWorkerProcess(["negatives", folder.store.path, "40", "200000"])
    let container = try open(folder.store)
    var counts: [Int] = []
    for number in 0..<4 {
      let copy = folder.url.appendingPathComponent("copy\(number).store")
      let summary = try await container.backup(to: copy)
      #expect(summary.missingValueCount == 0)
      let found = try numbers(copy)
      #expect(found.count == summary.rowCounts["ZNEGATIVE"])
      counts.append(found.last ?? 0)
    }
    let text = try await worker.text()
    #expect(text.contains("saved 40"), "\(text)")
    #expect(counts == counts.sorted())
    let last = folder.url.appendingPathComponent("last.store")
    try await container.backup(to: last)
    #expect(try numbers(last) == numbers(folder.store))
  }

  @Test(.enabled(if: MountedVolume.isPermitted, "file systems can't be mounted here"))
  func aBackupToAnotherVolumeIsComplete() async throws {
    let container = try open(folder.store)
    try add(0..<100, size: 20_000, to: container)
    try add(100..<105, size: 300_000, to: container)
    try await MountedVolume.use(size: "64m") { volume in
      let copy = volume.appendingPathComponent("copy.store")
      let summary = try await container.backup(to: copy)
      #expect(summary.externalValueCount == 5 && summary.missingValueCount == 0)
      // What is deleted in the store stays in the copy: its values are files of their own.
      let context = ModelContext(container)
      try context.delete(model: Negative.self)
      try context.save()
      #expect(try numbers(copy) == Array(0..<105))
    }
    let left = try names(folder.url.appendingPathComponent(".test_SUPPORT"))
    #expect(!left.contains { $0.hasPrefix("backup-") }, "\(left)")
  }

  /// The pages do not fit, or the pages do and the values do not.
  @Test(
    .enabled(if: MountedVolume.isPermitted, "file systems can't be mounted here"),
    arguments: [20_000, 400_000])
  func aFullDiskLosesNothing(_ size: Int) async throws {
    let container = try open(folder.store)
    try add(0..<3, size: size, to: container)
    try await MountedVolume.use(size: "4m") { volume in
      let (older, newer) = (
        volume.appendingPathComponent("older.store"), volume.appendingPathComponent("newer.store")
      )
      try await container.backup(to: older)
      let before = try contents(older)
      try add(3..<(6_000_000 / size), size: size, to: container)

      let failure = await #expect(throws: SwiftDataError.storeReadFailure) {
        try await container.backup(to: newer)
      }
      guard case .diskFull? = failure?.reason else {
        Issue.record("\(String(describing: failure))")
        return
      }
      let text = failure?.description ?? ""
      #expect(text.contains("No backup was made"))
      #expect(
        size > 100_000 || text.contains("Free space on the volume of \(volume.path)"), "\(text)")
      let left = try names(volume)
      #expect(!left.contains { $0.contains("newer") }, "\(left)")
      #expect(try contents(older) == before)
      #expect(try numbers(older) == [0, 1, 2])

      // The store is whole, and with more space the same call succeeds.
      try add(1000..<1001, size: 10, to: container)
      try MountedVolume.resize(volume, to: "64m")
      try await container.backup(to: newer)
      #expect(try numbers(newer) == numbers(folder.store))
      #expect(try contents(older).count == before.count)
    }
  }
}
