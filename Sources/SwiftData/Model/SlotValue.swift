public import Foundation

/// A value of one property slot as a model keeps it while it differs from the stored row.
///
/// Attributes have one of the plain forms or are boxed. A to-one is null, a model or an identifier,
/// a to-many a `_ToManyValue`. A graph that left its context unsaved refers to related models
/// weakly.
@frozen
public enum _SlotValue {
  /// The row has the value.
  case unset
  /// No value: an optional property that is nil.
  case null
  /// Integers of all widths and booleans.
  case integer(Int64)
  /// Floating-point numbers, and dates as seconds since 2001.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes as they are, or an encoded value in a snapshot.
  case blob(Data)
  /// A UUID, stored as its 16 bytes.
  case uuid(UUID)
  /// An attribute without a form of its own: a composite, an encoded or a transformed value.
  case boxed(_ValueBox)
  /// The related model of a to-one, retained until the next save.
  case model(any PersistentModel)
  /// The related model of a to-one, found through the context when it is read.
  case identifier(PersistentIdentifier)
  /// A to-many: its known members and its changes.
  case toMany(_ToManyValue)
  /// Related models of either kind of relationship, not retained.
  case weakReferences(_WeakReferences)
}

/// A value at the slot of a relationship. The cases are those of `_SlotValue`.
enum RelationshipValue {
  case unset, null
  case model(any PersistentModel)
  case identifier(PersistentIdentifier)
  case toMany(_ToManyValue)
  case weakReferences(_WeakReferences)
}

extension _SlotValue {
  /// This value as that of a relationship. No attribute value is at the slot of a relationship
  /// (`RelationshipValues`).
  var relationship: RelationshipValue {
    switch self {
    case .unset: .unset
    case .null: .null
    case .model(let model): .model(model)
    case .identifier(let identifier): .identifier(identifier)
    case .toMany(let value): .toMany(value)
    case .weakReferences(let references): .weakReferences(references)
    case .integer, .real, .text, .blob, .uuid, .boxed: .null
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// A value without a scalar form, boxed; nil becomes null.
  static func boxing<V>(_ value: V) -> _SlotValue {
    if let optional = value as? any OptionalValue, optional.isNil { return .null }
    return .boxed(ValueBox(value))
  }

  /// Any attribute value: scalars and raw values in plain form, others boxed.
  static func attribute<V>(_ value: V) -> _SlotValue {
    if let optional = value as? any OptionalValue, optional.isNil { return .null }
    if let scalar = value as? any _ScalarAttribute { return scalar._slotValue }
    if let raw = (value as? any RawRepresentable)?.anyRawValue as? any _ScalarAttribute,
      value is any Codable
    {
      return raw._slotValue
    }
    return boxing(value)
  }

  /// Whether two values are known to be equal bit by bit; boxed values only if they are one object, or decimals.
  func isSame(as other: _SlotValue) -> Bool {
    switch (self, other) {
    case (.unset, .unset), (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.boxed(let a), .boxed(let b)): a === b || a.isSameDecimal(as: b)
    default: false
    }
  }
}

extension RawRepresentable {
  fileprivate var anyRawValue: Any { rawValue }
}

/// Contains a value that has no form of its own in a slot.
public class _ValueBox {
  /// The value, whatever its type.
  var anyValue: Any { preconditionFailure("_ValueBox is abstract") }

  fileprivate init() {}

  fileprivate final func isSameDecimal(as other: _ValueBox) -> Bool {
    guard let own = self as? ValueBox<Decimal>, let other = other as? ValueBox<Decimal> else {
      return false
    }
    return own.value == other.value || own.value.isNaN && other.value.isNaN
  }

  /// The value as a `V`; nil if it has another type.
  final func value<V>(as type: V.Type) -> V? {
    if let box = self as? ValueBox<V> { return box.value }
    return anyValue as? V
  }
}

/// A box for values of one type.
final class ValueBox<Value>: _ValueBox {
  let value: Value

  init(_ value: Value) { self.value = value }

  override var anyValue: Any { value }
}
