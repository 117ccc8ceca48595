import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// A store that is opened with `allowsSave: false` leaves its file and its folder as they were.
@Suite struct ReadOnlyFileTests {
  /// Reads all authors and compares the folder before and after.
  private func expectReading(
    _ folder: StoreFolder, _ count: Int, filesMeanwhile: [String],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.content()
    do {
      let container = try StoreFolder.container(folder.store, allowsSave: false)
      let context = ModelContext(container)
      #expect(
        try context.fetch(FetchDescriptor<Author>()).count == count, sourceLocation: location)
      #expect(try folder.content().keys.sorted() == filesMeanwhile, sourceLocation: location)
    }
    let after = try folder.content()
    #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: location)
    #expect(after == before, "a byte changed", sourceLocation: location)
  }

  private let file = "test.store"
  private let log = "test.store-wal"
  private let shared = "test.store-shm"

  @Test func aRollbackJournalFileStaysOneUntilItIsWritten() throws {
    let folder = try StoreFolder(authors: 50)
    try folder.leaveLog()
    try expectReading(folder, 50, filesMeanwhile: [file])
    #expect(try !folder.usesLog)
    #expect(try folder.authors() == 50)
    #expect(try folder.usesLog)
  }

  @Test func aFileWithoutLog() throws {
    let folder = try StoreFolder(authors: 50)
    #expect(try folder.usesLog)
    try expectReading(folder, 50, filesMeanwhile: [file, shared, log])
  }

  @Test func whatIsInTheLogIsRead() throws {
    let folder = try StoreFolder(interruptedWithAuthors: 50)
    try expectReading(folder, 50, filesMeanwhile: [file, shared, log])
    #expect(try folder.authors() == 50)
    #expect(try folder.content().keys.sorted() == [file])
  }

  @Test func whatACrashLeftStays() throws {
    let other = try StoreFolder(authors: 20)
    let container = try StoreFolder.container(other.store)
    let context = ModelContext(container)
    context.insert(Author(name: "Zoë"))
    try context.save()
    let folder = try StoreFolder()
    for suffix in ["", "-wal", "-shm"] { try other.copy(suffix, to: folder.store) }
    let before = try folder.content()
    #expect(try folder.authors(allowsSave: false) == 21)
    let after = try folder.content()
    #expect(after.keys.sorted() == [file, shared, log])
    #expect(after[file] == before[file] && after[log] == before[log])
  }

  @Test func anEmptyLogStays() throws {
    let folder = try StoreFolder(authors: 50)
    try Data().write(to: folder.beside("-wal"))
    try expectReading(folder, 50, filesMeanwhile: [file, shared, log])
  }

  @Test func whatOthersCommitIsSeenAndStays() throws {
    let folder = try StoreFolder(authors: 5)
    let reader = ModelContext(try StoreFolder.container(folder.store, allowsSave: false))
    #expect(try reader.fetchCount(FetchDescriptor<Author>()) == 5)
    do {
      let writer = ModelContext(try StoreFolder.container(folder.store))
      writer.insert(Author(name: "Zoë"))
      try writer.save()
      #expect(try reader.fetchCount(FetchDescriptor<Author>()) == 6)
      writer.insert(Author(name: "Ann"))
      try writer.save()
    }
    #expect(try reader.fetchCount(FetchDescriptor<Author>()) == 7)
  }

  @Test func whatAnotherProcessCommitsIsSeen() async throws {
    let folder = try StoreFolder()
    _ = try parcels(folder.store)
    do {
      let reader = ModelContext(
        try ModelContainer(
          for: Batch.self, Parcel.self,
          configurations: ModelConfiguration(url: folder.store, allowsSave: false)))
      #expect(try reader.fetchCount(FetchDescriptor<Parcel>()) == 20)
      let worker = try StoreWorkerProcess(["increment", folder.store.path, "3"])
      _ = try await worker.text()
      #expect(worker.process.terminationStatus == 0)
      #expect(try reader.fetchCount(FetchDescriptor<Parcel>()) == 23)
    }
    // The reader was the last to close and does not write, so the log waits for the next writer.
    #expect(try folder.content().keys.sorted() == [file, log])
    let connection = try Connection(path: folder.store.path)
    #expect(try connection.integer("SELECT count(*) FROM ZPARCEL") == 23)
  }

  @Test func aReaderThatClosesBesideAWriterLeavesTheWritersFiles() throws {
    let folder = try StoreFolder(authors: 5)
    let writer = ModelContext(try StoreFolder.container(folder.store))
    writer.insert(Author(name: "Zoë"))
    try writer.save()
    let names = try folder.content().keys.sorted()
    #expect(try folder.authors(allowsSave: false) == 6)
    #expect(try folder.content().keys.sorted() == names)
    writer.insert(Author(name: "Ann"))
    try writer.save()
    #expect(try folder.authors(allowsSave: false) == 7)
  }

  // MARK: Folders that can't be written

  /// A process that reads a store, and sees its folder mounted read-only.
  /// - Parameter command: What the process does.
  private func mountedReader(_ folder: StoreFolder, _ command: String) -> (Process, Pipe) {
    let worker = Process.storeWorker([])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = [
      "-m", "sh", "-c",
      "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && exec \"$2\" \"$3\" \"$4\"",
      "sh", folder.folder.url.path, worker.executableURL?.path ?? "", command, folder.store.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    return (process, output)
  }

  private func readMounted(
    _ folder: StoreFolder, command: String = "read"
  ) throws -> String {
    let (process, output) = mountedReader(folder, command)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["-m", "mount", "--bind", "/tmp", "/tmp"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  private func parcels(_ url: URL) throws -> ModelContainer {
    let container = try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    for index in 0..<20 { context.insert(Parcel(index: index)) }
    try context.save()
    return container
  }

  @Test(.enabled(if: canMount, "needs the right to mount a folder read-only"))
  func aFolderThatMustNotBeWritten() throws {
    let folder = try StoreFolder()
    _ = try parcels(folder.store)
    let before = try folder.content()
    #expect(try readMounted(folder) == "20")
    try Data().write(to: folder.beside("-wal"))
    #expect(try readMounted(folder) == "20")
    try FileManager.default.removeItem(at: folder.beside("-wal"))
    #expect(try folder.content() == before)
    try folder.leaveLog()
    #expect(try readMounted(folder) == "20")
  }

  @Test(.enabled(if: canMount, "needs the right to mount a folder read-only"))
  func aLogInAFolderThatMustNotBeWritten() throws {
    let other = try StoreFolder()
    let container = try parcels(other.store)
    let folder = try StoreFolder()
    for suffix in ["", "-wal"] { try other.copy(suffix, to: folder.store) }
    let before = try folder.content()
    #expect(try readMounted(folder).contains("Copy both files to a writable folder"))
    #expect(try folder.content() == before)
    // With the shared memory beside it SQLite reads the log without writing.
    try other.copy("-shm", to: folder.store)
    #expect(try readMounted(folder) == "20")
    _ = container
  }

  /// The check of the file takes no locks there, so its description may mix two states of a file that
  /// another process writes.
  @Test(.enabled(if: canMount, "needs the right to mount a folder read-only"))
  func anOpeningInAFolderThatCantBeWrittenReadsTheDescriptionAgain() async throws {
    let folder = try StoreFolder()
    _ = try parcels(folder.store)
    #expect(try folder.usesLog)
    #expect(try readMounted(folder, command: "describe") == "2")
    // In a folder that can be written the check locks the file.
    let worker = try StoreWorkerProcess(["describe", folder.store.path])
    #expect(try await worker.text() == "1\n")
  }

  /// Runs the command `follow` of a reader.
  /// - Parameter body: Gets the first answer, and what returns the answer to a line.
  private func following(
    _ folder: StoreFolder, _ body: (String, (String) -> String) throws -> Void
  ) throws {
    let (process, output) = mountedReader(folder, "follow")
    let input = Pipe()
    process.standardInput = input
    try process.run()
    func answer() -> String {
      String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }
    try body(answer()) { line in
      input.fileHandleForWriting.write(Data("\(line)\n".utf8))
      return answer()
    }
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }

  /// Opens the store, adds a row, and closes it after the block.
  private func adding(to url: URL, _ body: () throws -> Void = {}) throws {
    let container = try ModelContainer(
      for: Batch.self, Parcel.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Parcel(index: 0))
    try context.save()
    try withExtendedLifetime(container) { try body() }
  }

  /// A reader that could not lock the file, because no process had it open, notices that one opens it.
  @Test(.enabled(if: canMount, "needs the right to mount a folder read-only"))
  func aLaterWriterOfAFolderThatCantBeWrittenIsNoticed() throws {
    let folder = try StoreFolder()
    _ = try parcels(folder.store)
    try following(folder) { first, answer in
      #expect(first == "20\n")
      try adding(to: folder.store)
      #expect(answer("") == "21\n")
      #expect(answer("snapshot") == "21\n")
      try adding(to: folder.store) {
        #expect(answer("").contains("Read again"))
        #expect(answer("") == "22\n")
      }
      #expect(answer("") == "22\n")
      // A snapshot that begins later needs no repetition.
      try adding(to: folder.store)
      #expect(answer("snapshot") == "23\n")
      #expect(answer("") == "23\n")
    }
  }

  @Test(.enabled(if: canMount, "needs the right to mount a folder read-only"))
  func anotherStoreAtThePathIsRefusedAndARemovedFileIsReadOn() throws {
    let folder = try StoreFolder()
    _ = try parcels(folder.store)
    let other = try StoreFolder()
    _ = try parcels(other.store)
    try adding(to: other.store)
    let (kept, copy) = (other.beside("-kept"), other.beside("-copy"))
    try FileManager.default.copyItem(at: folder.store, to: copy)
    try following(folder) { first, answer in
      #expect(first == "20\n")
      try FileManager.default.moveItem(at: folder.store, to: kept)
      #expect(answer("") == "20\n")
      #expect(answer("snapshot") == "20\n")
      #expect(answer("") == "20\n")
      // The snapshot has ended.
      #expect(answer("") == "20\n")
      try FileManager.default.moveItem(at: other.store, to: folder.store)
      for line in ["", "snapshot"] {
        #expect(answer(line).contains("was replaced by another store since it was opened"))
      }
      // The same store again: a later copy.
      try FileManager.default.removeItem(at: folder.store)
      try adding(to: copy)
      try FileManager.default.moveItem(at: copy, to: folder.store)
      #expect(answer("") == "21\n")
    }
  }
}
