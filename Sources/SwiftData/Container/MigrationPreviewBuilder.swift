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
  let migration: StoreMigration

  private var url: URL { migration.configuration.url }

  func preview() throws -> MigrationPreview {
    let configuration = migration.configuration
    guard !configuration.isStoredInMemoryOnly,
      let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int,
      size > 0
    else { return preview(from: nil, [], [:]) }
    return try StoreFileCheck.look(at: url) { connection, stored in
      let store = StoreIdentity(stored)
      let counts = try TablesWithoutRows(connection, stored).rowCounts()
      guard case .migrate(let path) = try migration.decision(stored) else {
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
    var stages: [MigrationPreview.Stage] = []
    var (tables, description) = (connection, stored)
    for (index, step) in path.steps.enumerated() {
      let kind = kind(of: step)
      let change = try migration.change(
        step, of: store, description, tables, keepsOldTables: kind == .transform)
      let isChecked = index == 0 && !migration.runsCode(before: step)
      stages.append(
        MigrationPreview.Stage(
          fromVersion: path.versionNames[index], toVersion: path.versionNames[index + 1],
          kind: kind, changes: change.descriptions,
          losses: index == 0 ? try change.losses(tables) : [], statements: change.statements,
          problems: isChecked ? try change.problems(tables) : [], isChecked: isChecked))
      if index == path.steps.count - 1 { break }
      if index == 0 {
        tables = try TablesWithoutRows(connection, stored).copy()
        description = try self.description(tables)
      }
      // After its code has run, a transformation has the same tables.
      try migration.change(step, of: store, description, tables).run(tables, external: nil)
      description = try self.description(tables)
    }
    return stages
  }

  private func description(_ tables: Connection) throws -> StoredSchema {
    guard let stored = try StoredSchema.read(tables) else { throw migration.isEmpty }
    return stored
  }

  private func kind(of step: MigrationPath.Step) -> MigrationPreview.Stage.Kind {
    switch step.stage.flatMap({ migration.plan?.stages[$0] }) {
    case .custom?: .custom
    case .transform?: .transform
    case .lightweight?, nil: .lightweight
    }
  }
}
