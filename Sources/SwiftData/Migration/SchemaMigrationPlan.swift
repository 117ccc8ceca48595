/// The versions of the models of an app, and how a store gets from each to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// All versions, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }

  /// The steps between the versions, in their order.
  static var stages: [MigrationStage] { get }
}
