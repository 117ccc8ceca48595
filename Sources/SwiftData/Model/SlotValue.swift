public import Foundation

/// A value of one property slot as a model keeps it while it differs from the stored row.
@frozen
public enum _SlotValue {
  /// The row has the value.
  case unset
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
  case uuid(UUID)
  /// A `ValueBox`, a model (to-one) or a `ToManyValue`.
  case object(AnyObject)
}

/// Holds a value that has no form of its own in a slot.
@usableFromInline
final class ValueBox<Value> {
  @usableFromInline let value: Value

  @usableFromInline
  init(_ value: Value) { self.value = value }
}

extension ValueBox: AnyValueBox {
  var anyValue: Any { value }
}

protocol AnyValueBox: AnyObject {
  var anyValue: Any { get }
}
