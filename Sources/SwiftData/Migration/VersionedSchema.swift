/// One version of an app's models.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version.
  static var models: [any PersistentModel.Type] { get }

  /// The number of this version.
  static var versionIdentifier: Schema.Version { get }
}

extension Schema {
  /// Creates a schema with the models of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }
}
