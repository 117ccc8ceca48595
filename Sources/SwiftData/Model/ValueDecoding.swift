import Foundation

/// Creates property values from stored ones, with types known only at run time.
enum ValueDecoding {
  static func composite(
    _ type: any Decodable.Type, leaves: [CompositeLeaf], values: [_StoredValue]
  ) -> (any Decodable)? {
    func restore<T: Decodable>(_ type: T.Type) -> (any Decodable)? {
      try? CompositeCoding.restore(type, leaves: leaves, values: values)
    }
    return restore(type)
  }

  /// A composite as a model shows it: required parts without a stored value have empty ones, because
  /// SQLite stores a NaN as null.
  static func completedComposite(
    _ type: any Decodable.Type, leaves: [CompositeLeaf], values: [_StoredValue]
  ) -> (any Decodable)? {
    composite(type, leaves: leaves, values: values)
      ?? composite(
        type, leaves: leaves,
        values: zip(leaves, values).map { $0.isOptional ? $1 : $0.form.filled($1) })
  }

  /// Decodes a value that was stored whole, in any of the forms that files contain.
  static func encoded(_ type: any Decodable.Type, bytes: Data) -> (any Decodable)? {
    bytes.withUnsafeBytes { encoded(type, in: $0) }
  }

  static func encoded(
    _ type: any Decodable.Type, in bytes: UnsafeRawBufferPointer
  ) -> (any Decodable)? {
    func decode<T: Decodable>(_ type: T.Type) -> (any Decodable)? {
      ArchivedCoding.decode(type, from: bytes)
    }
    return decode(type)
  }

  static func scalar(_ type: any Decodable.Type, _ value: _StoredValue) -> (any Decodable)? {
    (type as? any ScalarCoding.Type)?.make(value) as? any Decodable
  }

  static func transformed<V>(_ type: V.Type, property: ModelProperty, bytes: Data) -> V? {
    guard case .transformable(let name) = property.form else { return nil }
    if let name, let transformer = ValueTransformer.named(name) {
      return try? transformer.value(V.self, fromStored: bytes)
    }
    let wrapped = unwrappedType(of: type) ?? type
    guard let decodable = wrapped as? any Decodable.Type else { return nil }
    return encoded(decodable, bytes: bytes) as? V
  }
}

extension ScalarCoding {
  fileprivate static func make(_ value: _StoredValue) -> Any? { Self(storedValue: value) }
}

extension LeafStorageForm {
  /// The value, or an empty one instead of null, for a required part without a value.
  func filled(_ value: _StoredValue) -> _StoredValue {
    guard value.isNull, case .scalar(let type) = self else { return value }
    return type.traits.empty
  }
}
