import Foundation
import OpenSwiftDataCSQLite

/// The bytes of a database file, read without SQLite's pager: takes no lock, creates no file.
///
/// The bytes are read through SQLite's own file handle. On Unix a process loses all its locks on a
/// file when it closes any descriptor of it (sqlite.org/howtocorrupt.html, 2.2). A separate
/// descriptor would therefore release the locks of other connections of this process; SQLite keeps
/// track of its own descriptors.
package final class RawDatabaseFile {
  /// The path with symbolic links resolved: the log and the journal are beside that file.
  let path: String
  private let database: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  /// - Parameter isWritable: Whether `withExclusiveLock` will be used.
  package init(path: String, isWritable: Bool = false) throws {
    var opened: OpaquePointer?
    let access = isWritable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let code = sqlite3_open_v2(
      Connection.uri(path), &opened, access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    guard code == SQLITE_OK, let opened,
      sqlite3_file_control(opened, "main", SQLITE_FCNTL_FILE_POINTER, &pointer) == SQLITE_OK,
      let pointer, let methods = pointer.pointee.pMethods
    else {
      let error = SQLiteError(database: opened, resultCode: code, path: path)
      sqlite3_close_v2(opened)
      throw error
    }
    database = opened
    file = pointer
    self.methods = methods.pointee
    self.path = sqlite3_db_filename(opened, "main").map { String(cString: $0) } ?? path
  }

  deinit { sqlite3_close_v2(database) }

  package var size: Int {
    var size: sqlite3_int64 = 0
    return methods.xFileSize?(file, &size) == SQLITE_OK ? Int(size) : 0
  }

  /// The bytes from an offset: fewer at the end of the file, none if it can't be read.
  package func bytes(at offset: Int, count: Int) -> [UInt8] {
    let count = min(count, size - offset)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let code = methods.xRead?(file, buffer.baseAddress, Int32(count), sqlite3_int64(offset))
      initialized = code == SQLITE_OK ? count : 0
    }
  }

  /// Whether a connection is writing the file in a rollback-journal mode.
  var isBeingWritten: Bool {
    var result: Int32 = 0
    return methods.xCheckReservedLock?(file, &result) == SQLITE_OK && result != 0
  }

  /// Runs `body` unless a connection of any process has the file open in WAL mode, because each of
  /// those holds a shared lock.
  func withExclusiveLock(_ body: () -> Void) {
    guard let lock = methods.xLock, let unlock = methods.xUnlock,
      lock(file, SQLITE_LOCK_SHARED) == SQLITE_OK
    else { return }
    defer { _ = unlock(file, SQLITE_LOCK_NONE) }
    if lock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK { body() }
  }

  /// Removes a file without tables, which an opening has created and could not fill, and its log, if no
  /// other connection uses it.
  package static func removeEmptyFile(at path: String) {
    guard let raw = try? RawDatabaseFile(path: path, isWritable: true) else { return }
    raw.withExclusiveLock {
      // The root of a table would be a second page.
      guard raw.size <= 4096, (DatabaseFile.size(of: raw.path + "-wal") ?? 0) == 0 else { return }
      for suffix in ["-wal", "-shm", ""] {
        try? FileManager.default.removeItem(atPath: raw.path + suffix)
      }
    }
  }
}
