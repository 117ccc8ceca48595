public import Foundation

extension ModelConfiguration {
  /// The default store of the app, or a store in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(
      name: nil, schema: nil, url: nil, isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: true, groupContainer: .automatic, cloudKitDatabase: .automatic)
  }

  /// The default store of the app, or a store in memory, for some of the models of a container.
  ///
  /// - Parameters:
  ///   - forTypes: The models; all of the container's when there are none.
  ///   - isStoredInMemoryOnly: Whether the store ends with its container.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(
      name: nil, schema: forTypes.isEmpty ? nil : Schema(forTypes), url: nil,
      isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: true, groupContainer: .automatic,
      cloudKitDatabase: .automatic)
  }

  /// A store in the folder of the app, named for the configuration, or a store in memory.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration and of the file; `default` when `nil`.
  ///   - schema: The entities; those of the container when `nil`.
  ///   - isStoredInMemoryOnly: Whether the store ends with its container.
  ///   - allowsSave: Whether the store may be changed.
  ///   - groupContainer: Noted only.
  ///   - cloudKitDatabase: Noted only.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true, groupContainer: ModelConfiguration.GroupContainer = .automatic,
    cloudKitDatabase: ModelConfiguration.CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name, schema: schema, url: nil, isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: allowsSave, groupContainer: groupContainer, cloudKitDatabase: cloudKitDatabase)
  }

  /// A store in a file.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; that of the file without its extension when `nil`.
  ///   - schema: The entities; those of the container when `nil`.
  ///   - url: The file.
  ///   - allowsSave: Whether the store may be changed.
  ///   - cloudKitDatabase: Noted only.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: ModelConfiguration.CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name, schema: schema, url: url, isStoredInMemoryOnly: false, allowsSave: allowsSave,
      groupContainer: .automatic, cloudKitDatabase: cloudKitDatabase)
  }
}
