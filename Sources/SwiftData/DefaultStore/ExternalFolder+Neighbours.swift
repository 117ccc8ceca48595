import Foundation
import OpenSwiftDataSQLiteEngine

/// Other stores that keep their large values in the same folder, because their names differ only in
/// the extension: `trips.store` and `trips.sqlite`. Values of `trips.store.copy` are in the folder in which
/// other programs keep those of `trips.store`. A copy has files of the same names. So these files are no orphans, and
/// are not removed with a value of this store.
extension ExternalFolder {
  /// The paths of the values folders in which another store may have files too.
  func sharedPlaces() -> Set<String> {
    neighbours().reduce(into: []) { $0.formUnion($1.folder.places.intersection(places)) }
  }

  /// Whether another store may have files in the folder that this one writes to.
  var sharesValues: Bool { sharedPlaces().contains(values.standardizedFileURL.path) }

  /// Whether both stores may have files in the same folder.
  package func isShared(with other: ExternalFolder) -> Bool {
    !places.isDisjoint(with: other.places)
  }

  /// The file names in the rows of all such stores.
  /// - Throws: `SQLiteError` if one of them can't be read.
  func namesInStoresSharingFolder() throws -> Set<String> {
    var names: Set<String> = []
    for neighbour in neighbours() {
      try ConsistentRead(path: neighbour.file.path).run { file, look in
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

  /// What a copy of a store into a file adds to the name of the file until it is complete.
  package static let copySuffix = ".copying"

  private func neighbours() -> [(file: URL, folder: ExternalFolder)] {
    parents.flatMap { parent in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
      return names.compactMap { name -> (file: URL, folder: ExternalFolder)? in
        let file = parent.appendingPathComponent(name)
        // The file of an incomplete copy to this path is another store. This store may have such a name too.
        let isCopy =
          name.hasSuffix(ExternalFolder.copySuffix)
          && DatabaseFile.resolvedPath(file.path) != store.path
        let complete =
          isCopy
          ? String(name.dropLast(ExternalFolder.copySuffix.count))
          : RunningBackup.nameWhenComplete(name)
        // A file that is not complete has its values where the complete one will have them.
        let place = parent.appendingPathComponent(complete)
        guard !bases.isDisjoint(with: ExternalFolder.bases(of: place)),
          !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
        else { return nil }
        let folder = ExternalFolder(of: place)
        // A link to this store is not another store.
        guard isCopy || folder.store.path != store.path, folder.isShared(with: self) else {
          return nil
        }
        return (file, folder)
      }
    }
  }
}
