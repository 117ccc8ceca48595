import Foundation
package import OpenSwiftDataSQLiteEngine

/// Compares the rows of a store with its external files: finds files without a row and names
/// without a file.
///
/// Needs no models. The files of an unfinished transaction of a running process count as used.
package struct ExternalFilesCheck: Sendable {
  /// A file that no row names.
  package struct Orphan: Hashable, Sendable {
    package let file: URL
    package let byteCount: Int
  }

  /// A row that names a missing file.
  package struct Missing: Hashable, Sendable {
    package let table: String
    package let column: String
    package let key: Int64
    package let name: String
  }

  package private(set) var valueCount = 0
  package private(set) var orphans: [Orphan] = []
  package private(set) var missing: [Missing] = []

  /// Reads all columns that may name files, and lists the folder.
  /// - Parameters:
  ///   - store: The file of the store.
  ///   - connection: A connection that reads the store.
  /// - Throws: `SQLiteError`.
  package init(of store: URL, through connection: Connection) throws {
    try connection.snapshot { try find(connection, ExternalFolder(of: store)) }
  }

  /// Reads all columns that may name files, and lists the folder.
  /// - Parameters:
  ///   - store: The file of the store.
  ///   - removesOrphans: Whether files without a row are removed. The check then takes the store's
  ///     write lock, so no process can save meanwhile.
  /// - Throws: `SQLiteError`.
  package init(of store: URL, removingOrphans removesOrphans: Bool = false) throws {
    let folder = ExternalFolder(of: store)
    if removesOrphans {
      try ConnectionPool(path: store.path, mode: .readWrite).write { connection in
        try connection.transaction {
          try find(connection, folder)
          for orphan in orphans { try FileManager.default.removeItem(at: orphan.file) }
        }
      }
    } else {
      try ConnectionPool(path: store.path, mode: .readOnly).read { connection in
        try connection.snapshot { try find(connection, folder) }
      }
    }
  }

  /// The findings that are still true.
  ///
  /// A check through a connection sees the rows of the time when its transaction began, but the
  /// files of now. Saves in between have added and removed files.
  /// - Parameter store: The file of the store.
  /// - Throws: `SwiftDataError` if the store can't be read any more, or `SQLiteError`.
  package func confirmed(of store: URL) throws -> ExternalFilesCheck {
    if missing.isEmpty, orphans.isEmpty { return self }
    // Read before the rows: a save whose names are not in a journal any more has committed.
    let unfinished = ExternalJournal.names(in: ExternalFolder(of: store).support)
    let later = try StoreFileCheck.look(at: store) { connection, _ in
      try ExternalFilesCheck(of: store, through: connection)
    }
    let (laterMissing, laterOrphans) = (Set(later.missing), Set(later.orphans.map(\.file)))
    var confirmed = self
    confirmed.missing.removeAll { !laterMissing.contains($0) }
    confirmed.orphans.removeAll { orphan in
      !laterOrphans.contains(orphan.file) || unfinished.contains(orphan.file.lastPathComponent)
        || unfinished.contains(orphan.file.deletingPathExtension().lastPathComponent)
    }
    return confirmed
  }

  private mutating func find(_ connection: Connection, _ folder: ExternalFolder) throws {
    // Lists files first, so that files that a save adds meanwhile are not included.
    let files = folder.files()
    var known = ExternalJournal.names(in: folder.support)
    try StoredName.forEach(in: connection) { stored in
      known.insert(stored.name)
      if folder.contains(stored.name) {
        valueCount += 1
      } else if UUID(uuidString: stored.name) != nil {
        missing.append(
          Missing(
            table: stored.table, column: stored.column, key: stored.key, name: stored.name))
      }
    }
    // If another store with the same folder can't be read, the owner of the remaining files is not
    // known.
    guard let others = try? folder.namesInStoresSharingFolder() else { return }
    known.formUnion(others)
    for file in files {
      let name = file.lastPathComponent
      if known.contains(name) || known.contains(file.deletingPathExtension().lastPathComponent) {
        continue
      }
      let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size]) as? Int
      orphans.append(Orphan(file: file, byteCount: size ?? 0))
    }
    orphans.sort { $0.file.path < $1.file.path }
  }
}
