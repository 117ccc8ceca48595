import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// The log of a store in use is deleted. SQLite goes on with the deleted one, which other programs do not see:
/// they make a log of their own, and write their changes into the file.
@Suite struct LostLogTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder(authors: 3) }

  private func add(_ name: String, to container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Author(name: name))
    try context.save()
  }

  private func names() throws -> [String] {
    try ModelContext(StoreFolder.container(folder.store)).fetch(FetchDescriptor<Author>())
      .map(\.name).sorted()
  }

  private func loseLog() throws {
    for suffix in ["-wal", "-shm"] {
      try FileManager.default.removeItem(at: folder.beside(suffix))
    }
  }

  /// Writes into the file what another process has saved and written back since.
  private func writeElsewhere() throws -> Data {
    let other = try StoreFolder(copying: folder)
    try add("elsewhere", to: StoreFolder.container(other.store))
    let saved = try Data(contentsOf: other.store)
    let handle = try FileHandle(forWritingTo: folder.store)
    defer { try? handle.close() }
    try handle.write(contentsOf: saved)
    return saved
  }

  /// A container with changes in its log.
  private func used() throws -> ModelContainer {
    let container = try StoreFolder.container(folder.store)
    for number in 0..<20 { try add("in the log \(number)", to: container) }
    return container
  }

  @Test func closingWritesTheDeletedLogBack() async throws {
    let container = try used()
    try loseLog()
    #expect(throws: SwiftDataError.storeWriteFailure) { try add("refused", to: container) }
    try await container.close()
    #expect(try names().count == 23)
    #expect(try names().contains("in the log 19"))
  }

  @Test func releasingTheContainerWritesTheDeletedLogBack() throws {
    var container: ModelContainer? = try used()
    try loseLog()
    withExtendedLifetime(container) {}
    container = nil
    #expect(try names().count == 23)
  }

  @Test func closingLeavesAFileThatOthersHaveWritten() async throws {
    let container = try used()
    try loseLog()
    let saved = try writeElsewhere()
    let error = await #expect(throws: SwiftDataError.storeWriteFailure) {
      try await container.close()
    }
    let text = error?.description ?? ""
    #expect(text.contains("test.store-wal was deleted, moved or replaced"), "\(text)")
    #expect(text.contains("may be missing") && error?.reason == .schemaMismatch, "\(text)")
    // It is closed all the same.
    try await container.close()
    #expect(try Data(contentsOf: folder.store) == saved)
    #expect(try names() == ["Author 0", "Author 1", "Author 2", "elsewhere"])
  }

  @Test(arguments: [true, false])
  func releasingTheContainerLeavesAFileThatOthersHaveWritten(_ reads: Bool) throws {
    var container: ModelContainer? = try used()
    // The connections for reading are separate.
    if reads { _ = try ModelContext(#require(container)).fetch(FetchDescriptor<Author>()) }
    try loseLog()
    let saved = try writeElsewhere()
    container = nil
    #expect(container == nil)
    #expect(try Data(contentsOf: folder.store) == saved)
    #expect(try names() == ["Author 0", "Author 1", "Author 2", "elsewhere"])
  }

  /// Another program has written, or only opened, the store, and is using it.
  @Test func closingLeavesAFileWithAnotherLog() async throws {
    let container = try used()
    let before = try Data(contentsOf: folder.store)
    try loseLog()
    try Data().write(to: folder.beside("-wal"))
    await #expect(throws: SwiftDataError.storeWriteFailure) { try await container.close() }
    #expect(try Data(contentsOf: folder.store) == before)
    #expect(FileManager.default.fileExists(atPath: folder.beside("-wal").path))
  }

  @Test func aLogWithoutChangesIsNoLoss() async throws {
    let container = try StoreFolder.container(folder.store)
    try loseLog()
    let saved = try writeElsewhere()
    try await container.close()
    #expect(try Data(contentsOf: folder.store) == saved)
  }

  /// Its log is known from its opening on.
  @Test func aContainerThatHasNotWrittenYetRefusesToo() async throws {
    let writing = try used()
    let reading = try StoreFolder.container(folder.store)
    try loseLog()
    #expect(throws: SwiftDataError.storeWriteFailure) { try add("lost", to: reading) }
    #expect(throws: SwiftDataError.storeWriteFailure) { try add("lost", to: writing) }
    #expect(throws: SwiftDataError.storeWriteFailure) {
      try ModelContext(reading).transaction {}
    }
    try await reading.close()
    try await writing.close()
    #expect(try names().count == 23 && !names().contains("lost"))
  }

  @Test func ofTwoContainersNoneWritesIntoAFileThatOthersHaveWritten() async throws {
    let first = try used()
    let second = try StoreFolder.container(folder.store)
    try loseLog()
    let saved = try writeElsewhere()
    for container in [first, second] {
      await #expect(throws: SwiftDataError.storeWriteFailure) { try await container.close() }
    }
    #expect(try Data(contentsOf: folder.store) == saved)
  }

  /// SQLite would use the index of the deleted log for the new one.
  @Test func theFileIsOpenedAgainAfterTheContainerIsClosed() async throws {
    let container = try used()
    try loseLog()
    for allowsSave in [true, false] {
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        _ = try StoreFolder.container(folder.store, allowsSave: allowsSave)
      }
      let text = error?.description ?? ""
      #expect(text.contains("Close all containers of the file in this process"), "\(text)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.beside("-wal").path))
    try await container.close()
    let later = try StoreFolder.container(folder.store)
    try add("later", to: later)
    #expect(try names().count == 24)
  }

  @Test func aNewStoreKnowsItsLogToo() async throws {
    let folder = try StoreFolder()
    let container = try StoreFolder.container(folder.store)
    try FileManager.default.removeItem(at: folder.beside("-wal"))
    #expect(throws: SwiftDataError.storeWriteFailure) { try add("refused", to: container) }
    try await container.close()
    #expect(try folder.authors() == 0)
  }

  /// Each connection notes the log once, and forgets it when it closes.
  @Test func aLogThatSQLiteReplacesIsNoLoss() async throws {
    for number in 0..<3 {
      let container = try used()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) > 3)
      if number == 1 { try await container.close() }
    }
    #expect(try folder.authors() == 23)
  }
}
