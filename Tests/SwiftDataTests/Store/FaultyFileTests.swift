import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import SwiftDataTools
import Testing

/// A file that can't be used is refused with its reason, and no byte of it or beside it changes.
@Suite struct FaultyFileTests {
  /// Opens the store to write and to read, and compares the folder before and after.
  private func expectRefusal(
    _ folder: StoreFolder, _ words: String..., writing: Bool = true, reading: Bool = true,
    exceptSharedMemory: Bool = false, at location: SourceLocation = #_sourceLocation
  ) throws {
    func content() throws -> [String: Data] {
      try folder.content().filter { !exceptSharedMemory || !$0.key.hasSuffix("-shm") }
    }
    let before = try content()
    for allowsSave in [true, false] where allowsSave ? writing : reading {
      let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
        _ = try StoreFolder.container(folder.store, allowsSave: allowsSave)
      }
      #expect(error == .loadIssueModelContainer, sourceLocation: location)
      let text = error?.description ?? ""
      for word in words + [folder.store.path] {
        #expect(text.contains(word), sourceLocation: location)
      }
      let after = try content()
      #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: location)
      #expect(after == before, "a byte changed", sourceLocation: location)
    }
  }

  /// Checks, inspections and recoveries do not read the log of another file either.
  private func expectRefusalByTools(
    _ folder: StoreFolder, at location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.content()
    let recovered = folder.folder.url.appending(path: "recovered.store")
    let tools: [(URL) throws -> Void] = [
      { _ = try StoreCheckup(of: $0) }, { _ = try StoreInspection(of: $0) },
      { try ModelContainer.recoverStore(at: $0, to: recovered) },
    ]
    for tool in tools {
      let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
        try tool(folder.store)
      }
      let text = error?.description ?? ""
      #expect(text.contains("test.store-wal is not the log of this file"), sourceLocation: location)
    }
    #expect(try folder.content() == before, sourceLocation: location)
  }

  @Test(arguments: ["text", String(repeating: "Dear diary, ", count: 500)])
  func whatIsNoDatabase(_ text: String) throws {
    let folder = try StoreFolder()
    try Data(text.utf8).write(to: folder.store)
    try expectRefusal(folder, "is not an SQLite database")
  }

  @Test func aFolder() throws {
    let folder = try StoreFolder()
    try FileManager.default.createDirectory(at: folder.store, withIntermediateDirectories: true)
    try expectRefusal(folder, "the path is a folder")
  }

  @Test func anEmptyFileIsAStoreToBeOnlyForWriting() throws {
    let folder = try StoreFolder()
    try Data().write(to: folder.store)
    try expectRefusal(folder, "There is no store", writing: false)
    #expect(try folder.authors() == 0)
  }

  @Test(arguments: [(18, 3), (19, 3), (47, 5)])
  func aNewerFormat(_ offset: Int, _ version: UInt8) throws {
    let folder = try StoreFolder(authors: 3)
    try folder.overwrite([version], at: offset)
    try expectRefusal(folder, "does not support", "newer SQLite")
  }

  @Test func aPageSizeThatIsNone() throws {
    let folder = try StoreFolder(authors: 3)
    try folder.overwrite([3, 1], at: 16)
    try expectRefusal(folder, "the first page of the file is damaged", "recoverStore(at:to:)")
  }

  @Test func aTruncatedFile() throws {
    let folder = try StoreFolder(authors: 2000)
    let size = try folder.size
    try folder.truncate(to: size / 2)
    try expectRefusal(
      folder, "ends after \(size / 2 / 4096) of \(size / 4096) pages", "recoverStore(at:to:)")
  }

  @Test func aDamagedDescription() throws {
    let folder = try StoreFolder(authors: 3)
    try folder.overwrite([UInt8](repeating: 0, count: 3900), at: 100)
    try expectRefusal(folder, "the file is damaged", "recoverStore(at:to:)")
  }

  @Test func anEmptyFileBesideALog() throws {
    let folder = try StoreFolder(interruptedWithAuthors: 4)
    try folder.truncate(to: 0)
    try expectRefusal(folder, "the file is empty, but test.store-wal is not")
  }

  @Test func aLogThatIsNone() throws {
    let folder = try StoreFolder(authors: 3)
    try Data(repeating: 0x61, count: 5000).write(to: folder.beside("-wal"))
    try expectRefusal(folder, "test.store-wal is not the log of this file")
  }

  @Test func aLogOfAnotherPageSize() throws {
    let folder = try StoreFolder(authors: 3)
    let other = try StoreFolder(authors: 3)
    let connection = try Connection(path: other.store.path)
    try connection.execute(
      """
      PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192; VACUUM; PRAGMA journal_mode = WAL;
      DELETE FROM ZAUTHOR
      """)
    try other.copy("-wal", to: folder.store)
    try expectRefusal(folder, "test.store-wal is not the log of this file")
  }

  @Test func aLogOfAnotherStoreOfTheSameModels() throws {
    let folder = try StoreFolder(authors: 3)
    let other = try StoreFolder()
    let container = try StoreFolder.container(other.store)
    try other.copy("-wal", to: folder.store)
    try expectRefusal(folder, "test.store-wal is not the log of this file")
    _ = container
  }

  /// The log has one save, without the page that tells the identifier.
  @Test func aLogOfAnotherStoreWithOneSave() throws {
    let folder = try StoreFolder(authors: 3)
    let other = try StoreFolder(authors: 3)
    let container = try StoreFolder.container(other.store)
    let context = ModelContext(container)
    context.insert(Author(name: "new"))
    try context.save()
    try other.copy("-wal", to: folder.store)
    try expectRefusal(folder, "test.store-wal is not the log of this file")
    try expectRefusalByTools(folder)
    try FileManager.default.removeItem(at: folder.beside("-wal"))
    #expect(try folder.authors() == 3)
    _ = container
  }

  /// A backup is restored after a crash, and the log stays.
  @Test func aLogThatIsNewerThanARestoredBackup() throws {
    let folder = try StoreFolder(authors: 3)
    let copy = try StoreFolder()
    try folder.copy("", to: copy.store)
    let container = try StoreFolder.container(folder.store)
    let context = ModelContext(container)
    // The log is written back in between, and begins again.
    for number in 0..<600 {
      context.insert(Author(name: "later \(number)"))
      try context.save()
    }
    try folder.copy("-wal", to: copy.store)
    try expectRefusal(copy, "test.store-wal is not the log of this file")
    try expectRefusalByTools(copy)
    try FileManager.default.removeItem(at: copy.beside("-wal"))
    #expect(try copy.authors() == 3)
    _ = container
  }

  /// History that was deleted leaves gaps.
  @Test func aLogThatDeletesHistoryIsNoReasonToRefuse() throws {
    let folder = try StoreFolder(authors: 3)
    let copy = try StoreFolder()
    let container = try StoreFolder.container(folder.store)
    let context = ModelContext(container)
    for name in ["a", "b"] {
      context.author = name
      context.insert(Author(name: name))
      try context.save()
    }
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "a" }))
    for suffix in ["", "-wal"] { try folder.copy(suffix, to: copy.store) }
    _ = try StoreCheckup(of: copy.store)
    let recovered = copy.folder.url.appending(path: "recovered.store")
    #expect(try ModelContainer.recoverStore(at: copy.store, to: recovered).isComplete)
    #expect(try copy.authors(allowsSave: false) == 5)
    #expect(try copy.authors() == 5)
    _ = container
  }

  @Test func aSaveAfterTheLogWasRemovedIsRefused() throws {
    let folder = try StoreFolder(authors: 3)
    let context = ModelContext(try StoreFolder.container(folder.store))
    context.insert(Author(name: "first"))
    try context.save()
    for suffix in ["-wal", "-shm"] {
      try FileManager.default.removeItem(at: folder.beside(suffix))
    }
    context.insert(Author(name: "second"))
    let error = #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    #expect(
      error?.description.contains("the log of the file was deleted") == true,
      "\(error?.description ?? "")")
  }

  @Test func theLogOfAnotherProgram() throws {
    let folder = try StoreFolder(authors: 3)
    let other = try StoreFolder()
    let connection = try Connection(path: other.store.path)
    try connection.execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
    try other.copy("-wal", to: folder.store)
    try expectRefusal(folder, "test.store-wal is not the log of this file")
    _ = connection
  }

  @Test func anUnwrittenLogIsNoReasonToRefuse() throws {
    let folder = try StoreFolder(authors: 3)
    try Data(repeating: 0, count: 5000).write(to: folder.beside("-wal"))
    #expect(try folder.authors(allowsSave: false) == 3)
    #expect(try folder.authors() == 3)
  }

  @Test func aJournalThatIsNone() throws {
    let folder = try StoreFolder(authors: 3)
    try Data(repeating: 0x61, count: 5000).write(to: folder.beside("-journal"))
    try expectRefusal(folder, "test.store-journal is not the journal of this file")
  }

  @Test func anInterruptedTransactionIsUndoneByTheNextWriterOnly() throws {
    let folder = try StoreFolder()
    let other = try StoreFolder(authors: 3000)
    try other.leaveLog()
    // A reader's connection, since one that writes would turn the file to a log.
    let connection = try Connection(path: other.store.path, mode: .readOnly, access: .shared)
    try connection.execute(
      """
      PRAGMA query_only = OFF; PRAGMA cache_size = 1; BEGIN IMMEDIATE;
      UPDATE ZAUTHOR SET ZNAME = 'spoilt ' || Z_PK
      """)
    for suffix in ["", "-journal"] { try other.copy(suffix, to: folder.store) }
    try expectRefusal(
      folder, "a program was interrupted while it wrote", "allowsSave: true", writing: false)
    let authors = try ModelContext(StoreFolder.container(folder.store))
      .fetch(FetchDescriptor<Author>())
    #expect(authors.count == 3000 && authors.allSatisfy { $0.name.hasPrefix("Author") })
  }

  @Test(arguments: ["DELETE", "WAL"])
  func theDatabaseOfAnotherProgram(_ mode: String) throws {
    let folder = try StoreFolder()
    try SQLiteFile.execute(
      "PRAGMA journal_mode = \(mode); CREATE TABLE mine (x); INSERT INTO mine VALUES (1)",
      in: folder.store)
    try expectRefusal(folder, "is an SQLite database, but not a store")
    #expect(try folder.usesLog == (mode == "WAL"))
  }

  @Test func theDatabaseOfAnotherProgramWithALog() throws {
    let other = try StoreFolder()
    let connection = try Connection(path: other.store.path)
    try connection.execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
    let folder = try StoreFolder()
    for suffix in ["", "-wal"] { try other.copy(suffix, to: folder.store) }
    try expectRefusal(folder, "is an SQLite database, but not a store")
    // With the shared memory of a program that crashed, and while the other program runs.
    try other.copy("-shm", to: folder.store)
    try expectRefusal(folder, "is an SQLite database, but not a store")
    // There the readers of all processes note where they read in the shared memory.
    try expectRefusal(other, "is an SQLite database, but not a store", exceptSharedMemory: true)
    _ = connection
  }

  @Test func aStoreWithoutItsMetadata() throws {
    let folder = try StoreFolder(authors: 3)
    try SQLiteFile.execute("DROP TABLE Z_METADATA", in: folder.store)
    try expectRefusal(folder, "it has no Z_METADATA")
  }

  @Test func aStoreWithoutATable() throws {
    let folder = try StoreFolder(authors: 3)
    try SQLiteFile.execute("DROP TABLE ZAUTHOR", in: folder.store)
    try expectRefusal(folder, "lacks tables of its own models: ZAUTHOR")
  }

  @Test(arguments: [true, false])
  func aStoreOfOtherModels(_ hasLog: Bool) throws {
    let folder = try hasLog ? StoreFolder(interruptedWithAuthors: 4) : StoreFolder(authors: 4)
    if !hasLog { try folder.leaveLog() }
    let before = try folder.content()
    for allowsSave in [true, false] {
      let error = #expect(throws: SwiftDataError.self) {
        _ = try ModelContainer(
          for: Everything.self,
          configurations: ModelConfiguration(url: folder.store, allowsSave: allowsSave))
      }
      #expect(error?.description.contains("created with other models") == true)
      #expect(try folder.content() == before)
    }
    #expect(try folder.authors() == 4)
  }

  @Test func textEncodingsOfAllKindsAreRead() throws {
    let folder = try StoreFolder()
    try SQLiteFile.execute("CREATE TABLE a (x); DROP TABLE a", in: folder.store)
    // The encoding is settled with the first table, so it is written past SQLite.
    try folder.overwrite([2], at: 59)
    try StoreFolder.fill(folder.store, 3)
    #expect(try SQLiteFile.text("PRAGMA encoding", in: folder.store) == "UTF-16le")
    let context = ModelContext(try StoreFolder.container(folder.store))
    context.insert(Author(name: "Zoë 🦊"))
    try context.save()
    let name = "Zoë 🦊"
    let found = try context.fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.name.hasPrefix("Zo") && $0.name == name }))
    #expect(found.map(\.name) == [name])
  }

  @Test func aFileThatIsBeingWrittenIsWaitedForAndNamed() throws {
    let folder = try StoreFolder(authors: 3)
    let connection = try Connection(path: folder.store.path)
    try connection.execute(
      "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM ZAUTHOR")
    try Connection.$defaultBusyTimeout.withValue(.milliseconds(60)) {
      let begin = ContinuousClock.now
      try expectRefusal(folder, "is being written by another process", "did not finish in time")
      #expect(ContinuousClock.now - begin > .milliseconds(100))
    }
    try connection.execute("ROLLBACK")
  }
}
