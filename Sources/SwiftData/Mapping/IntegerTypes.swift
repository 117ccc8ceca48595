/// The Swift types of integers that share a type of column with others: which numbers such a column may have
/// cannot be told from the file otherwise.
extension _ModelDescriptor {
  /// Those of the properties that the class declares itself: `["Trip.code": "UInt64"]`.
  package var integerTypes: [String: String] {
    var types: [String: String] = [:]
    for property in properties.dropFirst(superclass?._$descriptor.slotCount ?? 0) {
      for (path, type) in property.integers where type.isToldByMetadata {
        types[([entityName, property.name] + path).joined(separator: ".")] = type.name
      }
    }
    return types
  }
}

extension ModelProperty {
  /// The types of the columns that hold integers, by the path of the part of a composite.
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
  /// `UInt64`.
  var name: String { "\(swiftType)" }

  /// The type with a name.
  static func named(_ name: String) -> ScalarType? { allCases.first { $0.name == name } }

  /// Whether its values are bit patterns of 64 bits, the upper half of which stands below zero.
  var isUnsigned64: Bool { traits.order == .unsigned }

  /// Whether the type of the column says nothing, or too little, of the values.
  fileprivate var isToldByMetadata: Bool {
    switch self {
    case .int8, .uint8, .uint16, .uint32, .uint, .uint64: true
    default: false
    }
  }
}
