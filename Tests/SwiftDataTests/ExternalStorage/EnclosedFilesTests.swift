import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// The files beside a store while one transaction encloses all others, as in a migration.
@Suite struct EnclosedFilesTests {
  struct Refusal: Error {}

  private let folder: TemporaryFolder
  private let pool: ConnectionPool
  private let external: ExternalFiles
  /// The names of the files of the pictures "a" and "b".
  private let stored: [String]

  init() throws {
    folder = try EnclosedFilesTests.madeFolder()
    (pool, external) = try EnclosedFilesTests.open(folder)
    stored = folder.valueNames
    #expect(stored.count == 2)
  }

  private static func madeFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let context = ModelContext(try External.container(folder.store))
    for name in ["a", "b"] { context.insert(External.Picture(name, External.bytes(1))) }
    try context.save()
    return folder
  }

  private static func open(_ folder: TemporaryFolder) throws -> (ConnectionPool, ExternalFiles) {
    let pool = try ConnectionPool(
      path: folder.store.path, mode: .readWrite, readers: 0, temporaryStorage: .file)
    let schema = Schema(External.types)
    let descriptors = schema.entities.compactMap { $0.modelType?._$descriptor }
    let external = ExternalFiles(of: folder.store)
    try external.open(
      pool,
      mapping: SchemaMapping(
        schema: schema,
        descriptors: Dictionary(uniqueKeysWithValues: descriptors.map { ($0.entityName, $0) })))
    return (pool, external)
  }

  private func add(_ name: String) throws { try EnclosedFilesTests.add(name, pool, external) }

  /// As a save does.
  private static func add(
    _ name: String, _ pool: ConnectionPool, _ external: ExternalFiles
  ) throws {
    try pool.write { connection in
      try external.transaction(connection) {
        let file = try external.write([External.bytes(7)])[0]
        try connection.execute(
          """
          INSERT INTO ZPICTURE (Z_ENT, Z_OPT, ZNAME, ZDATA)
          VALUES ((SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Picture'), 1, '\(name)',
            CAST(x'02' || '\(file)' AS BLOB))
          """)
      }
    }
  }

  private func delete(_ name: String) throws {
    try pool.write { connection in
      try external.transaction(connection) {
        try connection.execute("DELETE FROM ZPICTURE WHERE ZNAME = '\(name)'")
      }
    }
  }

  /// What the models say, after the work is over or the process was killed.
  private static func names(_ folder: TemporaryFolder) throws -> [String] {
    let context = ModelContext(try External.container(folder.store))
    let pictures = try context.fetch(
      FetchDescriptor<External.Picture>(sortBy: [SortDescriptor(\.name)]))
    #expect(pictures.allSatisfy { $0.data?.count == External.size })
    return pictures.map(\.name)
  }

  private func expect(_ names: [String], at location: SourceLocation = #_sourceLocation) throws {
    try pool.close()
    #expect(try EnclosedFilesTests.names(folder) == names, sourceLocation: location)
    try folder.expectWhole(names.count, sourceLocation: location)
  }

  @Test func filesStayUntilTheEnclosingCommit() throws {
    try EnclosedWork(pool, external: external).run {
      try delete("a")
      try add("c")
      try add("d")
      try delete("d")
      #expect(folder.valueNames.count == 4 && Set(folder.valueNames).isSuperset(of: stored))
    }
    #expect(folder.valueNames.count == 2)
    try expect(["b", "c"])
  }

  @Test func aThrowRestoresAll() throws {
    #expect(throws: Refusal.self) {
      try EnclosedWork(pool, external: external).run {
        try delete("a")
        try add("c")
        try pool.write { try $0.execute("DELETE FROM ZPICTURE; DROP TABLE ZPICTURE") }
        throw Refusal()
      }
    }
    #expect(folder.valueNames == stored)
    try expect(["a", "b"])
  }

  @Test func anInnerTransactionIsUndoneByItself() throws {
    try EnclosedWork(pool, external: external).run {
      try add("c")
      #expect(throws: Refusal.self) {
        try pool.write { connection in
          try external.transaction(connection) {
            try connection.execute("DELETE FROM ZPICTURE WHERE ZNAME = 'a'")
            // One inside of it that is committed.
            try add("d")
            try delete("b")
            #expect(folder.valueNames.count == 4)
            throw Refusal()
          }
        }
      }
      #expect(folder.valueNames.count == 3)
      try delete("b")
    }
    try expect(["a", "c"])
  }

  @Test func aNameThatMovesIsNotLost() throws {
    try EnclosedWork(pool, external: external).run {
      try pool.write { connection in
        try connection.execute(
          """
          CREATE TABLE OTHER AS SELECT * FROM ZPICTURE;
          DELETE FROM ZPICTURE;
          INSERT INTO ZPICTURE SELECT * FROM OTHER;
          DELETE FROM ZPICTURE WHERE ZNAME = 'b';
          DROP TABLE OTHER
          """)
      }
    }
    try expect(["a"])
  }

  @Test func changesOfTablesNeedNoTriggers() throws {
    try EnclosedWork(pool, external: external).run {
      try pool.write { connection in
        try connection.execute("ALTER TABLE ZPICTURE ADD COLUMN ZMORE BLOB")
        #expect(throws: SQLiteError.self) {
          try connection.execute("ALTER TABLE ZPICTURE DROP COLUMN ZDATA")
        }
        try connection.execute("UPDATE ZPICTURE SET ZMORE = ZDATA WHERE ZNAME = 'a'")
        try ExternalFiles.stopFollowing(connection)
        // What goes with the column is told by its name.
        try connection.execute(
          "SELECT swift_lost_external(ZDATA) FROM ZPICTURE; ALTER TABLE ZPICTURE DROP COLUMN ZDATA")
        try connection.execute("ALTER TABLE ZPICTURE RENAME COLUMN ZMORE TO ZDATA")
      }
    }
    try folder.expectWhole(1)
  }

  /// A copy of everything is what a killed process leaves: its locks are gone.
  private func killed() throws -> TemporaryFolder { try EnclosedFilesTests.copy(of: folder) }

  private static func copy(of folder: TemporaryFolder) throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      try FileManager.default.copyItem(
        at: folder.url.appending(path: name), to: copy.url.appending(path: name))
    }
    return copy
  }

  @Test func aKilledProcessLeavesNothingHalfDone() throws {
    var moments: [TemporaryFolder] = []
    try pool.beginEnclosing()
    external.beginEnclosing()
    try add("c")
    moments.append(try killed())
    try delete("a")
    try delete("c")
    try add("d")
    moments.append(try killed())
    try pool.write { try external.willCommitEnclosing($0) }
    moments.append(try killed())
    try pool.commitEnclosing()
    moments.append(try killed())
    external.commitEnclosing()
    moments.append(try killed())
    try pool.close()
    for (index, moment) in moments.enumerated() {
      let wanted = index < 3 ? ["a", "b"] : ["b", "d"]
      #expect(try EnclosedFilesTests.names(moment) == wanted, "moment \(index)")
      try moment.expectWhole(2)
      #expect(moment.journals.isEmpty)
    }
  }

  @Test(.enabled(if: FailureInjector.isAvailable))
  func whateverFailsAllOrNothingIsThere() throws {
    func work(_ folder: TemporaryFolder) throws {
      let (pool, external) = try EnclosedFilesTests.open(folder)
      try EnclosedWork(pool, external: external).run {
        try EnclosedFilesTests.add("c", pool, external)
        try pool.write { connection in
          try external.transaction(connection) {
            try connection.execute("DELETE FROM ZPICTURE WHERE ZNAME = 'a'")
          }
        }
        try? EnclosedFilesTests.add("d", pool, external)
      }
      try pool.close()
    }
    let made = try EnclosedFilesTests.madeFolder()
    let model = try EnclosedFilesTests.copy(of: made)
    let count = try FailureInjector.counting { try work(model) }
    #expect(count > 30)
    #expect(try EnclosedFilesTests.names(model) == ["b", "c", "d"])
    for number in 1...count {
      let folder = try EnclosedFilesTests.copy(of: made)
      let injector = FailureInjector(
        failingAt: number, .full, effect: number % 2 == 0 ? .none : .undoesTransaction)
      let isDone = (try? injector.run { try work(folder) }) != nil
      let names = try EnclosedFilesTests.names(folder)
      let wanted = isDone ? [["b", "c", "d"], ["b", "c"]] : [["a", "b"]]
      #expect(wanted.contains(names), "\(number): \(injector.operations.last ?? "")")
      try folder.expectWhole(names.count)
    }
  }
}
