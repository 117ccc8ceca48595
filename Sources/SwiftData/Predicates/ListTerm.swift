import Foundation
import OpenSwiftDataSQLSyntax

/// An array, set or dictionary of scalars that is stored in one column.
struct ListTerm {
  var value: SQLExpression
  var presence: Presence = .always
  fileprivate let type: any ListType.Type
  let element: ScalarTerm.Kind
  let elementType: any Any.Type
  /// Whether it is a dictionary, whose keys are texts.
  let isDictionary: Bool

  /// - Parameter type: The type of the property. The initialiser returns `nil` if it is no such
  ///   list.
  init?(_ value: SQLExpression, of type: any Any.Type) {
    guard let list = type as? any ListType.Type, let kind = Self.kind(of: list.elementType) else {
      return nil
    }
    self.value = value
    self.type = list
    element = kind
    elementType = list.elementType
    isDictionary = list.isDictionary
  }

  private static func kind(of type: any Any.Type) -> ScalarTerm.Kind? {
    if let scalar = type as? any ScalarCoding.Type { return .scalar(scalar.scalarType) }
    func rawValue<T: RawRepresentable>(_ type: T.Type) -> ScalarTerm.Kind? {
      (T.RawValue.self as? any ScalarCoding.Type).map {
        .rawValue($0.scalarType, ObjectIdentifier(type))
      }
    }
    return (type as? any RawRepresentable.Type).flatMap { rawValue($0) }
  }

  /// Whether an element may be NaN, which SQLite represents as null.
  fileprivate var hasRealElements: Bool {
    switch element {
    case .scalar(let type), .rawValue(let type, _): type == .double || type == .float
    case .key, .token, .betweenTokens, .comparisonResult, .opaque: false
    }
  }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression { whole.isPresent }

  /// The column as a value.
  var whole: ScalarTerm { ScalarTerm(value: value, kind: .opaque, presence: presence) }

  /// The number by which the functions know the type to decode.
  var elementCode: SQLExpression {
    switch element {
    case .scalar(let type), .rawValue(let type, _): .integer(Int64(type.rawValue))
    case .key, .token, .betweenTokens, .comparisonResult, .opaque: .null
    }
  }
}

/// Standard library collections that a column may contain, without their generic parameters.
private protocol ListType: Collection {
  static var elementType: any Any.Type { get }
  static var isDictionary: Bool { get }
  static var countPath: AnyKeyPath { get }
  static var emptinessPath: AnyKeyPath { get }
}

extension ListType {
  fileprivate static var countPath: AnyKeyPath { \Self.count }
  fileprivate static var emptinessPath: AnyKeyPath { \Self.isEmpty }
}

extension Array: ListType {
  fileprivate static var elementType: any Any.Type { Element.self }
  fileprivate static var isDictionary: Bool { false }
}

extension Set: ListType {
  fileprivate static var elementType: any Any.Type { Element.self }
  fileprivate static var isDictionary: Bool { false }
  fileprivate static var countPath: AnyKeyPath { \Set<Element>.count }
  fileprivate static var emptinessPath: AnyKeyPath { \Set<Element>.isEmpty }
}

extension Dictionary: ListType where Key == String {
  fileprivate static var elementType: any Any.Type { Value.self }
  fileprivate static var isDictionary: Bool { true }
  fileprivate static var countPath: AnyKeyPath { \[Key: Value].count }
  fileprivate static var emptinessPath: AnyKeyPath { \[Key: Value].isEmpty }
}

extension PredicateExpressions.SequenceMinimum: PredicateNode {
  var operands: [any PredicateExpression] { [elements] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.extreme(of: elements, "swift_list_least"))
  }
}

extension PredicateExpressions.SequenceMaximum: PredicateNode {
  var operands: [any PredicateExpression] { [elements] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.extreme(of: elements, "swift_list_greatest"))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, index] }

  /// Fails for an index that the list lacks.
  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .list(let list) = try compiler.term(wrapped), !list.isDictionary,
      let position = try compiler.optionalScalar(compiler.term(index)),
      position.kind == .scalar(.int)
    else { throw NotInSQL("a position in what is no list of values") }
    var element = compiler.found(in: list, "swift_list_element", position)
    compiler.demand(element.isPresent)
    element.presence = .always
    return .scalar(element)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, key] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.entry(of: wrapped, key))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, key, `default`] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let entry = try compiler.entry(of: wrapped, key)
    let replacement = try compiler.guarded(by: entry.isPresent.negated) { try $0.term(`default`) }
    return .scalar(try compiler.coalesce(entry, replacement))
  }
}

