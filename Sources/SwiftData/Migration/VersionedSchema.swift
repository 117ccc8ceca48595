/// One version of the models of an app.
public protocol VersionedSchema: SendableMetatype {
  /// The models as they were in this version.
  static var models: [any PersistentModel.Type] { get }

  /// The number of this version.
  static var versionIdentifier: Schema.Version { get }
}
