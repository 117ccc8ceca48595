import Foundation
import OpenSwiftDataSQLiteEngine

/// Determines what a migration would do, without changing the file.
///
/// 1. The file is read through a connection that leaves no trace. The path is determined as when
///    the store is opened.
/// 2. The first stage is planned on the file itself, and its rows are checked.
/// 3. For the later stages, a database in memory gets the tables of the file without their rows.
///    Each stage is run there, so the next one finds the tables that it will find in the file.
struct MigrationPreviewBuilder {
  let file: FileMigration

  private var migration: StoreMigration { file.migration }
  private var url: URL { file.configuration.url }

  func preview() throws -> MigrationPreview {
    let configuration = file.configuration
    guard !configuration.isStoredInMemoryOnly,
      let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int,
      size > 0
    else { return preview(from: nil, [], [:]) }
    return try StoreFileCheck.look(at: url) { connection, stored in
      let store = StoreIdentity(stored)
      let counts = try TablesWithoutRows(connection, stored).rowCounts()
      let decision = try migration.decision(stored)
      try StoreFile.refuseWriting(stored, configuration)
      guard case .migrate(let path) = decision,
        configuration.allowsSave || stored.writingObstacle == nil
      else {
        return preview(from: store.versionText, [], counts)
      }
      return preview(from: store.versionText, try stages(path, store, stored, connection), counts)
    }
  }

  private func preview(
    from version: String?, _ stages: [MigrationPreview.Stage], _ counts: [String: Int]
  ) -> MigrationPreview {
    MigrationPreview(
      url: url, fromVersion: version, toVersion: migration.version, stages: stages,
      rowCounts: counts)
  }

  // MARK: Stages

  private func stages(
    _ path: MigrationPath, _ store: StoreIdentity, _ stored: StoredSchema,
    _ connection: Connection
  ) throws -> [MigrationPreview.Stage] {
    try MigrationPreview.stages(
      migration, path, stored, connection, read: StoredSchema.description,
      withoutRows: { try TablesWithoutRows(connection, stored).copy() })
  }
}

extension StoredSchema {
  fileprivate static func description(_ session: any SQLSession) throws -> StoredSchema? {
    try (session as? Connection).flatMap { try StoredSchema.read($0) }
  }
}
