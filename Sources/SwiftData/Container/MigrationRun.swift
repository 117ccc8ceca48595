import Foundation
import OpenSwiftDataStoreFormat

/// The steps of one migration, inside the transaction that encloses all of them. Created by
/// `StoreMigration`.
///
/// Each step: code of the stage with the old version's models, the change of the tables, code with
/// the new version's models. The file is read again for each step, so every step starts from the
/// result of the one before.
package struct MigrationRun {
  private let migration: StoreMigration
  private let path: MigrationPath
  private let store: StoreIdentity
  private let database: any MigratedDatabase
  /// Called before values are deleted.
  private let willDelete: ([MigrationLoss]) throws -> Void
  /// Called with clauses about links that relationships get from others.
  private let unitesLinks: ([String]) -> Void

  package init(
    _ migration: StoreMigration, _ path: MigrationPath, _ store: StoreIdentity,
    _ database: any MigratedDatabase, unitesLinks: @escaping ([String]) -> Void,
    willDelete: @escaping ([MigrationLoss]) throws -> Void
  ) {
    self.migration = migration
    self.path = path
    self.store = store
    self.database = database
    self.willDelete = willDelete
    self.unitesLinks = unitesLinks
  }

  package func run() throws {
    let progress = migration.progress
    progress?.begin(steps: path.steps.count)
    for (index, step) in path.steps.enumerated() {
      let name = path.stepText(index)
      let (before, after) = try code(of: step, named: name)
      progress?.begin(
        step: index, named: name, codeBefore: before != nil,
        codeAfter: after != nil || transformation(of: step) != nil)
      try before?()
      if let transformation = transformation(of: step) {
        try transform(step, named: name, transformation)
      } else {
        let change = try change(step)
        progress?.endChange()
        if before != nil, after != nil {
          StageCode.warn(ofNewKeys: change.entitiesWithNewKeys, in: name)
          StageCode.warn(ofNewNames: change.renamedEntities, in: name)
        }
      }
      try after?()
      progress?.endStep()
    }
  }

  /// The code of the app before and after the tables change.
  private func code(
    of step: MigrationPath.Step, named name: String
  ) throws -> (before: (() throws -> Void)?, after: (() throws -> Void)?) {
    guard let stage = step.stage.flatMap({ migration.plan?.stages[$0] }), let from = step.from
    else { return (nil, nil) }
    switch stage {
    case .lightweight, .transform: return (nil, nil)
    case .custom(_, _, let willMigrate, let didMigrate):
      return (
        try willMigrate.map { body in
          let code = StageCode(.willMigrate, of: name, try models(at: from))
          return { try code.run(self) { context, _ in try body(context) } }
        },
        try didMigrate.map { body in
          let code = StageCode(.didMigrate, of: name, try models(at: step.to))
          return { try code.run(self) { context, _ in try body(context) } }
        }
      )
    }
  }

  private func models(at index: Int) throws -> StageModels {
    try migration.stageModels(at: index, of: store)
  }

  // MARK: The change of tables

  private func change(
    _ step: MigrationPath.Step, keepsOldTables: Bool = false
  ) throws -> SchemaChange {
    if let from = step.from { try complete(from) }
    return try database.write { session in
      try database.willChange(session)
      guard let stored = try database.description() else { throw migration.isEmpty }
      let change = try migration.change(
        step, of: store, stored, session, keepsOldTables: keepsOldTables)
      let problems = try change.problems(session)
      guard problems.isEmpty else {
        throw MigrationProblemsError(
          problems: problems, migration: migration, step: step, path: path
        ).error
      }
      let losses = try change.losses(session)
      if !losses.isEmpty { try willDelete(losses) }
      unitesLinks(try change.unitedLinks(session))
      try database.run(change, session) { progress in
        migration.progress?.note(
          entity: progress.entity, rows: Int(progress.rows), of: Int(progress.totalRows))
      }
      return change
    }
  }

  /// Writes the description of its version into a file that was recognised by its columns.
  private func complete(_ index: Int) throws {
    let stored = try database.description()
    if stored.map({ StoreIdentity($0).describesModels }) ?? true { return }
    try database.complete(
      DescribedSchema(models(at: index).own), version: migration.planning.versions[index].name)
  }

  // MARK: Transformations

  private typealias Transformation = @Sendable (MigrationTransformation) throws -> Void

  private func transformation(of step: MigrationPath.Step) -> Transformation? {
    guard case .transform(_, _, let body)? = step.stage.flatMap({ migration.plan?.stages[$0] })
    else { return nil }
    return body
  }

  /// Changes the tables, keeps the old ones while code sees both, and then removes them.
  private func transform(
    _ step: MigrationPath.Step, named name: String, _ body: @escaping Transformation
  ) throws {
    guard let from = step.from else { return }
    let earlier = try models(at: from)
    let change = try change(step, keepsOldTables: true)
    migration.progress?.endChange()
    let mapping = change.oldMapping(earlier.own)
    let properties = try database.write { session in
      try change.indexOldTables(mapping, session)
      return try change.propertiesWithEarlierIdentifiers(mapping, session)
    }
    StageCode.warn(
      ofEarlierIdentifiersIn: properties,
      of: Set(change.renamedEntities.map(\.earlier)).union(change.entitiesWithNewKeys), in: name)
    try StageCode(.transformation, of: name, try models(at: step.to)).run(self) { context, seal in
      let store = try database.earlierStore(
        earlier.own, mapping, identifier: change.stored.identifier, seal)
      let old = ModelContext(try container(earlier, store, seal))
      old.reportsUnsavedChanges = false
      try body(MigrationTransformation(old: old, new: context, offset: change.keyOffset))
      if old.hasChanges {
        throw SwiftDataError.loadIssueModelContainer.with(
          "Models of the old version were changed, but are never saved. Change the new models.")
      }
    }
    try database.write { session in
      let missing = try change.missingValues(session)
      guard missing.isEmpty else {
        throw SwiftDataError.loadIssueModelContainer.with(
          "The transformation of the migration stage \(name) left required properties without a valid "
            + "value: \(missing.joined(separator: "; ")). Set them for each row, make them optional, or "
            + "declare default values. The store is unchanged.",
          doing: "migrating a store")
      }
      try change.dropOldTables(session)
    }
  }

  // MARK: Containers of stages

  /// A container for the code of a stage, on the connection of the migration.
  func container(_ models: StageModels, _ seal: StoreInvalidation) throws -> ModelContainer {
    try container(models, try database.stageStore(DescribedSchema(models.own), seal), seal)
  }

  private func container(
    _ models: StageModels, _ store: any DataStore, _ seal: StoreInvalidation
  ) throws -> ModelContainer {
    ModelContainer(
      ContainerCoordinator(
        schema: models.all,
        stores: [(store, Set(models.own.entitiesByName.keys))] + (try models.foreignStore(seal)),
        configurations: database.configurations(models.own), migrationPlan: nil,
        ownSchema: models.own))
  }
}
