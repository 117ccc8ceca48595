/// How a Swift type is stored.
package indirect enum StorageForm: Sendable {
  /// One column.
  case scalar(ScalarType)
  /// One column with the raw value.
  case rawValue(ScalarType)
  /// One column for each leaf, at any depth.
  case composite([CompositeLeaf])
  /// One column with the whole value, archived.
  case encoded
}

/// One column of a composite value.
package struct CompositeLeaf: Sendable {
  /// The names of the properties that lead to the leaf, from the composite on.
  package var path: [String]
  /// The coding keys that lead to it. Different from `path` only for types with renamed keys.
  package var codingPath: [String]
  package var form: LeafForm
  /// Whether the column may be empty though the composite is not.
  package var isOptional: Bool
  /// The type of the property, without `Optional`.
  package var valueType: any Any.Type
  /// The cases of enums around the leaf that have no column of their own, but only optional values.
  package var emptyCases: [EmptyCase] = []

  /// A case of which nothing is stored where all its values are absent.
  package struct EmptyCase: Sendable, Hashable {
    /// The number of keys that lead from the case to the leaf.
    package var depth: Int
    /// Whether the property of the enum, inside another value, is optional.
    package var mayBeNil: Bool
  }

  /// The last component of the path, which names the column.
  package var name: String { path.last ?? "" }
}

/// How one leaf of a composite is stored.
package enum LeafForm: Sendable, Hashable {
  case scalar(ScalarType)
  case rawValue(ScalarType)
  /// The bytes of JSON text.
  case encoded
  /// The name of an enum case while that case is the active one.
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
