import Foundation

/// The order of one sort descriptor, made in memory as the store makes it: texts by the rules of the
/// language, which Foundation for Linux ignores, and the `order` that was set last.
///
/// A class, because a structure that stores a descriptor does not link in a release build: the
/// compiler's assignment of such a structure names a private type of Foundation (`make release`).
final class DescriptorOrder<Compared> {
  let descriptor: SortDescriptor<Compared>
  /// `nil` if that is not known: then values are compared without the descriptor.
  private let isReversed: Bool?
  /// Whether the language matters.
  private let isLocalized: Bool

  init(_ descriptor: SortDescriptor<Compared>) {
    self.descriptor = descriptor
    isReversed = descriptor.comparesInReverse
    isLocalized = descriptor.stringComparator.map { $0 != .lexical } ?? false
  }

  func compare(_ left: Compared, _ right: Compared) -> ComparisonResult {
    guard let isReversed, !isLocalized else { return descriptor.compareValues(left, right) }
    let result = descriptor.compare(left, right)
    return isReversed ? result.reversed : result
  }
}

extension Sequence {
  /// The elements in the order of a fetch; equal ones keep their order.
  func sorted(asFetchedBy descriptors: [SortDescriptor<Element>]) -> [Element] {
    let orders = descriptors.map(DescriptorOrder.init)
    return sorted { left, right in
      for order in orders {
        switch order.compare(left, right) {
        case .orderedSame: continue
        case .orderedAscending: return true
        case .orderedDescending: return false
        }
      }
      return false
    }
  }
}

// MARK: - Descriptors whose order was set after their creation

extension SortDescriptor {
  /// Whether `compare` uses the opposite of `order`; `nil` if that cannot be determined.
  ///
  /// Foundation on Linux gives the comparator its direction when the descriptor is created; setting
  /// `order` later changes only the property. The comparator is private, but a mirror shows it.
  fileprivate var comparesInReverse: Bool? {
    if !DescriptorCheck.ignoresNewOrder { return false }
    if !DescriptorCheck.isReliable { return nil }
    return direction.map { $0 != order } ?? false
  }

  /// The direction of the comparator.
  fileprivate var direction: SortOrder? {
    for child in Mirror(reflecting: self).children where child.label != "order" {
      if let direction = SortDescriptor.direction(in: child.value) { return direction }
    }
    return nil
  }

  /// The first `order` of a comparator inside a value.
  private static func direction(in value: Any) -> SortOrder? {
    for child in Mirror(reflecting: value).children {
      if child.label == "order", let order = child.value as? SortOrder { return order }
      if child.value is AnyKeyPath { continue }
      if let order = direction(in: child.value) { return order }
    }
    return nil
  }

  /// Compares the values of the property; for a descriptor without one, as the descriptor does.
  fileprivate func compareValues(_ left: Compared, _ right: Compared) -> ComparisonResult {
    guard let keyPath else { return compare(left, right) }
    let result: ComparisonResult
    switch (present(left[keyPath: keyPath]), present(right[keyPath: keyPath])) {
    case (nil, nil): return .orderedSame
    case (nil, _): result = .orderedAscending
    case (_, nil): result = .orderedDescending
    case (let left as String, let right as String):
      result =
        stringComparator?.compareByLanguage(left, right)
        ?? SortDescriptor.compareValues(left, right)
    case (let left as Bool, let right as Bool):
      result = left == right ? .orderedSame : left ? .orderedDescending : .orderedAscending
    case (let first as any Comparable, let second?):
      result = SortDescriptor.compareValues(first, second)
    default: return compare(left, right)
    }
    return order == .forward ? result : result.reversed
  }

  private func present(_ value: Any) -> Any? {
    (value as? any OptionalValue).map(\.unwrappedValue) ?? value
  }

  private static func compareValues<V: Comparable>(_ left: V, _ right: Any) -> ComparisonResult {
    guard let right = right as? V else { return .orderedSame }
    return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
  }
}

extension ComparisonResult {
  fileprivate var reversed: ComparisonResult {
    switch self {
    case .orderedSame: .orderedSame
    case .orderedAscending: .orderedDescending
    case .orderedDescending: .orderedAscending
    }
  }
}

/// What Foundation does with a descriptor whose order was set, determined once with known values.
private enum DescriptorCheck {
  private struct Item {
    var number = 0
    var text = ""
  }

  static let ignoresNewOrder: Bool = {
    var descriptor = SortDescriptor(\Item.number)
    descriptor.order = .reverse
    return descriptor.compare(Item(number: 0), Item(number: 1)) == .orderedAscending
  }()

  /// Whether a mirror shows the direction of the comparator.
  static var isReliable: Bool {
    isAsAssumed && !RuntimeAssumptions.refused.contains(.sortDescriptorMirror)
  }

  private static let isAsAssumed: Bool = [
    SortDescriptor(\Item.number), SortDescriptor(\Item.text),
    SortDescriptor(\Item.text, comparator: .lexical),
  ].allSatisfy { descriptor in
    var changed = descriptor
    changed.order = .reverse
    return descriptor.direction == .forward && changed.direction == .forward
  }
}
