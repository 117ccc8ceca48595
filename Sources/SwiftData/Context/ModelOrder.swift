import Foundation

/// The order of a fetch, made in memory as the store makes it: models that are equal by all
/// descriptors are ordered by key; new ones come last, in the order of their insertion.
struct ModelOrder<T: PersistentModel> {
  /// A class, because a structure that stores a descriptor does not link in a release build: the
  /// compiler's assignment of such a structure names a private type of Foundation
  /// (`make release`).
  private final class Key {
    let order: DescriptorOrder<T>
    /// The property, if its values can be NaN. Stores keep NaN as null, and Swift's `<` does not
    /// order it.
    let number: PartialKeyPath<T>?
    /// The optional properties that the key path passes through, if its value is not optional: they
    /// are implicitly unwrapped, and a nil one would stop the program. Stores have null there.
    let unwrapped: [AnyKeyPath]

    init(_ descriptor: SortDescriptor<T>) {
      order = DescriptorOrder(descriptor)
      let keyPath = descriptor.keyPath
      let value = keyPath.map { type(of: $0).valueType }
      let isNumber =
        value is any BinaryFloatingPoint.Type || value is Double?.Type || value is Float?.Type
      number = isNumber ? keyPath : nil
      let isOptional = value is any OptionalValue.Type
      unwrapped = isOptional ? [] : keyPath.map { T._$descriptor.optionalSteps(of: $0) } ?? []
    }

    func compare(_ left: T, _ right: T) -> ComparisonResult {
      if number != nil || !unwrapped.isEmpty {
        let isForward = order.descriptor.order == .forward
        switch (hasValue(left), hasValue(right)) {
        case (true, true): break
        case (false, false): return .orderedSame
        case (false, true): return isForward ? .orderedAscending : .orderedDescending
        case (true, false): return isForward ? .orderedDescending : .orderedAscending
        }
      }
      return order.compare(left, right)
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
