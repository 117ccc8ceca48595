public import Foundation

// What the macros put before the steps of captured expressions that would stop the program.
extension PredicateExpressions {
  /// The value, which is about to be unwrapped.
  ///
  /// - Throws: `PredicateFailure.missingValue` for nil.
  @_documentation(visibility: internal)
  public static func _present<Value>(_ value: Value) throws -> Value {
    if let optional = value as? any Unwrappable, optional.isAbsent {
      throw PredicateFailure.missingValue
    }
    return value
  }

  /// The value, which is about to be cast.
  ///
  /// - Throws: `PredicateFailure.missingValue` where it is of another type.
  @_documentation(visibility: internal)
  public static func _castable<Value, Other>(
    _ value: Value, to type: Other.Type
  ) throws -> Value {
    guard value is Other else { throw PredicateFailure.missingValue }
    return value
  }

  /// A range whose bounds are looked at first.
  ///
  /// - Throws: `PredicateFailure.outOfRange` where they are in the wrong order.
  @_documentation(visibility: internal)
  public static func _range<Bound: Comparable>(
    _ lower: Bound, upTo upper: Bound
  ) throws -> Swift.Range<Bound> {
    guard lower <= upper else { throw PredicateFailure.outOfRange }
    return lower..<upper
  }

  /// A range whose bounds are looked at first.
  ///
  /// - Throws: `PredicateFailure.outOfRange` where they are in the wrong order.
  @_documentation(visibility: internal)
  public static func _range<Bound: Comparable>(
    _ lower: Bound, through upper: Bound
  ) throws -> Swift.ClosedRange<Bound> {
    guard lower <= upper else { throw PredicateFailure.outOfRange }
    return lower...upper
  }

  /// A collection whose positions are looked at first.
  ///
  /// - Throws: Nothing.
  @_documentation(visibility: internal)
  public static func _checked<Base: Collection>(
    _ base: Base
  ) throws -> _CheckedCollection<Base> {
    _CheckedCollection(base: base)
  }

  /// A dictionary: it has an answer for each key.
  ///
  /// - Throws: Nothing.
  @_documentation(visibility: internal)
  public static func _checked<Key, Value>(_ base: [Key: Value]) throws -> [Key: Value] { base }

  /// A value with a subscript of its own.
  ///
  /// - Throws: Nothing.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func _checked<Base>(_ base: Base) throws -> Base { base }

  /// The elements of a collection at positions that may not exist.
  @_documentation(visibility: internal)
  public struct _CheckedCollection<Base: Collection> {
    let base: Base

    /// The element at a position.
    ///
    /// - Throws: `PredicateFailure.outOfRange` where there is none.
    public subscript(position: Base.Index) -> Base.Element {
      get throws {
        guard position >= base.startIndex, position < base.endIndex else {
          throw PredicateFailure.outOfRange
        }
        return base[position]
      }
    }

    /// The elements between two positions.
    ///
    /// - Throws: `PredicateFailure.outOfRange` where the collection ends before.
    public subscript<Positions: RangeExpression>(
      positions: Positions
    ) -> Base.SubSequence where Positions.Bound == Base.Index {
      get throws {
        let (first, end) = (base.startIndex, base.endIndex)
        let isInside =
          switch positions {
          case let range as Swift.Range<Base.Index>:
            range.lowerBound >= first && range.upperBound <= end
          case let range as Swift.ClosedRange<Base.Index>:
            range.lowerBound >= first && range.upperBound < end
          case let range as PartialRangeFrom<Base.Index>:
            range.lowerBound >= first && range.lowerBound <= end
          case let range as PartialRangeUpTo<Base.Index>:
            range.upperBound >= first && range.upperBound <= end
          case let range as PartialRangeThrough<Base.Index>:
            range.upperBound >= first && range.upperBound < end
          default: true
          }
        guard isInside else { throw PredicateFailure.outOfRange }
        return base[positions]
      }
    }
  }
}

private protocol Unwrappable {
  var isAbsent: Bool { get }
}

extension Optional: Unwrappable {
  fileprivate var isAbsent: Bool { self == nil }
}
