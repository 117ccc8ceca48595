import Foundation

/// Names of property types that are the same on every platform and in every run.
enum ValueTypeName {
  /// The name of a type: unqualified for the types of columns, qualified for others.
  static func name(of type: any Any.Type) -> String {
    names[ObjectIdentifier(type)] ?? String(reflecting: type)
  }

  /// The type with a name; `Any` for an unknown name.
  static func type(named name: String) -> any Any.Type {
    types[name] ?? Any.self
  }

  private static let scalars = ScalarType.allCases.map(\.swiftType) + [CGFloat.self]

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
