import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

struct SQLiteErrorTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  func failure(_ body: () throws -> Void) -> SQLiteError? {
    #expect(throws: SQLiteError.self, performing: body)
  }

  @Test func aFileThatIsNoDatabaseIsNamed() throws {
    let path = directory.file("notes.txt")
    let text = Data(String(repeating: "Not a database at all. ", count: 100).utf8)
    try text.write(to: URL(fileURLWithPath: path))
    for mode in [OpenMode.readWriteCreate, .readWrite, .readOnly] {
      let error = failure { _ = try Connection(path: path, mode: mode) }
      #expect(error?.code == .notADatabase)
      #expect(error?.path == path)
      #expect(error?.description.contains("not an SQLite database") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
  }

  @Test func aMissingDirectoryIsNamed() throws {
    let path = directory.file("missing/a.store")
    let error = failure { _ = try Connection(path: path) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.message == "the directory \(directory.path)/missing does not exist")
  }

  @Test func aMissingFileIsNotCreatedByTheOtherModes() throws {
    let path = directory.file("a.store")
    for mode in [OpenMode.readWrite, .readOnly] {
      let error = failure { _ = try Connection(path: path, mode: mode) }
      #expect(error?.code == .cannotOpen)
      #expect(error?.message == "the file does not exist")
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aDirectoryIsNoStore() throws {
    let error = failure { _ = try Connection(path: directory.path) }
    #expect(error?.message == "the path is a directory")
  }

  @Test func aLockedFileSaysWhatToDo() throws {
    let path = directory.file("a.store")
    let holder = try Connection(path: path)
    try holder.execute("CREATE TABLE a (x); BEGIN IMMEDIATE")
    let other = try Connection(path: path, busyTimeout: .milliseconds(20))
    let error = failure { try other.execute("INSERT INTO a VALUES (1)") }
    #expect(error?.code == .busy)
    #expect(error?.description.contains("locked by another connection") == true)
    #expect(error?.description.contains("Try again") == true)
    try holder.execute("COMMIT")
    try other.execute("INSERT INTO a VALUES (1)")
  }

  @Test func aFullStoreKeepsWhatItHad() throws {
    let connection = try Connection(path: directory.file("a.store"))
    try connection.execute(
      "CREATE TABLE a (x); INSERT INTO a VALUES (1); PRAGMA max_page_count = 5")
    let error = failure {
      try connection.transaction {
        let insert = try connection.prepare("INSERT INTO a VALUES (zeroblob(5000))")
        for _ in 1...10 { try insert.run() }
      }
    }
    #expect(error?.code == .full)
    #expect(error?.description.contains("Free space") == true)
    #expect(try connection.integer("SELECT count(*) FROM a") == 1)
  }

  @Test func aDamagedFileIsReported() throws {
    let path = directory.file("a.store")
    try Connection(path: path).execute(
      "CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(20000)); CREATE INDEX i ON a (x)")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in 8192..<bytes.count { bytes[index] = 0xA5 }
    try bytes.write(to: URL(fileURLWithPath: path))
    let connection = try Connection(path: path)
    let error = failure { _ = try connection.integer("SELECT sum(length(x)) FROM a") }
    #expect(error?.code == .corrupt)
    #expect(error?.description.contains("Restore a backup") == true)
  }

  @Test func aViolatedIndexNamesItsColumnsAndNoValue() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    try connection.execute("CREATE TABLE a (x, y, UNIQUE (x, y))")
    let insert = try connection.prepare("INSERT INTO a VALUES (?, 1)")
    try insert.bind("secret", at: 1)
    try insert.run()
    let error = failure { try insert.run() }
    #expect(error?.code == .constraint)
    #expect(error?.isUniquenessViolation == true)
    #expect(error?.constrainedColumns.map(\.column) == ["x", "y"])
    #expect(error?.constrainedColumns.map(\.table) == ["a", "a"])
    #expect(error?.sql == "INSERT INTO a VALUES (?, 1)")
    #expect(error?.description.contains("secret") == false)
    // The statement is ready for other values.
    try insert.bind("other", at: 1)
    try insert.run()
  }

  @Test func wrongSQLIsShown() throws {
    let connection = try Connection(path: "", mode: .memory(name: nil))
    let error = failure { _ = try connection.prepare("SELEC 1") }
    #expect(
      error?.description
        == "Error in the in-memory database: near \"SELEC\": syntax error (SQLITE_ERROR 1). Statement: SELEC 1."
    )
    #expect(failure { _ = try connection.prepare(" -- nothing") }?.code == .misuse)
  }

  @Test func aParameterThatDoesNotExistIsAnError() throws {
    let statement = try Connection(path: "", mode: .memory(name: nil)).prepare("SELECT ?")
    #expect(failure { try statement.bind(Int64(1), at: 2) }?.code == .range)
  }

  // The superuser may write everywhere.
  @Test(.enabled(if: geteuid() != 0))
  func aDirectoryThatCannotBeWrittenAllowsReadingOnly() throws {
    let path = directory.file("a.store")
    try Connection(path: path).execute("CREATE TABLE a (x); INSERT INTO a VALUES (7)")
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.path)
    defer {
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: directory.path)
    }
    #expect(try Connection(path: path, mode: .readOnly).integer("SELECT x FROM a") == 7)
    let missing = failure { _ = try Connection(path: directory.file("b.store")) }
    #expect(missing?.code == .cannotOpen)
    #expect(missing?.message == "the directory \(directory.path) is not writable")
    #expect(missing?.isDenied == true)
    let error = failure { _ = try Connection(path: path) }
    #expect(error?.description.contains(path) == true)
    #expect(error?.description.contains("permissions") == true || error?.code == .cannotOpen)
  }

  /// SQLite reports a shared memory that does not fit, and a quota, as failed input and output.
  @Test(
    arguments: [
      (13, 0, true), (4874, 0, true), (778, ENOSPC, true), (778, EDQUOT, true),
      (778, EIO, false), (266, 0, false), (5, ENOSPC, false),
    ] as [(Int32, Int32, Bool)])
  func anErrorOfTheVolumeSaysThatItIsFull(_ code: Int32, _ system: Int32, _ isFull: Bool) {
    let error = SQLiteError(extendedCode: code, message: "disk", systemError: system)
    #expect(error.isOutOfSpace == isFull)
    #expect(error.description.contains("Free space on the volume and try again") == isFull)
  }
}
