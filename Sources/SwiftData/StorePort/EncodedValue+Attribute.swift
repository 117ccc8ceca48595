import Foundation
import OpenSwiftDataRowStorage

extension EncodedValue {
  /// The value of an attribute as a model stores it; `nil` if it does not have the property's type.
  func slotValue(of property: ModelProperty) -> _SlotValue? {
    func read<V>(_ type: V.Type) -> _SlotValue? {
      unwrapped(as: type).map { value in
        if case .transformable = property.form { return .boxing(value) }
        return .attribute(value)
      }
    }
    return _openExistential(property.valueType, do: read) ?? decodedValue(of: property)
  }

  /// Decodes a `Codable` value that the snapshot has encoded in parts.
  private func decodedValue(of property: ModelProperty) -> _SlotValue? {
    guard case .node(let node) = self, node.keyed != nil || node.list != nil,
      case .attribute = property.form, let type = property.valueType as? any Decodable.Type,
      let bytes = try? EncodedCoding.encode(node)
    else { return nil }
    func decode<T: Decodable>(_ type: T.Type) -> _SlotValue? {
      (try? EncodedCoding.decode(type, from: bytes)).map { _SlotValue.boxing($0) }
    }
    return decode(type)
  }

  /// The value as a snapshot cell, if it is in stored form: the raw value of an enum, an integer of
  /// another width, or the bytes of a transformed value.
  func stored(as property: ModelProperty) -> _SlotValue? {
    switch property.form {
    case .transformable:
      return unwrapped(as: Data.self).map { .blob($0) }
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
      guard let scalar = scalar, let value = type.cell(scalar.storedValue) else { return nil }
      return value
    default: return nil
    }
  }

  private var scalar: (any ScalarCoding)? { unwrapped(as: (any ScalarCoding).self) }
}

extension ScalarType {
  /// A stored value as a cell of this type; nil if it is of another kind.
  fileprivate func cell(_ value: _StoredValue) -> _SlotValue? {
    switch (cellKind, value) {
    case (_, .null): .null
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): _SlotValue(value)
    case (.real, .integer(let value)): .real(Double(value))
    default: nil
    }
  }
}

extension EncodedValue.Node: Encodable {
  package func encode(to encoder: any Encoder) throws {
    if let keyed {
      var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
      for (name, value) in keyed {
        try container.encode(value, forKey: .modeledProperty(name))
      }
    } else if let list {
      var container = encoder.unkeyedContainer()
      for value in list { try container.encode(value) }
    } else {
      try (single ?? .null).encode(to: encoder)
    }
  }
}

extension EncodedValue: Encodable {
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .value(let value): try value.encode(to: encoder)
    case .node(let node): try node.encode(to: encoder)
    }
  }
}
