import Foundation
import OpenSwiftDataSQLiteEngine
import Testing

/// Sort data of a connection is in files only where the process can create them, and a full volume of these
/// files is named.
struct TemporaryStorageTests {
  private static let otherVolume = "/dev/shm"

  /// Whether a file of the other volume and temporary files are on different volumes.
  private static var hasOtherVolume: Bool {
    func volume(_ path: String) -> Int? {
      try? FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int
    }
    guard FileManager.default.isWritableFile(atPath: otherVolume),
      let other = volume(otherVolume), let temporary = volume("/var/tmp")
    else { return false }
    return other != temporary
  }

  @Test func filesAreUsedIfTheProcessHasADirectoryForThem() throws {
    let directory = try TemporaryDirectory()
    let connection = try Connection(path: directory.file("a.store"), temporaryStorage: .file)
    #expect(try connection.integer("PRAGMA temp_store") == 1)
    // SQLite names no temporary file for a database in memory, as in a process without a directory.
    let without = try Connection(path: "", mode: .memory(name: nil), temporaryStorage: .file)
    #expect(try without.integer("PRAGMA temp_store") == 2)
  }

  @Test(.enabled(if: hasOtherVolume), arguments: [TemporaryStorage.file, .memory])
  func aFullVolumeNamesTheDirectoryOfTemporaryFiles(_ storage: TemporaryStorage) throws {
    let path = "\(TemporaryStorageTests.otherVolume)/\(UUID().uuidString).store"
    defer {
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    let connection = try Connection(path: path, temporaryStorage: storage)
    try connection.execute("CREATE TABLE a (x); PRAGMA max_page_count = 5")
    let error = try #require(
      #expect(throws: SQLiteError.self) {
        try connection.prepare("INSERT INTO a VALUES (zeroblob(50000))").run()
      })
    #expect(error.isOutOfSpace)
    #expect(error.description.contains("on that of temporary files, /") == (storage == .file))
    #expect(error.description.contains("SQLITE_TMPDIR") == (storage == .file))
    #expect(error.description.contains("Free space on the volume"))
  }

  @Test func aMissingDirectoryIsNotTakenForAFailingVolume() {
    let error = SQLiteError(extendedCode: 6410, message: "disk I/O error")
    #expect(error.code == .inputOutput && !error.isOutOfSpace)
    #expect(error.description.contains("Set SQLITE_TMPDIR in the environment"))
  }
}
