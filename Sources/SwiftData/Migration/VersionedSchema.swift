/// One version of an app's models.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version.
  static var models: [any PersistentModel.Type] { get }

  /// The number of this version.
  static var versionIdentifier: Schema.Version { get }
}
