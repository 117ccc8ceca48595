/// The Swift types of integers that share their column type with other types, because the file does
/// not record the range of such a column otherwise.
extension _ModelDescriptor {
  /// The types of the properties that the class itself declares: `["Trip.code": "UInt64"]`.
  package var integerTypes: [String: String] {
    var types: [String: String] = [:]
    for property in properties.dropFirst(superclass?._$descriptor.slotCount ?? 0) {
      for (path, type) in property.integers where type.needsMetadata {
        types[([entityName, property.name] + path).joined(separator: ".")] = type.name
      }
    }
    return types
  }
}

extension ModelProperty {
  /// The types of integer columns, with the path from a composite to its part.
  var integers: [(path: [String], type: ScalarType)] {
    switch form {
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
      type.traits.column == .integer ? [([], type)] : []
    case .attribute(.composite(let leaves)):
      leaves.compactMap { leaf in
        switch leaf.form {
        case .scalar(let type), .rawValue(let type):
          type.traits.column == .integer ? (leaf.path, type) : nil
        case .enumCase, .encoded: nil
        }
      }
    case .attribute(.encoded), .transformable, .toOne, .toMany: []
    }
  }
}

extension ScalarType {
  /// The name of the Swift type, such as `UInt64`.
  var name: String { "\(swiftType)" }

  static func named(_ name: String) -> ScalarType? { allCases.first { $0.name == name } }

  /// Whether its values are stored as 64-bit patterns, so that the upper half is negative.
  var isUnsigned64: Bool { traits.order == .unsigned }

  /// Whether the column type alone does not give the range of values.
  fileprivate var needsMetadata: Bool {
    switch self {
    case .int8, .uint8, .uint16, .uint32, .uint, .uint64: true
    default: false
    }
  }
}
