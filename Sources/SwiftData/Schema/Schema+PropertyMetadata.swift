extension Schema {
  /// What a model type tells about one of its properties.
  public struct PropertyMetadata {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?

    /// Describes a property of a model.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keypath: The key path from the model to the property.
    ///   - defaultValue: The value that the declaration gives it.
    ///   - metadata: What `@Attribute` or `@Relationship` says about it.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}
