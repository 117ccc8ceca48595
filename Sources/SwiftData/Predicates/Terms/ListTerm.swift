import Foundation
import OpenSwiftDataSQLSyntax

/// An array, set or dictionary of scalars that is stored in one column.
struct ListTerm {
  var value: SQLExpression
  var presence: Presence = .always
  fileprivate let type: any ListType.Type
  /// The kind of the elements: a scalar or a raw value.
  let element: ScalarTerm.Kind
  let elementType: any Any.Type
  /// Whether it is a dictionary, whose keys are texts.
  let isDictionary: Bool

  /// - Parameter type: The type of the property. The initialiser returns `nil` if it is another
  ///   type.
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
      guard let scalar = T.RawValue.self as? any ScalarCoding.Type,
        RawValueCoding.isThatOfElements(type)
      else { return nil }
      return .rawValue(scalar.scalarType, ObjectIdentifier(type))
    }
    return (type as? any RawRepresentable.Type).flatMap { rawValue($0) }
  }

  /// Whether an element may be NaN, which SQLite represents as null.
  private var hasRealElements: Bool {
    element.scalarType == .double || element.scalarType == .float
  }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression { whole.isPresent }

  /// The column as a value.
  var whole: ScalarTerm { ScalarTerm(value: value, kind: .opaque, presence: presence) }

  /// The number by which the functions know the type to decode.
  var elementCode: SQLExpression {
    element.scalarType.map { .integer(Int64($0.rawValue)) } ?? .null
  }
}

/// Standard library collections that a column may contain, without their generic parameters.
protocol ListType: Collection {
  static var elementType: any Any.Type { get }
  static var isDictionary: Bool { get }
  static var countPath: AnyKeyPath { get }
  static var emptinessPath: AnyKeyPath { get }
}

extension ListType {
  static var countPath: AnyKeyPath { \Self.count }
  static var emptinessPath: AnyKeyPath { \Self.isEmpty }
}

extension Array: ListType {
  static var elementType: any Any.Type { Element.self }
  static var isDictionary: Bool { false }
}

extension Set: ListType {
  static var elementType: any Any.Type { Element.self }
  static var isDictionary: Bool { false }
  static var countPath: AnyKeyPath { \Set<Element>.count }
  static var emptinessPath: AnyKeyPath { \Set<Element>.isEmpty }
}

extension Dictionary: ListType where Key == String {
  static var elementType: any Any.Type { Value.self }
  static var isDictionary: Bool { true }
  static var countPath: AnyKeyPath { \[Key: Value].count }
  static var emptinessPath: AnyKeyPath { \[Key: Value].isEmpty }
}

extension ListTerm {
  /// Whether a value is in the list; `nil` if values of its kind are not comparable with elements.
  func contains(_ member: ScalarTerm) -> ScalarTerm? {
    guard member.kind.isComparable(to: element), CaseEquality.isThatOfRawValues(elementType)
    else { return nil }
    return ScalarTerm(of: whole, member, .scalar(.bool)) {
      .function("swift_list_contains", [$0, elementCode, $1])
    }
  }

  /// `count`, `isEmpty` or `first`.
  func property<Root, Output>(
    _ kind: PredicateExpressions.KeyPath<Root, Output>.CommonKeyPathKind?, _ keyPath: AnyKeyPath
  ) throws -> ScalarTerm {
    var count = whole.mapped { .function("swift_list_count", [$0, elementCode]) }
    count.kind = .scalar(.int)
    if kind == .collectionCount || keyPath == type.countPath { return count }
    if kind == .collectionIsEmpty || keyPath == type.emptinessPath {
      count = count.mapped { .binary($0, .equal, .integer(0)) }
      count.kind = .scalar(.bool)
      return count
    }
    guard kind == .collectionFirst, !isDictionary else {
      throw NotInSQL("a computed property of a list")
    }
    return found("swift_list_element", ScalarTerm(value: .integer(0), kind: .scalar(.int)))
  }

  /// The least or greatest element; `nil` if the stored forms do not have the order of the elements.
  func extreme(_ function: String) -> ScalarTerm? {
    guard !isDictionary, case .scalar(let type) = element, type.ordersAsStored else { return nil }
    var result = whole.mapped { .function(function, [$0, elementCode]) }
    result.kind = element
    result.presence = presence(of: result.value)
    if hasRealElements { mayBeNaN(&result, at: .integer(0)) }
    return result
  }

  /// The element at an index or key; absent if there is none.
  func found(_ function: String, _ place: ScalarTerm) -> ScalarTerm {
    let value = SQLExpression.function(function, [self.value, elementCode, place.value])
    var result = ScalarTerm(value: value, kind: element, presence: presence(of: value))
    result.valueType = elementType
    if hasRealElements, !isDictionary { mayBeNaN(&result, at: place.value) }
    if place.presence != .always {
      result.presence = .when(.all([place.isPresent, result.isPresent]))
    }
    return result
  }

  /// An element that is NaN is returned as null; the count shows whether it exists.
  private func mayBeNaN(_ element: inout ScalarTerm, at place: SQLExpression) {
    let count = SQLExpression.function("swift_list_count", [value, elementCode])
    var conditions: [SQLExpression] = [
      .orFalse(.binary(place, .greaterOrEqual, .integer(0))),
      .orFalse(.binary(count, .greater, place)),
    ]
    if case .when(let condition) = presence { conditions.insert(condition, at: 0) }
    element.presence = .when(.all(conditions))
    element.mayBeNaN = true
  }

  private func presence(of value: SQLExpression) -> Presence {
    guard case .when(let condition) = presence else { return .whenNotNull }
    return .when(.all([condition, value.isNotNull]))
  }
}
