public import Foundation

// Functions that the macros insert before steps of captured expressions that would stop the
// program.
extension PredicateExpressions {
  /// Returns a value before it is force-unwrapped.
  ///
  /// - Throws: `PredicateFailure.missingValue` for nil.
  @_documentation(visibility: internal)
  public static func _present<Value>(_ value: Value) throws -> Value {
    if let optional = value as? any Unwrappable, optional.isAbsent {
      throw PredicateFailure.missingValue
    }
    return value
  }

  /// Returns a value before it is force-cast.
  ///
  /// - Throws: `PredicateFailure.missingValue` if it has another type.
  @_documentation(visibility: internal)
  public static func _castable<Value, Other>(
    _ value: Value, to type: Other.Type
  ) throws -> Value {
    guard value is Other else { throw PredicateFailure.missingValue }
    return value
  }

  /// Makes a range after checking its bounds.
  ///
  /// - Throws: `PredicateFailure.outOfRange` if the bounds are in the wrong order.
  @_documentation(visibility: internal)
  public static func _range<Bound: Comparable>(
    _ lower: Bound, upTo upper: Bound
  ) throws -> Swift.Range<Bound> {
    guard lower <= upper else { throw PredicateFailure.outOfRange }
    return lower..<upper
  }

  /// Makes a range after checking its bounds.
  ///
  /// - Throws: `PredicateFailure.outOfRange` if the bounds are in the wrong order.
  @_documentation(visibility: internal)
  public static func _range<Bound: Comparable>(
    _ lower: Bound, through upper: Bound
  ) throws -> Swift.ClosedRange<Bound> {
    guard lower <= upper else { throw PredicateFailure.outOfRange }
    return lower...upper
  }

  /// Wraps a collection so that its subscripts check their indices.
  ///
  /// - Throws: Nothing.
  @_documentation(visibility: internal)
  public static func _checked<Base: Collection>(
    _ base: Base
  ) throws -> _CheckedCollection<Base> {
    _CheckedCollection(base: base)
  }

  /// Returns a dictionary unchanged: its subscript accepts every key.
  ///
  /// - Throws: Nothing.
  @_documentation(visibility: internal)
  public static func _checked<Key, Value>(_ base: [Key: Value]) throws -> [Key: Value] { base }

  /// Returns a value with a subscript of its own unchanged.
  ///
  /// - Throws: Nothing.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func _checked<Base>(_ base: Base) throws -> Base { base }

  /// A collection whose subscripts throw for indices that do not exist.
  @_documentation(visibility: internal)
  public struct _CheckedCollection<Base: Collection> {
    let base: Base

    /// The element at an index.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the index does not exist.
    public subscript(position: Base.Index) -> Base.Element {
      get throws {
        guard position >= base.startIndex, position < base.endIndex else {
          throw PredicateFailure.outOfRange
        }
        return base[position]
      }
    }

    /// The elements in a range of indices.
    ///
    /// - Throws: `PredicateFailure.outOfRange` if the range is not inside the collection.
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
