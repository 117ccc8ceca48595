import Foundation
import OpenSwiftDataRowStorage

extension _ModelStorage {
  /// A value that has no scalar form, boxed; nil becomes null.
  static func boxed<V>(_ value: V) -> _SlotValue {
    if let optional = value as? any OptionalValue, optional.isNil { return .null }
    return .boxed(ValueBox(value))
  }

  /// The value of a Codable property, decoded on first use and kept in the overlay.
  static func decoded<V: Codable>(_ type: V.Type, slot: Int, of storage: _ModelStorage?) -> V {
    guard let storage else { return fallback(for: type, slot: slot, of: nil) }
    if case .boxed(let box) = storage.overlaid(slot), let value = box.value(as: type) {
      return value
    }
    if case .null = storage.overlaid(slot) { return fallback(for: type, slot: slot, of: storage) }
    guard let value = storage.decode(type, slot: slot) else {
      return fallback(for: type, slot: slot, of: storage)
    }
    storage.overlay(.boxed(ValueBox(value)), at: slot)
    return value
  }

  /// Decodes from the row; `nil` when the row has none or what it has can't be decoded.
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
      if row.isNull(slot) { return nil }
      value = ValueDecoding.encoded(decodable, bytes: Data(row.bytes(slot)))
    default:
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
        !row.isNull(slot),
        let value = ValueDecoding.transformed(
          type, property: storage.descriptor.properties[slot], bytes: Data(row.bytes(slot)))
      {
        storage.overlay(.boxed(ValueBox(value)), at: slot)
        return value
      }
    }
    return fallback(for: type, slot: slot, of: storage)
  }

  /// What a property reads as when its stored value is missing or no longer fits its type:
  /// nil, the default of the declaration, an empty value, or the first case of an enum.
  @usableFromInline
  static func fallback<V>(for type: V.Type, slot: Int, of storage: _ModelStorage?) -> V {
    if let optional = type as? any OptionalValue.Type, let none = optional.makeNil() as? V {
      return none
    }
    if let value = storage?.descriptor.properties[slot].defaultValue as? V { return value }
    if let iterable = type as? any CaseIterable.Type, let first = iterable.firstCase as? V {
      return first
    }
    if let empty = ValueDecoding.empty(type) { return empty }
    if _isPOD(type) {
      return withUnsafeTemporaryAllocation(
        byteCount: max(MemoryLayout<V>.size, 1), alignment: MemoryLayout<V>.alignment
      ) { buffer in
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return buffer.load(as: V.self)
      }
    }
    preconditionFailure(
      """
      \(storage?.descriptor.entityName ?? "A model").\
      \(storage?.descriptor.properties[slot].name ?? "property") has no value of type \(type), and \
      \(type) has no default. Declare the property with a default value, or as optional.
      """)
  }

  /// The value of a cell in the form that composites are restored from.
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

extension CaseIterable {
  fileprivate static var firstCase: (any Any)? { allCases.first }
}
