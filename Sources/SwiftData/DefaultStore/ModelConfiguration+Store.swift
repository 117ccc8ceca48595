extension ModelConfiguration: DataStoreConfiguration {
  /// The type of store that the configuration opens.
  public typealias Store = DefaultStore
}
