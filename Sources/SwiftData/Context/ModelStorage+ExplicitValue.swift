import Foundation
import OpenSwiftDataRowStorage

/// Values in a form that does not depend on their row, for undo and comparisons with the last save.
extension _ModelStorage {
  /// The value of an attribute in a form that does not depend on the row. The row must have been
  /// read.
  ///
  /// `.unset` only if the row has no value that the property's type can show.
  func explicitValue(_ slot: Int) -> _SlotValue {
    let value = overlaid(slot)
    guard case .unset = value else { return value }
    let property = descriptor.properties[slot]
    switch property.form {
    case .attribute(.scalar), .attribute(.rawValue):
      return explicitScalar(property.valueType, slot)
    case .attribute, .transformable:
      let declared = Swift.type(of: property.keyPath).valueType
      func object<V>(_ type: V.Type) -> _SlotValue? { explicitObject(type, slot, property) }
      let object = _openExistential(declared, do: object)
      return object ?? (property.isOptional ? .null : .unset)
    case .toOne, .toMany: return value
    }
  }

  private func explicitScalar(_ type: any Any.Type, _ slot: Int) -> _SlotValue {
    func read<V: _ScalarAttribute>(_ type: V.Type) -> _SlotValue {
      let value: V? = scalar(slot)
      return value?._slotValue ?? .null
    }
    func rawType<R: RawRepresentable>(_ type: R.Type) -> any Any.Type { R.RawValue.self }
    if let scalar = type as? any _ScalarAttribute.Type { return read(scalar) }
    guard let representable = type as? any RawRepresentable.Type,
      let scalar = rawType(representable) as? any _ScalarAttribute.Type
    else { return .unset }
    return read(scalar)
  }

  /// A value that has to be decoded; nil if there is none.
  private func explicitObject<V>(
    _ type: V.Type, _ slot: Int, _ property: ModelProperty
  ) -> _SlotValue? {
    func decoded<C: Codable>(_ type: C.Type) -> _SlotValue? {
      decode(type, slot: slot).map { _ModelStorage.boxed($0) }
    }
    if case .transformable = property.form {
      guard let row = readableRow(for: slot), let bytes = storedBytes(row, slot) else { return nil }
      return ValueDecoding.transformed(type, property: property, bytes: bytes)
        .map { _ModelStorage.boxed($0) }
    }
    return (type as? any Codable.Type).flatMap { decoded($0) }
  }
}

extension _SlotValue {
  /// Whether two values are known to be equal bit by bit; boxed values only if they are one object.
  func isSame(as other: _SlotValue) -> Bool {
    switch (self, other) {
    case (.unset, .unset), (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.boxed(let a), .boxed(let b)): a === b
    default: false
    }
  }
}