extension PredicateCompiler {
  /// Whether a value is in a stored list.
  mutating func membership(of member: SQLTerm, in list: ListTerm) throws -> ScalarTerm {
    guard !list.isDictionary else { throw NotInSQL("elements of a dictionary") }
    guard let element = try optionalScalar(member), element.kind.isComparable(to: list.element)
    else { throw NotInSQL("\(member.label) in a list of others") }
    return combined(list.whole, element, .scalar(.bool)) {
      .function("swift_list_contains", [$0, list.elementCode, $1])
    }
  }

  /// `count`, `isEmpty` or `first`.
  mutating func property<Root, Output>(
    _ kind: PredicateExpressions.KeyPath<Root, Output>.CommonKeyPathKind?, _ keyPath: AnyKeyPath,
    of list: ListTerm
  ) throws -> ScalarTerm {
    var count = list.whole.mapped { .function("swift_list_count", [$0, list.elementCode]) }
    count.kind = .scalar(.int)
    if kind == .collectionCount || keyPath == list.type.countPath { return count }
    if kind == .collectionIsEmpty || keyPath == list.type.emptinessPath {
      count = count.mapped { .binary($0, .equal, .integer(0)) }
      count.kind = .scalar(.bool)
      return count
    }
    guard kind == .collectionFirst, !list.isDictionary else {
      throw NotInSQL("a computed property of a list")
    }
    return found(
      in: list, "swift_list_element", ScalarTerm(value: .integer(0), kind: .scalar(.int)))
  }

  fileprivate mutating func extreme(
    of elements: any PredicateExpression, _ function: String
  ) throws -> ScalarTerm {
    let term = try term(elements)
    guard case .list(let list) = term, !list.isDictionary, case .scalar(let type) = list.element,
      type.ordersAsStored
    else { throw NotInSQL("the least or greatest of \(term.label)") }
    var result = list.whole.mapped { .function(function, [$0, list.elementCode]) }
    result.kind = list.element
    result.presence = presence(of: result.value, in: list)
    if list.hasRealElements { mayBeNaN(&result, at: .integer(0), in: list) }
    return result
  }

  fileprivate mutating func entry(
    of dictionary: any PredicateExpression, _ key: any PredicateExpression
  ) throws -> ScalarTerm {
    guard case .list(let list) = try term(dictionary), list.isDictionary else {
      throw NotInSQL("a key in what is no dictionary of values")
    }
    return found(in: list, "swift_dictionary_value", try text(key))
  }

  /// The element at an index or key; absent if there is none.
  fileprivate func found(
    in list: ListTerm, _ function: String, _ place: ScalarTerm
  ) -> ScalarTerm {
    let value = SQLExpression.function(function, [list.value, list.elementCode, place.value])
    var result = ScalarTerm(
      value: value, kind: list.element, presence: presence(of: value, in: list))
    result.valueType = list.elementType
    if list.hasRealElements, !list.isDictionary {
      mayBeNaN(&result, at: place.value, in: list)
    }
    if place.presence != .always {
      result.presence = .when(.all([place.isPresent, result.isPresent]))
    }
    return result
  }

  /// An element that is NaN is returned as null; the count shows whether it exists.
  private func mayBeNaN(
    _ element: inout ScalarTerm, at place: SQLExpression, in list: ListTerm
  ) {
    let count = SQLExpression.function("swift_list_count", [list.value, list.elementCode])
    var conditions: [SQLExpression] = [
      .orFalse(.binary(place, .greaterOrEqual, .integer(0))),
      .orFalse(.binary(count, .greater, place)),
    ]
    if case .when(let condition) = list.presence { conditions.insert(condition, at: 0) }
    element.presence = .when(.all(conditions))
    element.mayBeNaN = true
  }

  private func presence(of value: SQLExpression, in list: ListTerm) -> Presence {
    guard case .when(let condition) = list.presence else { return .whenNotNull }
    return .when(.all([condition, value.isNotNull]))
  }
}
