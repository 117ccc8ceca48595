extension ModelProperty {
  /// Whether the value may be kept in a file beside the store, and so has a tag byte in its column.
  package var isExternallyStored: Bool {
    guard (metadata as? Schema.Attribute)?.options.contains(.externalStorage) ?? false else {
      return false
    }
    switch form {
    case .attribute(.encoded), .transformable: return true
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
      return [.data, .string, .url].contains(type)
    case .attribute(.composite), .toOne, .toMany: return false
    }
  }
}
