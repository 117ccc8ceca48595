import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// What the system tells of a store file.
@Suite struct StoreFileWatchTests {
  /// Counts calls, and waits for them.
  private final class Calls: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }

    /// Whether there is a call within a second.
    func hasCome() -> Bool {
      let deadline = ContinuousClock.now + .seconds(1)
      while ContinuousClock.now < deadline {
        if count.withLock({ $0 > 0 }) { return true }
        Thread.sleep(forTimeInterval: 0.002)
      }
      return false
    }

    /// Waits until the looks are over that confirm the last one.
    func settle() {
      let all = StoreFileTiming.confirmations.reduce(StoreFileTiming.burst, +)
      Thread.sleep(forTimeInterval: Double(all.components.seconds) + 0.9)
      _ = take()
    }
  }

  private func connection(_ folder: TemporaryFolder) throws -> Connection {
    let connection = try Connection(path: folder.store.path)
    try connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
    return connection
  }

  /// A commit, a checkpoint, the commit that begins the log anew, and one behind the removal of the log.
  @Test func eachCommitIsTold() throws {
    let folder = try TemporaryFolder()
    var writer: Connection? = try connection(folder)
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime(watch) {} }
    try writer?.execute("INSERT INTO t VALUES (1)")
    #expect(calls.hasCome())
    calls.settle()
    try writer?.execute("PRAGMA wal_checkpoint(RESTART)")
    calls.settle()
    try writer?.execute("INSERT INTO t VALUES (2)")
    #expect(calls.hasCome())
    writer = nil
    #expect(!FileManager.default.fileExists(atPath: folder.store.path + "-wal"))
    calls.settle()
    writer = try connection(folder)
    calls.settle()
    try writer?.execute("INSERT INTO t VALUES (3)")
    #expect(calls.hasCome())
    try writer?.execute("PRAGMA journal_mode = DELETE")
    calls.settle()
    try writer?.execute("INSERT INTO t VALUES (4)")
    #expect(calls.hasCome())
  }

  @Test func aFileThatIsRemovedOrReplacedIsTold() throws {
    let folder = try TemporaryFolder()
    let other = folder.url.appendingPathComponent("other.store")
    var writer: Connection? = try connection(folder)
    try writer?.execute("VACUUM INTO '\(other.path)'")
    writer = nil
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime(watch) {} }
    #expect(rename(other.path, folder.store.path) == 0)
    #expect(calls.hasCome())
    calls.settle()
    writer = try connection(folder)
    calls.settle()
    try writer?.execute("INSERT INTO t VALUES (3)")
    #expect(calls.hasCome())
    writer = nil
    calls.settle()
    try FileManager.default.removeItem(at: folder.store)
    #expect(calls.hasCome())
    calls.settle()
    writer = try connection(folder)
    #expect(calls.hasCome())
  }

  /// A folder that goes away leaves nothing to be told of: the file is looked at each second.
  @Test func aFileWithoutFolderIsPolled() throws {
    let folder = try TemporaryFolder()
    let writer = try connection(folder)
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime((watch, writer)) {} }
    try FileManager.default.removeItem(at: folder.url)
    calls.settle()
    Thread.sleep(forTimeInterval: 2.5)
    #expect((1...4).contains(calls.take()))
  }

  @Test func aBurstIsAFewCalls() throws {
    let folder = try TemporaryFolder()
    let writer = try connection(folder)
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime(watch) {} }
    let start = ContinuousClock.now
    for index in 0..<500 { try writer.execute("INSERT INTO t VALUES (\(index))") }
    let bursts = Int((ContinuousClock.now - start) / StoreFileTiming.burst)
    calls.settle()
    for index in 0..<500 { try writer.execute("INSERT INTO t VALUES (\(index))") }
    Thread.sleep(forTimeInterval: 0.01)
    #expect(calls.take() <= 2 * bursts + 20)
  }

  @Test func severalWatchesOfOneFileAndOthersBesideIt() throws {
    let folders = try (0..<2).map { _ in try TemporaryFolder() }
    let writers = try folders.map(connection)
    let calls = (0..<3).map { _ in Calls() }
    var watches: [StoreFileWatch?] = [0, 0, 1].enumerated().map { index, folder in
      StoreFileWatch(folders[folder].store.path) { [calls] in calls[index].add() }
    }
    try writers[0].execute("INSERT INTO t VALUES (1)")
    #expect(calls[0].hasCome() && calls[1].hasCome())
    #expect(calls[2].take() == 0)
    watches[0] = nil
    calls[1].settle()
    _ = calls[0].take()
    try writers[0].execute("INSERT INTO t VALUES (2)")
    try writers[1].execute("INSERT INTO t VALUES (2)")
    #expect(calls[1].hasCome() && calls[2].hasCome())
    #expect(calls[0].take() == 0)
    watches = []
    for calls in calls { calls.settle() }
    try writers[0].execute("INSERT INTO t VALUES (3)")
    Thread.sleep(forTimeInterval: 0.1)
    #expect(calls.allSatisfy { $0.take() == 0 })
  }
}
