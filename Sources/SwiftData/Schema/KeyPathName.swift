/// Names of properties by key path.
enum KeyPathName {
  /// The names that a key path spells after its root, such as `address.street`.
  ///
  /// Key paths do not know the names of computed properties in every build, so what the macro wrote
  /// beside them is to be asked first.
  static func spelled(_ keyPath: AnyKeyPath) -> String {
    let text = keyPath.debugDescription
    let root = "\\\(type(of: keyPath).rootType)."
    let path = text.hasPrefix(root) ? text.dropFirst(root.count) : text[...]
    return path.filter { $0 != "?" && $0 != "!" }
  }
}
