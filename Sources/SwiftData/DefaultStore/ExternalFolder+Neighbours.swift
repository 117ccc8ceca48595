import Foundation
import OpenSwiftDataSQLiteEngine

/// Other stores that have their large values in the same folder, because their names differ in the extension
/// only: `trips.store` and `trips.sqlite`. A file of theirs is no orphan.
extension ExternalFolder {
  /// Whether a file may lie in a folder of both.
  func isShared(with other: ExternalFolder) -> Bool { !places.isDisjoint(with: other.places) }

  /// The names that the rows of all neighbours have.
  /// - Throws: `SQLiteError` where one of them can't be read.
  func namesOfNeighbours() throws -> Set<String> {
    var names: Set<String> = []
    for neighbour in neighbours() {
      try SteadyLook(path: neighbour.path).run { file, look in
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
      // A link to this store is no other one.
      return other.store.path != store.path && other.isShared(with: self)
    }
  }
}
