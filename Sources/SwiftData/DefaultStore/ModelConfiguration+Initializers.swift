public import Foundation

extension ModelConfiguration {
  /// Configures the app's default store, or a store in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(
      name: nil, schema: nil, url: nil, isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: true, groupContainer: .automatic, cloudKitDatabase: .automatic)
  }

  /// Configures the app's default store, or a store in memory, for some of a container's models.
  ///
  /// - Parameters:
  ///   - forTypes: The models in the store; without any, all models of the container.
  ///   - isStoredInMemoryOnly: Whether the store is in memory, and is released with its container.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(
      name: nil, schema: forTypes.isEmpty ? nil : Schema(forTypes), url: nil,
      isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: true, groupContainer: .automatic,
      cloudKitDatabase: .automatic)
  }

  /// Configures a store in the app's folder, named after the configuration, or a store in memory.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration and of the file; `nil` for `default`.
  ///   - schema: The entities in the store; `nil` for those of the container.
  ///   - isStoredInMemoryOnly: Whether the store is in memory, and is released with its container.
  ///   - allowsSave: Whether the store may be changed. If false, the file is opened for reading
  ///     only.
  ///   - groupContainer: Kept in the configuration; has no effect here.
  ///   - cloudKitDatabase: Kept in the configuration; has no effect here.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true, groupContainer: ModelConfiguration.GroupContainer = .automatic,
    cloudKitDatabase: ModelConfiguration.CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name, schema: schema, url: nil, isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: allowsSave, groupContainer: groupContainer, cloudKitDatabase: cloudKitDatabase)
  }

  /// Configures a store in a given file.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; `nil` for the file name without its extension.
  ///   - schema: The entities in the store; `nil` for those of the container.
  ///   - url: The location of the file, which is created if it does not exist.
  ///   - allowsSave: Whether the store may be changed. If false, the file is opened for reading
  ///     only, and must exist.
  ///   - cloudKitDatabase: Kept in the configuration; has no effect here.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: ModelConfiguration.CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name, schema: schema, url: url, isStoredInMemoryOnly: false, allowsSave: allowsSave,
      groupContainer: .automatic, cloudKitDatabase: cloudKitDatabase)
  }
}
