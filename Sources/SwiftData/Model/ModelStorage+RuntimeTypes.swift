import Foundation
import OpenSwiftDataRowStorage

/// Attributes whose types are known only at run time: for backing data, descriptions, undo, and
/// comparisons with the last save.
extension _ModelStorage {
  /// An attribute with a type that is known only at run time, from the overlay or the row.
  func attribute<Value: Decodable>(_ slot: Int) -> Value {
    let type = unwrappedType(of: Value.self) ?? Value.self
    if let scalar = type as? any _ScalarAttribute.Type {
      return anyScalar(scalar, slot) as? Value
        ?? _ModelStorage.placeholderValue(for: Value.self, slot: slot, of: self)
    }
    return anyCodable(Value.self, slot)
  }

  private func anyScalar<V: _ScalarAttribute>(_ type: V.Type, _ slot: Int) -> Any? {
    let value: V? = scalar(slot) ?? storedNaN(slot)
    return value
  }

  private func anyCodable<V>(_ type: V.Type, _ slot: Int) -> V {
    func decode<C: Codable>(_ codable: C.Type) -> V {
      _ModelStorage.decoded(codable, slot: slot, of: self) as? V
        ?? _ModelStorage.placeholderValue(for: type, slot: slot, of: self)
    }
    if let raw = rawValue(type, slot) { return raw }
    guard let codable = type as? any (Codable).Type else {
      return _ModelStorage.placeholderValue(for: type, slot: slot, of: self)
    }
    return decode(codable)
  }

  /// An enum by its raw value; `nil` for types without one.
  private func rawValue<V>(_ type: V.Type, _ slot: Int) -> V? {
    let wrapped = unwrappedType(of: type) ?? type
    guard let representable = wrapped as? any RawRepresentable.Type,
      case .attribute(.rawValue) = descriptor.properties[slot].form
    else { return nil }
    return make(representable, slot) as? V
  }

  private func make<R: RawRepresentable>(_ type: R.Type, _ slot: Int) -> Any? {
    guard let scalar = R.RawValue.self as? any _ScalarAttribute.Type,
      let raw = anyScalar(scalar, slot) as? R.RawValue
    else { return nil }
    return R(rawValue: raw)
  }

  // MARK: Values that do not depend on their row

  /// The value of an attribute in a form that does not depend on the row.
  ///
  /// `.unset` only if the row has no value that the property's type can show, or can't be read.
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
      return object ?? (property.isOptional && !readsStandIn(slot) ? .null : .unset)
    case .toOne, .toMany: return value
    }
  }

  private func explicitScalar(_ type: any Any.Type, _ slot: Int) -> _SlotValue {
    func read<V: _ScalarAttribute>(_ type: V.Type) -> _SlotValue {
      let value: V? = scalar(slot)
      return value?._slotValue ?? (readsStandIn(slot) ? .unset : .null)
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
      decode(type, slot: slot).map { _SlotValue.boxing($0) }
    }
    if case .transformable = property.form {
      guard let row = readableRow(for: slot), let bytes = storedBytes(row, slot) else { return nil }
      return ValueDecoding.transformed(type, property: property, bytes: bytes)
        .map { _SlotValue.boxing($0) }
    }
    return (type as? any Codable.Type).flatMap { decoded($0) }
  }
}
