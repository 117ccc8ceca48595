import Foundation
import OpenSwiftDataSQLiteEngine

/// Other stores that keep their large values in the same folder, because their names differ only in
/// the extension: `trips.store` and `trips.sqlite`. Their files are not orphans.
extension ExternalFolder {
  /// Whether both stores may have files in the same folder.
  package func isShared(with other: ExternalFolder) -> Bool {
    !places.isDisjoint(with: other.places)
  }

  /// The file names in the rows of all such stores.
  /// - Throws: `SQLiteError` if one of them can't be read.
  func namesInStoresSharingFolder() throws -> Set<String> {
    var names: Set<String> = []
    for neighbour in neighbours() {
      try ConsistentRead(path: neighbour.path).run { file, look in
        guard file.kind == .file, file.size > 0, DatabaseHeader.begins(file.beginning) else {
          return
        }
        let connection = try file.look()
        try connection.snapshot {
          look.begin(connection)
          try StoredName.forEach(in: connection) { names.insert($0.name) }
        }
      }
    }
    return names
  }

  private func neighbours() -> [URL] {
    parents.flatMap { parent in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
      return names.filter { name in
        !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
      }
      .map(parent.appendingPathComponent)
    }
    .filter { neighbour in
      let other = ExternalFolder(of: neighbour)
      // A link to this store is not another store.
      return other.store.path != store.path && other.isShared(with: self)
    }
  }
}
