public import Foundation

/// A value of one property slot as a model keeps it while it differs from the stored row.
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
  /// A text.
  case text(String)
  /// Bytes as they are, or an encoded value in a snapshot.
  case blob(Data)
  /// A UUID, stored as its 16 bytes.
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
