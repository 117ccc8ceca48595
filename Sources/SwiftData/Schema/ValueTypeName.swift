import Foundation

/// Names for types of properties that are the same on every platform and in every run.
enum ValueTypeName {
  /// The name of a type: short for the types that columns are made of, qualified for others.
  static func name(of type: any Any.Type) -> String {
    names[ObjectIdentifier(type)] ?? String(reflecting: type)
  }

  /// The type of a name; `Any` when it is none of the known ones.
  static func type(named name: String) -> any Any.Type {
    types[name] ?? Any.self
  }

  private static let scalars: [any (ScalarCoding & Codable & Hashable & Sendable).Type] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
    UInt32.self, UInt64.self, Bool.self, Double.self, Float.self, String.self, Date.self,
    UUID.self, Data.self, URL.self, Decimal.self, CGFloat.self,
  ]

  private static let types: [String: any Any.Type] = {
    var types: [String: any Any.Type] = ["Duration": Duration.self]
    for scalar in scalars { add(scalar, to: &types) }
    return types
  }()

  private static let names: [ObjectIdentifier: String] = Dictionary(
    types.map { (ObjectIdentifier($0.value), $0.key) }, uniquingKeysWith: { first, _ in first })

  private static func add<T: Hashable>(_ type: T.Type, to types: inout [String: any Any.Type]) {
    types["\(type)"] = type
    types["[\(type)]"] = [T].self
    types["Set<\(type)>"] = Set<T>.self
    types["[String: \(type)]"] = [String: T].self
  }
}

/// Names of properties by key path.
enum KeyPathName {
  /// The names that a key path spells after its root, such as `address.street`.
  ///
  /// Key paths do not know the names of computed properties in every build, so the names that the
  /// macro wrote beside the key paths come first.
  static func name(of keyPath: AnyKeyPath) -> String {
    if let model = type(of: keyPath).rootType as? any PersistentModel.Type,
      let property = model.schemaMetadata.first(where: { $0.keypath == keyPath })
    {
      return property.name
    }
    let text = keyPath.debugDescription
    let root = "\\\(type(of: keyPath).rootType)."
    let path = text.hasPrefix(root) ? text.dropFirst(root.count) : text[...]
    return path.filter { $0 != "?" && $0 != "!" }
  }
}
