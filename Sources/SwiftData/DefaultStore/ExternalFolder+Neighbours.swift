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
      let file = try DatabaseFile(at: neighbour.path)
      guard file.kind == .file, file.size > 0, DatabaseHeader.begins(file.beginning) else {
        continue
      }
      try StoredName.forEach(in: file.look()) { names.insert($0.name) }
    }
    return names
  }

  private func neighbours() -> [URL] {
    let parent = store.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    return names.filter { name in
      name != store.lastPathComponent
        && !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
    }
    .map(parent.appendingPathComponent)
    .filter { ExternalFolder(of: $0).isShared(with: self) }
  }
}
