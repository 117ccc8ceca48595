extension Schema {
  /// The description of one property of a model type.
  public struct PropertyMetadata {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?

    /// Makes the description of a model's property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keypath: The key path from the model to the property.
    ///   - defaultValue: The default value in the declaration.
    ///   - metadata: The `@Attribute` or `@Relationship` of the property.
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
