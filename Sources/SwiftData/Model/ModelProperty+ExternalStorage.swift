extension ModelProperty {
  /// Whether the value may lie in a file beside the store, and so has a tag byte in its column.
  package var isExternallyStored: Bool {
    (metadata as? Schema.Attribute)?.options.contains(.externalStorage) ?? false
  }
}
