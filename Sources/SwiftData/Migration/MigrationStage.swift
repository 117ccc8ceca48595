/// One step of a migration, from a version of the models to the next.
public enum MigrationStage: Sendable {
  /// The store changes its tables automatically.
  case lightweight(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)

  /// Code runs before and after the store changes its tables.
  ///
  /// `willMigrate` gets a context with the models of the old version, `didMigrate` one with those
  /// of the new version. The code must save its changes: unsaved ones make the migration throw.
  @preconcurrency case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?)

  /// The store changes its tables, then code gets each old model together with its counterpart.
  ///
  /// For changes of types, for splitting and merging, where a custom stage needs an intermediate
  /// version. See ``MigrationTransformation``. Not in Apple's framework.
  case transform(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    transformation: @Sendable (_ transformation: MigrationTransformation) throws -> Void)
}

extension MigrationStage {
  /// The version before the step.
  package var fromVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(let version, _), .custom(let version, _, _, _), .transform(let version, _, _):
      version
    }
  }

  /// The version after the step.
  package var toVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let version), .custom(_, let version, _, _), .transform(_, let version, _):
      version
    }
  }
}
