import Foundation
import OpenSwiftDataRowStorage

/// Values that have to be decoded: composites, encoded and transformed ones. Called by the getters
/// that `@Model` generates; decoded values are kept in the overlay.
extension _ModelStorage {
  /// A value without a scalar form, boxed; nil becomes null.
  static func boxed<V>(_ value: V) -> _SlotValue {
    if let optional = value as? any OptionalValue, optional.isNil { return .null }
    return .boxed(ValueBox(value))
  }

  /// The value of a Codable property, decoded at the first access and kept in the overlay. A value
  /// that is stored outside the row is decoded at each access.
  static func decoded<V: Codable>(_ type: V.Type, slot: Int, of storage: _ModelStorage?) -> V {
    guard let storage else { return placeholderValue(for: type, slot: slot, of: nil) }
    if case .boxed(let box) = storage.overlaid(slot), let value = box.value(as: type) {
      return value
    }
    if case .null = storage.overlaid(slot) {
      return placeholderValue(for: type, slot: slot, of: storage)
    }
    guard let value = storage.decode(type, slot: slot) else {
      return placeholderValue(for: type, slot: slot, of: storage)
    }
    if storage.isExternal(slot) { return value }
    storage.overlay(.boxed(ValueBox(value)), at: slot)
    return value
  }

  /// Decodes a value from the row; `nil` if the row has none or it can't be decoded.
  func decode<V: Codable>(_ type: V.Type, slot: Int) -> V? {
    guard let row = readableRow(for: slot) else { return nil }
    let property = descriptor.properties[slot]
    let wrapped = unwrappedType(of: type) ?? type
    guard let decodable = wrapped as? any Decodable.Type else { return nil }
    let value: (any Decodable)?
    switch property.form {
    case .attribute(.composite(let leaves)):
      let values = property.leafCells.map { storedValue(row, cell: $0) }
      if values.allSatisfy({ if case .null = $0 { true } else { false } }), property.isOptional {
        return nil
      }
      value =
        ValueDecoding.composite(decodable, leaves: leaves, values: values)
        ?? ValueDecoding.composite(
          decodable, leaves: leaves,
          values: zip(leaves, values).map { $0.isOptional ? $1 : $0.form.filled($1) })
    case .attribute(.encoded):
      if row.isNull(slot) {
        guard let bytes = storedBytes(row, slot) else { return nil }
        value = ValueDecoding.encoded(decodable, bytes: bytes)
      } else {
        value = ValueDecoding.encoded(decodable, in: row.bytes(slot))
      }
    default:
      if row.isExternal(slot), let content = externalContent(slot) {
        value = ValueDecoding.scalar(decodable, descriptor.layout.stored(content, slot))
        break
      }
      if row.isNull(slot) { return nil }
      value = ValueDecoding.scalar(decodable, storedValue(row, cell: slot))
    }
    return value as? V
  }

  /// The value of a transformed property, through the transformer that its attribute names.
  static func transformed<V>(_ type: V.Type, slot: Int, of storage: _ModelStorage?) -> V {
    if let storage {
      if case .boxed(let box) = storage.overlaid(slot), let value = box.value(as: type) {
        return value
      }
      if case .unset = storage.overlaid(slot), let row = storage.readableRow(for: slot),
        let bytes = storage.storedBytes(row, slot),
        let value = ValueDecoding.transformed(
          type, property: storage.descriptor.properties[slot], bytes: bytes)
      {
        if storage.isExternal(slot) { return value }
        storage.overlay(.boxed(ValueBox(value)), at: slot)
        return value
      }
    }
    return placeholderValue(for: type, slot: slot, of: storage)
  }

  /// The bytes of an encoded or transformed value, in the row or outside it; nil if there are none.
  func storedBytes(_ row: RowReader, _ slot: Int) -> Data? {
    if row.isNull(slot) { return row.isExternal(slot) ? externalContent(slot) : nil }
    return Data(row.bytes(slot))
  }

  /// The value of a cell in the form from which composites are restored.
  func storedValue(_ row: RowReader, cell: Int) -> _StoredValue {
    if row.isNull(cell) { return .null }
    return switch descriptor.layout.kinds[cell] {
    case .integer: .integer(row.integer(cell))
    case .real: .real(row.real(cell))
    case .text: .text(row.text(cell))
    case .blob: .blob(Data(row.bytes(cell)))
    }
  }
}
