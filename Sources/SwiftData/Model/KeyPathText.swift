/// The components of a key path, read from its description.
///
/// Swift has no other API for this; `\Item.address.city` prints its stored properties by name and
/// accessors as `<computed 0x… (Type)>`. Components that look alike are not supported.
package struct KeyPathText {
  /// The components without the root type; `?` and `!` are left out.
  package let components: [String]

  package init(_ keyPath: AnyKeyPath) {
    components = Self.split(keyPath.debugDescription)
  }

  private static func split(_ text: String) -> [String] {
    guard text.first == "\\" else { return [] }
    // The root's name may have dots and angle brackets; dots inside brackets separate nothing.
    var parts: [String] = []
    var current = ""
    var depth = 0
    for character in text.dropFirst() {
      switch character {
      case "<", "(", "[": depth += 1
      case ">", ")", "]": depth -= 1
      case "." where depth == 0:
        parts.append(current)
        current = ""
        continue
      case "?" where depth == 0, "!" where depth == 0: continue
      default: break
      }
      current.append(character)
    }
    parts.append(current)
    return Array(parts.dropFirst())
  }
}

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
