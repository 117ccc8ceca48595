extension ModelConfiguration: DataStoreConfiguration {
  /// The kind of store that is made of the configuration.
  public typealias Store = DefaultStore
}
