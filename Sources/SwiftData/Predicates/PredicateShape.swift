import Foundation

/// What decides the SQL of a predicate and its order, besides the values that it captured: the types of its
/// nodes, key paths, variables, and of each captured value what it is, not which.
///
/// Two requests of one shape have one plan. `@unchecked`: key paths are immutable objects, which lack the
/// conformance only.
package struct PredicateShape: Hashable, @unchecked Sendable {
  enum Part: Hashable {
    case type(ObjectIdentifier)
    case keyPath(AnyKeyPath)
    /// Numbered as they are met first.
    case variable(Int)
    /// What a node has besides operands.
    case choice(Int)
    /// A captured value that is no `nil`: what it is, the value of a `Bool`, which decides alone in places,
    /// and the place of the first one that equals it. Without that nobody could tell which of two
    /// equal values a binding of the compiled request came from.
    case value(ScalarTerm.Kind, flag: Bool?, equals: Int)
    /// A captured `nil`.
    case absent
    /// A captured value that could not be computed.
    case failed
    case order(AnyKeyPath, isForward: Bool, String.StandardComparator?)
  }

  fileprivate var parts: [Part] = []

  /// What tells most shapes apart; hashing key paths costs more than comparing them.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(parts.count)
    if case .type(let type)? = parts.first { hasher.combine(type) }
  }
}

/// Walks a predicate for its shape and its captured values, in the order in which they stand in it.
struct ShapeCollector {
  private(set) var shape = PredicateShape()
  /// The captured values that are no `nil`, in their stored form.
  private(set) var values: [_StoredValue] = []
  /// Whether all that decides the SQL is in the shape.
  private(set) var isComplete = true
  private var variables: [PredicateExpressions.VariableID] = []
  private var depth = 0
  private let forms: StoredForms

  init(_ forms: StoredForms) {
    self.forms = forms
  }

  /// A node that has not said what decides its SQL, or a value that SQL may depend on.
  mutating func giveUp() { isComplete = false }

  mutating func add<T>(_ predicate: Predicate<T>) {
    shape.parts.reserveCapacity(12)
    shape.parts.append(.type(ObjectIdentifier(type(of: predicate.expression) as Any.Type)))
    add(variable: predicate.variable.key)
    add(predicate.expression)
  }

  mutating func add<T>(order descriptors: [SortDescriptor<T>]) {
    for descriptor in descriptors {
      guard let keyPath = descriptor.keyPath else { return giveUp() }
      shape.parts.append(
        .order(
          keyPath, isForward: descriptor.order == .forward, descriptor.stringComparator))
    }
  }

  mutating func add(_ expression: any PredicateExpression) {
    guard isComplete, depth < 64, let node = expression as? any PredicateNode else {
      return giveUp()
    }
    depth += 1
    node.describe(to: &self)
    depth -= 1
  }

  mutating func add(_ keyPath: AnyKeyPath) { shape.parts.append(.keyPath(keyPath)) }

  mutating func add(choice: Int) { shape.parts.append(.choice(choice)) }

  mutating func addFailure() { shape.parts.append(.failed) }

  mutating func add(variable: PredicateExpressions.VariableID) {
    let number = variables.firstIndex(of: variable) ?? variables.count
    if number == variables.count { variables.append(variable) }
    shape.parts.append(.variable(number))
  }

  mutating func add<V>(value: V) {
    // The types of most values are known without a cast.
    if V.self == Int.self {
      return add(stored: .integer(Int64(unsafeBitCast(value, to: Int.self))), .scalar(.int), nil)
    }
    add(any: value)
  }

  private mutating func add(any value: Any) {
    guard let value = forms.unwrap(value) else { return shape.parts.append(.absent) }
    guard let (stored, kind) = try? forms.form(of: value), isPlain(stored) else {
      return giveUp()
    }
    add(stored: stored, kind, value as? Bool)
  }

  private mutating func add(stored: _StoredValue, _ kind: ScalarTerm.Kind, _ flag: Bool?) {
    let first = values.firstIndex(of: stored) ?? values.count
    shape.parts.append(.value(kind, flag: flag, equals: first))
    values.append(stored)
  }

  /// Whether the value stands in SQL as it is. A text with several spellings does not.
  private func isPlain(_ value: _StoredValue) -> Bool {
    if case .text(let text) = value { CanonicalForms.hasOneForm(text) } else { true }
  }
}
