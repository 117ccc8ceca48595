import OpenSwiftDataCSQLite
import Foundation

/// Where a connection keeps sort data and temporary tables.
package enum TemporaryStorage: String, Sendable {
  case memory = "MEMORY"
  /// In private files, so that memory use stays small whatever the amount of data. In memory if the process
  /// has no directory for them.
  case file = "FILE"
}

extension TemporaryStorage {
  /// What a connection can use: SQLite fails with SQLITE_IOERR_GETTEMPPATH if it must write to a file and no
  /// directory can be written, as in a container with a read-only root.
  func available(for database: OpaquePointer) -> TemporaryStorage {
    self == .file && TemporaryStorage.directory(for: database) == nil ? .memory : self
  }

  /// The directory of temporary files, if the connection uses files.
  static func directoryInUse(by database: OpaquePointer) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    // 1 is FILE.
    guard sqlite3_prepare_v2(database, "PRAGMA temp_store", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, sqlite3_column_int(statement, 0) == 1
    else { return nil }
    return directory(for: database)
  }

  /// The directory in which SQLite creates temporary files: the first that can be written of SQLITE_TMPDIR
  /// and TMPDIR (from the environment when SQLite was first used), /var/tmp, /usr/tmp, /tmp and the working
  /// directory. `nil` if there is none, and for a database in memory.
  private static func directory(for database: OpaquePointer) -> String? {
    var name: UnsafeMutablePointer<CChar>?
    let code = withUnsafeMutablePointer(to: &name) {
      sqlite3_file_control(database, "main", SQLITE_FCNTL_TEMPFILENAME, $0)
    }
    defer { sqlite3_free(name) }
    guard code == SQLITE_OK, let name, name.pointee != 0 else { return nil }
    return URL(fileURLWithPath: String(cString: name)).deletingLastPathComponent().path
  }

  /// Whether both paths are on the same volume; true if that is not known.
  static func haveSameVolume(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard stat(one, &first) == 0, stat(other, &second) == 0 else { return true }
    return first.st_dev == second.st_dev
  }
}
