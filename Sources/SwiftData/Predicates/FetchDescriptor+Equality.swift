import Foundation

extension FetchDescriptor: Equatable {
  /// Whether both describe the same fetch.
  ///
  /// Predicates are compared by their expressions and by the values that they capture. Values that
  /// are not `Equatable` are compared by their descriptions.
  public static func == (lhs: FetchDescriptor<T>, rhs: FetchDescriptor<T>) -> Bool {
    lhs.sortBy == rhs.sortBy && lhs.fetchLimit == rhs.fetchLimit
      && lhs.fetchOffset == rhs.fetchOffset
      && lhs.includePendingChanges == rhs.includePendingChanges
      && lhs.propertiesToFetch == rhs.propertiesToFetch
      && lhs.relationshipKeyPathsForPrefetching == rhs.relationshipKeyPathsForPrefetching
      && isSame(lhs.predicate, rhs.predicate)
  }

  private static func isSame(_ lhs: Predicate<T>?, _ rhs: Predicate<T>?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    guard lhs.structure == rhs.structure else { return false }
    // Different values may have the same description: dates in one second, data of one length.
    let (values, others) = (lhs.capturedValues, rhs.capturedValues)
    return values.count == others.count && zip(values, others).allSatisfy(isSame)
  }

  private static func isSame(_ value: Any, _ other: Any) -> Bool {
    func isSame<V: Equatable>(_ value: V) -> Bool {
      guard let other = other as? V else { return false }
      // NaN does not equal itself.
      return value == other || (value != value && other != other)
    }
    guard let value = value as? any Equatable else { return true }
    return isSame(value)
  }
}

extension Predicate {
  /// The expressions with the descriptions of the values that they capture. Variables are numbered in their order,
  /// because each predicate has others. `description` stops the program if a node is not one of Foundation.
  fileprivate var structure: String {
    var numbers: [Substring: Int] = [:]
    let variable = #/(?:Variable\(|VariableID\(id: )(\d+)/#
    return String(reflecting: expression).replacing(variable) { match in
      let number = numbers[match.1] ?? numbers.count
      numbers[match.1] = number
      return "Variable(\(number)"
    }
  }

  /// The captured values, those of evaluated predicates included. Nodes of unknown types are left out.
  fileprivate var capturedValues: [Any] {
    var values: [Any] = []
    var waiting: [any PredicateExpression] = [expression]
    while let next = waiting.popLast() {
      guard let node = next as? any PredicateNode else { continue }
      if let value = node.heldValue { values.append(value) }
      waiting += node.operands
      if let evaluated = node.evaluatedExpression { waiting.append(evaluated.expression) }
    }
    return values
  }
}
