/// How a Swift type is stored.
package indirect enum StorageForm: Sendable {
  /// In one column.
  case scalar(ScalarType)
  /// In one column, as its raw value.
  case rawValue(ScalarType)
  /// In one column per leaf, at any depth.
  case composite([CompositeLeaf])
  /// In one column, as an archive of the encoded value.
  case encoded
}

/// One column of a composite value.
package struct CompositeLeaf: Sendable {
  /// The path of property names from the composite to the leaf.
  package var path: [String]
  /// The path of coding keys to the leaf. Differs from `path` only for types with renamed keys.
  package var codingPath: [String]
  package var form: LeafStorageForm
  /// Whether the column may be null although the composite is not nil.
  package var isOptional: Bool
  /// The type of the property, without `Optional`.
  package var valueType: any Any.Type
  /// The enum cases around the leaf that have values, and so no column of their own.
  package var payloadCases: [PayloadCase] = []
  /// The number of coding keys to the innermost value around the leaf, or the leaf itself, that may be absent
  /// inside the composite; `nil` if there is none.
  package var optionalDepth: Int?

  /// A case with values: it stores nothing if no column of these has a value.
  package struct PayloadCase: Sendable, Hashable {
    /// The number of keys from the case to the leaf.
    package var depth: Int
    /// Whether all its values are optional.
    package var mayBeEmpty: Bool
    /// Whether the property with the enum, inside another value, is optional.
    package var mayBeNil: Bool
  }

  /// Whether the leaf is in an associated value of an enum, whose case is known only by its values.
  package var isInPayload: Bool { !payloadCases.isEmpty }

  /// The last component of the path, which names the column.
  package var name: String { path.last ?? "" }
}

/// How one leaf of a composite is stored.
package enum LeafStorageForm: Sendable, Hashable {
  case scalar(ScalarType)
  case rawValue(ScalarType)
  /// As the bytes of JSON text.
  case encoded
  /// As the name of an enum case, if that case is the active one.
  case enumCase
}

extension CompositeLeaf: Hashable {
  package static func == (lhs: CompositeLeaf, rhs: CompositeLeaf) -> Bool {
    lhs.path == rhs.path && lhs.codingPath == rhs.codingPath && lhs.form == rhs.form
      && lhs.isOptional == rhs.isOptional && lhs.valueType == rhs.valueType
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(form)
  }
}
