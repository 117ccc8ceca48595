import Foundation
import Synchronization

/// Everything on which the SQL of a predicate and an order depends, except captured values: the
/// types of nodes, key paths, variables, and the kind of each captured value.
///
/// Requests with equal shapes share one plan. `@unchecked`: key paths are immutable, and only lack
/// the conformance.
package struct PredicateShape: Hashable, @unchecked Sendable {
  enum Part: Hashable {
    case type(ObjectIdentifier)
    case keyPath(AnyKeyPath)
    /// Numbered in the order of their first occurrence.
    case variable(Int)
    /// A property of a node that is not an operand, such as its operator.
    case choice(Int)
    /// A captured value that is not `nil`: its kind, the value of a `Bool`, which may decide alone,
    /// and the index of the first captured value that equals it. Without this index, it would not
    /// be known which of two equal values a binding comes from.
    case value(ScalarTerm.Kind, flag: Bool?, equals: Int)
    /// A captured `nil`.
    case absent
    /// A captured value whose computation failed.
    case failed
    case order(AnyKeyPath, isForward: Bool, String.StandardComparator?)
  }

  fileprivate var parts: [Part] = []

  /// Hashes only what distinguishes most shapes; hashing key paths costs more than comparing them.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(parts.count)
    if case .type(let type)? = parts.first { hasher.combine(type) }
  }
}

/// Collects the shape and the captured values of a predicate, in their order in it.
struct ShapeCollector {
  private(set) var shape = PredicateShape()
  /// The captured values that are not `nil`, in their stored form.
  private(set) var values: [_StoredValue] = []
  /// Whether the shape contains everything on which the SQL depends.
  private(set) var isComplete = true
  private var variables: [PredicateExpressions.VariableID] = []
  private var depth = 0
  private let forms: StoredForms

  init(_ forms: StoredForms) {
    self.forms = forms
  }

  /// Called for a node without a description, or for a value on which the SQL may depend.
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
    guard isComplete, depth < 64, let type = NodeTypes.type(of: expression),
      size(of: type) <= Self.largestNode
    else { return giveUp() }
    depth += 1
    describe(expression, as: type)
    depth -= 1
  }

  /// A node contains its operands, and is copied to the stack.
  private static var largestNode: Int { 16_384 }

  private func size<N: PredicateNode>(of type: N.Type) -> Int { MemoryLayout<N>.size }

  /// - Parameter type: The type of the expression. A cast to it would look up generic types.
  private mutating func describe<E: PredicateExpression, N: PredicateNode>(
    _ expression: E, as type: N.Type
  ) {
    guard E.self == N.self else { return giveUp() }
    withUnsafePointer(to: expression) { pointer in
      UnsafeRawPointer(pointer).assumingMemoryBound(to: N.self).pointee.describe(to: &self)
    }
  }

  /// A closure that is applied to an operand or to its elements.
  mutating func add(
    closure body: any PredicateExpression, of variable: PredicateExpressions.VariableID,
    appliedTo operand: any PredicateExpression
  ) {
    add(operand)
    add(variable: variable)
    add(body)
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
    if V.self == Int.self, let number = castIfSameSize(value, to: Int.self) {
      return add(stored: .integer(Int64(number)), .scalar(.int), nil)
    }
    add(any: value)
  }

  private mutating func add(any value: Any) {
    guard let value = StoredForms.unwrap(value) else { return shape.parts.append(.absent) }
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

  /// Whether the value is bound unchanged. A text with several spellings is not.
  private func isPlain(_ value: _StoredValue) -> Bool {
    if case .text(let text) = value { CanonicalForms.hasOneForm(text) } else { true }
  }
}

/// The types of predicate nodes as `PredicateNode`, by type. Looking up the conformance of a generic
/// type costs ten times as much, for each node of each fetch.
private enum NodeTypes {
  /// The result of a look-up. `@unchecked`: types are immutable, and only lack the conformance.
  private struct Found: @unchecked Sendable {
    let type: (any PredicateNode.Type)?
  }

  private static let known = Mutex<[ObjectIdentifier: Found]>([:])
  /// The types come from the code of an app, so most apps have fewer.
  private static let limit = 4096

  static func type(of expression: any PredicateExpression) -> (any PredicateNode.Type)? {
    let type = Swift.type(of: expression) as Any.Type
    if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found.type }
    let found = Found(type: type as? any PredicateNode.Type)
    known.withLock { known in
      if known.count >= limit { known.removeAll() }
      known[ObjectIdentifier(type)] = found
    }
    return found.type
  }
}
