import Foundation

/// The order of a fetch, made in memory as the store makes it: models that are equal by all
/// descriptors are ordered by key; new ones come last, in the order of their insertion.
struct ModelOrder<T: PersistentModel> {
  /// A class, because a structure that stores a descriptor does not link in a release build: the
  /// compiler's assignment of such a structure names a private type of Foundation
  /// (`make release`).
  private final class Key {
    let descriptor: SortDescriptor<T>
    /// `nil` if that is not known: then values are compared without the descriptor.
    let isReversed: Bool?
    /// The property, if its values can be NaN. Stores keep NaN as null, and Swift's `<` does not
    /// order it.
    let number: PartialKeyPath<T>?
    /// The optional properties that the key path passes through, if its value is not optional: they
    /// are implicitly unwrapped, and a nil one would stop the program. Stores have null there.
    let unwrapped: [AnyKeyPath]
    /// Whether the language matters.
    let isLocalized: Bool

    init(_ descriptor: SortDescriptor<T>) {
      self.descriptor = descriptor
      isReversed = descriptor.comparesInReverse
      let keyPath = descriptor.keyPath
      let value = keyPath.map { type(of: $0).valueType }
      let isNumber =
        value is any BinaryFloatingPoint.Type || value is Double?.Type || value is Float?.Type
      number = isNumber ? keyPath : nil
      let isOptional = value is any OptionalValue.Type
      unwrapped = isOptional ? [] : keyPath.map { T._$descriptor.optionalSteps(of: $0) } ?? []
      isLocalized = descriptor.stringComparator.map { $0 != .lexical } ?? false
    }

    func compare(_ left: T, _ right: T) -> ComparisonResult {
      if number != nil || !unwrapped.isEmpty {
        let isForward = descriptor.order == .forward
        switch (hasValue(left), hasValue(right)) {
        case (true, true): break
        case (false, false): return .orderedSame
        case (false, true): return isForward ? .orderedAscending : .orderedDescending
        case (true, false): return isForward ? .orderedDescending : .orderedAscending
        }
      }
      guard let isReversed, !isLocalized else { return descriptor.compareValues(left, right) }
      let result = descriptor.compare(left, right)
      return isReversed ? result.reversed : result
    }

    /// Whether the value is neither null in a store nor NaN.
    private func hasValue(_ model: T) -> Bool {
      var root: Any = model
      for step in unwrapped {
        guard let value = root[keyPath: step], let present = unwrap(value) else { return false }
        root = present
      }
      guard let number else { return true }
      guard let value = model[keyPath: number] as? any BinaryFloatingPoint else { return false }
      return !value.isNaN
    }

    private func unwrap(_ value: Any) -> Any? {
      guard let optional = value as? any OptionalValue else { return value }
      return optional.unwrappedValue
    }
  }

  private let keys: [Key]

  init(_ descriptors: [SortDescriptor<T>]) {
    keys = descriptors.map(Key.init)
  }

  func sort(_ models: inout [T]) {
    models.sort(by: precedes)
  }

  /// Merges models into models that are already in order.
  /// - Returns: The positions of the added models, in ascending order.
  @discardableResult
  func merge(_ added: [T], into models: inout [T]) -> [Int] {
    if added.isEmpty { return [] }
    var added = added
    var positions: [Int] = []
    sort(&added)
    var merged: [T] = []
    merged.reserveCapacity(models.count + added.count)
    var start = 0
    for model in added {
      // Binary search in the rest.
      var (low, high) = (start, models.count)
      while low < high {
        let middle = low + (high - low) / 2
        if precedes(model, models[middle]) { high = middle } else { low = middle + 1 }
      }
      merged += models[start..<low]
      positions.append(merged.count)
      merged.append(model)
      start = low
    }
    merged += models[start...]
    models = merged
    return positions
  }

  private func precedes(_ left: T, _ right: T) -> Bool {
    for key in keys {
      switch key.compare(left, right) {
      case .orderedSame: continue
      case .orderedAscending: return true
      case .orderedDescending: return false
      }
    }
    let (left, right) = (left._$storage, right._$storage)
    switch (left.flags.contains(.isInserted), right.flags.contains(.isInserted)) {
    case (true, true): return left.pendingIndex < right.pendingIndex
    case (false, true): return true
    case (true, false): return false
    case (false, false): break
    }
    guard let first = left.knownIdentifier, let second = right.knownIdentifier else { return false }
    if let first = first.rowKey, let second = second.rowKey { return first < second }
    return false
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
