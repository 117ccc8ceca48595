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
      return scalar.flatMap { type.cell($0) }
    default: return nil
    }
  }

  private var scalar: (any ScalarCoding)? { unwrapped(as: (any ScalarCoding).self) }
}

extension ScalarType {
  /// A value as a cell of this type; nil if it is of another kind, or if the cell would be another number.
  fileprivate func cell(_ scalar: some ScalarCoding) -> _SlotValue? {
    if self != .bool, scalar is Bool { return nil }
    switch (cellKind, scalar.storedValue) {
    case (_, .null): return .null
    case (.integer, .integer(let bits)): return integerCell(bits, of: type(of: scalar).scalarType)
    case (.real, .integer(let bits)):
      let isLarge = type(of: scalar).scalarType.isUnsignedWord && bits < 0
      return (isLarge ? Double(exactly: UInt64(bitPattern: bits)) : Double(exactly: bits))
        .map { .real($0) }
    case (.real, .real(let number)):
      return self == .float && number.isFinite && !Float(number).isFinite ? nil : .real(number)
    case (.text, .text), (.blob, .blob): return _SlotValue(scalar.storedValue)
    default: return nil
    }
  }

  /// - Parameter bits: The stored form of an integer; that of the upper half of the unsigned range is negative.
  private func integerCell(_ bits: Int64, of type: ScalarType) -> _SlotValue? {
    if self == .bool { return bits == 0 || bits == 1 ? .integer(bits) : nil }
    return bits >= 0 || isUnsignedWord == type.isUnsignedWord ? .integer(bits) : nil
  }

  /// Whether the upper half of the values is stored as negative numbers.
  private var isUnsignedWord: Bool { traits.order == .unsigned }
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
