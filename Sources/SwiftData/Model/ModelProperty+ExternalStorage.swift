extension ModelProperty {
  /// Whether the value may be stored in a file beside the store, so that its column has a tag byte.
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
