import Foundation
import SwiftData

/// Compares plain values as Swift compares the values that they stand for.
extension DataStoreValue {
  /// Whether both are `nil` or equal values. Numbers of different kinds are compared by value.
  func equals(_ other: DataStoreValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.null, _), (_, .null): false
    case (.boolean(let a), .boolean(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.url(let a), .url(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.list(let a), .list(let b)): a.elementsEqual(b) { $0.equals($1) }
    case (.composite(let a), .composite(let b)):
      Set(a.keys).union(b.keys).allSatisfy { (a[$0] ?? .null).equals(b[$0] ?? .null) }
    default: compare(other, Equality()) ?? false
    }
  }

  /// The result of a comparison by order, false if a value is `nil`; `nil` for values without an
  /// order.
  func compares(_ function: DataStoreQuery.Function, _ other: DataStoreValue) -> Bool? {
    if isNull || other.isNull { return false }
    return compare(other, Ordering(function: function))
  }

  private func compare(_ other: DataStoreValue, _ comparison: some Comparison) -> Bool? {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): comparison.result(a, b)
    case (.unsigned(let a), .unsigned(let b)): comparison.result(a, b)
    case (.integer(let a), .unsigned(let b)): comparison.result(Int128(a), Int128(b))
    case (.unsigned(let a), .integer(let b)): comparison.result(Int128(a), Int128(b))
    case (.double(let a), .double(let b)): comparison.result(a, b)
    case (.double(let a), .integer(let b)): comparison.result(a, Double(b))
    case (.double(let a), .unsigned(let b)): comparison.result(a, Double(b))
    case (.integer(let a), .double(let b)): comparison.result(Double(a), b)
    case (.unsigned(let a), .double(let b)): comparison.result(Double(a), b)
    case (.decimal(let a), .decimal(let b)): comparison.result(a, b)
    case (.decimal(let a), .integer(let b)): comparison.result(a, Decimal(b))
    case (.decimal(let a), .unsigned(let b)): comparison.result(a, Decimal(b))
    case (.integer(let a), .decimal(let b)): comparison.result(Decimal(a), b)
    case (.unsigned(let a), .decimal(let b)): comparison.result(Decimal(a), b)
    case (.string(let a), .string(let b)): comparison.result(a, b)
    case (.date(let a), .date(let b)): comparison.result(a, b)
    case (.uuid(let a), .uuid(let b)): comparison.result(a.uuidString, b.uuidString)
    case (.identifier(let a), .identifier(let b)): comparison.result(a, b)
    default: nil
    }
  }
}

private protocol Comparison {
  func result<Value: Comparable>(_ left: Value, _ right: Value) -> Bool
}

private struct Equality: Comparison {
  func result<Value: Comparable>(_ left: Value, _ right: Value) -> Bool { left == right }
}

private struct Ordering: Comparison {
  let function: DataStoreQuery.Function

  func result<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch function {
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    default: false
    }
  }
}

// MARK: - Sorting

extension DataStoreValue {
  /// Whether rows can be sorted by the value.
  var isSortable: Bool {
    switch self {
    case .url, .list, .composite: false
    default: true
    }
  }

  /// The order in which rows are sorted: `nil` first, and a `nan` with it.
  func sortingOrder(
    with other: DataStoreValue, _ texts: DataStoreQuery.TextComparison?
  ) -> ComparisonResult {
    switch (self, other) {
    case _ where isUnordered || other.isUnordered:
      isUnordered == other.isUnordered
        ? .orderedSame : isUnordered ? .orderedAscending : .orderedDescending
    case (.boolean(let a), .boolean(let b)):
      a == b ? .orderedSame : b ? .orderedAscending : .orderedDescending
    case (.data(let a), .data(let b)):
      a == b
        ? .orderedSame : a.lexicographicallyPrecedes(b) ? .orderedAscending : .orderedDescending
    case (.string(let a), .string(let b)) where texts == .localized: a.localizedCompare(b)
    case (.string(let a), .string(let b)) where texts == .localizedStandard:
      a.localizedStandardCompare(b)
    default:
      compares(.less, other) ?? false
        ? .orderedAscending
        : compares(.greater, other) ?? false ? .orderedDescending : .orderedSame
    }
  }

  private var isUnordered: Bool {
    switch self {
    case .null: true
    case .double(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}
