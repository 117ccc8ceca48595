/// The versions of an app's models, and the stages that migrate a store between them.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// All versions, the oldest first.
  ///
  /// A version that only a stage names is used too, in the order of the numbers of versions.
  static var schemas: [any VersionedSchema.Type] { get }

  /// The stages between the versions, in order.
  static var stages: [MigrationStage] { get }
}
