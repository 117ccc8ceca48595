/// The versions of an app's models, and the stages that migrate a store between them.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// All versions, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }

  /// The stages between the versions, in order.
  static var stages: [MigrationStage] { get }
}
