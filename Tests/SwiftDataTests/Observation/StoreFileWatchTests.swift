import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The calls of a watch of a store file.
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

    /// Waits for a call.
    func expectOne(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await eventually("a call", sourceLocation: sourceLocation) { count.withLock { $0 > 0 } }
    }

    /// Waits until the checks that follow the last write are over, and forgets their calls.
    func settle() async throws {
      let checks = StoreFileTiming.confirmations.reduce(StoreFileTiming.burst, +)
      try await quietly(checks + .milliseconds(250))
      _ = take()
    }
  }

  private func connection(_ folder: TemporaryFolder) throws -> Connection {
    let connection = try Connection(path: folder.store.path)
    try connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
    return connection
  }

  /// A commit, a checkpoint, the commit that begins the log anew, and one after the removal of the log.
  @Test func eachCommitIsACall() async throws {
    let folder = try TemporaryFolder()
    var writer: Connection? = try connection(folder)
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime(watch) {} }
    try writer?.execute("INSERT INTO t VALUES (1)")
    try await calls.expectOne()
    try await calls.settle()
    try writer?.execute("PRAGMA wal_checkpoint(RESTART)")
    try await calls.settle()
    try writer?.execute("INSERT INTO t VALUES (2)")
    try await calls.expectOne()
    writer = nil
    #expect(!FileManager.default.fileExists(atPath: folder.store.path + "-wal"))
    try await calls.settle()
    writer = try connection(folder)
    try await calls.settle()
    try writer?.execute("INSERT INTO t VALUES (3)")
    try await calls.expectOne()
    try writer?.execute("PRAGMA journal_mode = DELETE")
    try await calls.settle()
    try writer?.execute("INSERT INTO t VALUES (4)")
    try await calls.expectOne()
  }

  @Test func replacingOrRemovingTheFileIsACall() async throws {
    let folder = try TemporaryFolder()
    let other = folder.url.appendingPathComponent("other.store")
    var writer: Connection? = try connection(folder)
    try writer?.execute("VACUUM INTO '\(other.path)'")
    writer = nil
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime(watch) {} }
    #expect(rename(other.path, folder.store.path) == 0)
    try await calls.expectOne()
    try await calls.settle()
    writer = try connection(folder)
    try await calls.settle()
    try writer?.execute("INSERT INTO t VALUES (3)")
    try await calls.expectOne()
    writer = nil
    try await calls.settle()
    try FileManager.default.removeItem(at: folder.store)
    try await calls.expectOne()
    try await calls.settle()
    writer = try connection(folder)
    try await calls.expectOne()
  }

  /// Without its folder the system reports nothing about the file, so it is checked each second.
  @Test func aFileWithoutFolderIsPolled() async throws {
    let folder = try TemporaryFolder()
    let writer = try connection(folder)
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime((watch, writer)) {} }
    try FileManager.default.removeItem(at: folder.url)
    try await calls.settle()
    let start = ContinuousClock.now
    try await quietly(.milliseconds(2500))
    let count = calls.take()
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    #expect((1...seconds + 2).contains(count), "\(count) in \(seconds) seconds")
  }

  @Test func aBurstIsAFewCalls() async throws {
    let folder = try TemporaryFolder()
    let writer = try connection(folder)
    let calls = Calls()
    let watch = StoreFileWatch(folder.store.path) { calls.add() }
    defer { withExtendedLifetime(watch) {} }
    let start = ContinuousClock.now
    for index in 0..<500 { try writer.execute("INSERT INTO t VALUES (\(index))") }
    let bursts = Int((ContinuousClock.now - start) / StoreFileTiming.burst)
    try await calls.settle()
    for index in 0..<500 { try writer.execute("INSERT INTO t VALUES (\(index))") }
    try await calls.expectOne()
    #expect(calls.take() <= 2 * bursts + 20)
  }

  @Test func watchesOfOneFileAndOfAnotherAreIndependent() async throws {
    let folders = try (0..<2).map { _ in try TemporaryFolder() }
    let writers = try folders.map(connection)
    let calls = (0..<3).map { _ in Calls() }
    var watches: [StoreFileWatch?] = [0, 0, 1].enumerated().map { index, folder in
      StoreFileWatch(folders[folder].store.path) { [calls] in calls[index].add() }
    }
    try writers[0].execute("INSERT INTO t VALUES (1)")
    for calls in calls[0...1] { try await calls.expectOne() }
    #expect(calls[2].take() == 0)
    watches[0] = nil
    try await calls[1].settle()
    _ = calls[0].take()
    try writers[0].execute("INSERT INTO t VALUES (2)")
    try writers[1].execute("INSERT INTO t VALUES (2)")
    for calls in calls[1...2] { try await calls.expectOne() }
    #expect(calls[0].take() == 0)
    watches = []
    try await calls[0].settle()
    for calls in calls { _ = calls.take() }
    // A watch that begins later is called after those that have ended would be.
    let last = Calls()
    let watch = StoreFileWatch(folders[0].store.path) { last.add() }
    defer { withExtendedLifetime(watch) {} }
    try writers[0].execute("INSERT INTO t VALUES (3)")
    try await last.expectOne()
    #expect(calls.allSatisfy { $0.take() == 0 })
  }
}
