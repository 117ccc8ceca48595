/// The stages of a preview, for a store in any database.
extension MigrationPreview {
  /// - Parameters:
  ///   - stored: The description of the store.
  ///   - session: Reads the store.
  ///   - read: Reads the description that a session sees.
  ///   - withoutRows: Makes a session that sees a copy of the tables without their rows. Each stage
  ///     but the last is run there, so the next one finds the tables that it will find in the store.
  package static func stages(
    _ migration: StoreMigration, _ path: MigrationPath, _ stored: StoredSchema,
    _ session: any SQLSession, read: (any SQLSession) throws -> StoredSchema?,
    withoutRows: () throws -> any SQLSession
  ) throws -> [Stage] {
    func describe(_ tables: any SQLSession) throws -> StoredSchema {
      guard let stored = try read(tables) else { throw migration.isEmpty }
      return stored
    }
    let store = StoreIdentity(stored)
    var stages: [Stage] = []
    var (tables, description) = (session, stored)
    for (index, step) in path.steps.enumerated() {
      let kind = kind(of: step, in: migration)
      let change = try migration.change(
        step, of: store, description, tables, keepsOldTables: kind == .transform)
      let isChecked = index == 0 && !migration.runsCode(before: step)
      stages.append(
        Stage(
          fromVersion: path.versionNames[index], toVersion: path.versionNames[index + 1],
          kind: kind,
          changes: change.descriptions + (index == 0 ? try change.unitedLinks(tables) : []),
          losses: index == 0 ? try change.losses(tables) : [], statements: change.statements,
          problems: isChecked ? try change.problems(tables) : [], isChecked: isChecked))
      if index == path.steps.count - 1 { break }
      if index == 0 {
        tables = try withoutRows()
        description = try describe(tables)
      }
      // After its code has run, a transformation has the same tables.
      try migration.change(step, of: store, description, tables).run(tables)
      description = try describe(tables)
    }
    return stages
  }

  private static func kind(of step: MigrationPath.Step, in migration: StoreMigration) -> Stage.Kind
  {
    switch step.stage.flatMap({ migration.plan?.stages[$0] }) {
    case .custom?: .custom
    case .transform?: .transform
    case .lightweight?, nil: .lightweight
    }
  }
}
