extension KeyPathName {
  /// The name that a model's metadata gives a key path, else the names in the key path.
  static func name(of keyPath: AnyKeyPath) -> String {
    if let model = type(of: keyPath).rootType as? any PersistentModel.Type,
      let property = model.schemaMetadata.first(where: { $0.keypath == keyPath })
    {
      return property.name
    }
    return spelled(keyPath)
  }
}
