/// Names of properties by key path.
enum KeyPathName {
  /// The names after the root of a key path, such as `address.street`.
  ///
  /// In some builds key paths do not contain the names of computed properties, so names that a
  /// macro recorded must be preferred.
  static func spelled(_ keyPath: AnyKeyPath) -> String {
    let text = keyPath.debugDescription
    let root = "\\\(type(of: keyPath).rootType)."
    let path = text.hasPrefix(root) ? text.dropFirst(root.count) : text[...]
    return path.filter { $0 != "?" && $0 != "!" }
  }
}
