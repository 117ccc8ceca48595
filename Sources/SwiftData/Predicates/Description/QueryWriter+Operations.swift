import Foundation

/// Writes the operations whose meaning depends on the types of their operands.
extension QueryWriter {
  /// An operand that is a text.
  mutating func text<Node: PredicateExpression>(_ node: Node) throws -> QueryExpression {
    guard Node.Output.self is any StringProtocol.Type else {
      throw Undescribed("a sequence that is not a text")
    }
    return try value(node)
  }

  /// The text of a captured regular expression.
  func pattern<Node: PredicateExpression>(_ node: Node) throws -> String {
    guard let regex = try captured(node) as? PredicateExpressions.PredicateRegex else {
      throw Undescribed("a regular expression of another type")
    }
    guard (try? Regex(regex.stringRepresentation)) != nil else {
      throw Undescribed("a regular expression that cannot be written as text")
    }
    return regex.stringRepresentation
  }

  /// A computation with numbers of a type.
  mutating func computation(
    _ operation: DataStoreQuery.Arithmetic, _ type: any Any.Type,
    _ operands: any PredicateExpression...
  ) throws -> QueryExpression {
    guard let scalar = type as? any ScalarCoding.Type,
      scalar is any Numeric.Type || scalar is Decimal.Type
    else { throw Undescribed("arithmetic on values that are not numbers") }
    return .compute(operation, .init(scalar.scalarType), try operands.map { try value($0) })
  }

  // MARK: Comparison

  mutating func equality<Left: PredicateExpression, Right: PredicateExpression>(
    _ function: DataStoreQuery.Function, _ lhs: Left, _ rhs: Right
  ) throws -> QueryExpression {
    if rhs is any NilNode, let nested = outerOptional(lhs) {
      return .call(function, [try write(nested.outer), .value(.null)])
    }
    let right = try write(rhs)
    let left = try write(lhs)
    if left != .value(.null), right != .value(.null) {
      guard PlainTypes.hasEquality(Left.Output.self), !left.isOpaque, !right.isOpaque else {
        throw Undescribed("equality that the type of the values defines")
      }
    }
    return .call(function, [left, right])
  }

  mutating func ordering<Left: PredicateExpression, Right: PredicateExpression>(
    _ function: DataStoreQuery.Function, _ lhs: Left, _ rhs: Right
  ) throws -> QueryExpression {
    let order = try PlainTypes.order(of: Left.Output.self)
    return .call(function, [order.applied(to: try value(lhs)), order.applied(to: try value(rhs))])
  }

  /// `contains` of a range.
  mutating func membership<Range: PredicateExpression, Element: PredicateExpression>(
    of element: Element, inRange range: Range
  ) throws -> QueryExpression {
    let order = try PlainTypes.order(of: Element.Output.self)
    if let node = range as? any BoundsNode, !isCaptured(node) {
      let bounds = try node.operands.map { order.applied(to: try value($0)) }
      return .call(
        node.includesUpper ? .isInClosedRange : .isInRange,
        [order.applied(to: try value(element))] + bounds)
    }
    guard let bounds = try captured(range) as? any BoundedRange else {
      throw Undescribed("a range without bounds")
    }
    return try membership(of: element, in: bounds, order)
  }

  private mutating func membership(
    of element: any PredicateExpression, in range: any BoundedRange, _ order: PlainTypes.Order
  ) throws -> QueryExpression {
    let element = order.applied(to: try value(element))
    let lower = try range.lowest.map { order.applied(to: try constant($0)) }
    let upper = try range.highest.map { order.applied(to: try constant($0)) }
    return switch (lower, upper) {
    case (let lower?, let upper?):
      .call(range.includesHighest ? .isInClosedRange : .isInRange, [element, lower, upper])
    case (let lower?, nil): .call(.greaterOrEqual, [element, lower])
    case (nil, let upper?): .call(range.includesHighest ? .lessOrEqual : .less, [element, upper])
    case (nil, nil): .value(.boolean(true))
    }
  }

  // MARK: Collections

  /// `contains` of a list, a relationship, a text or a captured collection.
  mutating func membership<Sequence: PredicateExpression, Element: PredicateExpression>(
    of element: Element, in sequence: Sequence
  ) throws -> QueryExpression {
    if Sequence.Output.self is any StringProtocol.Type {
      return try call(.containsText, sequence, element)
    }
    guard PlainTypes.hasEquality(Element.Output.self) else {
      throw Undescribed("equality that the type of the values defines")
    }
    guard case .captured(let captured) = try operand(sequence) else {
      if (Sequence.Output.self as? any ListType.Type)?.isDictionary == true {
        throw Undescribed("elements of a dictionary")
      }
      return try call(.contains, sequence, element)
    }
    if let range = captured as? any BoundedRange {
      return try membership(of: element, in: range, PlainTypes.order(of: Element.Output.self))
    }
    guard let elements = StoredForms.unwrap(captured) as? any Collection else {
      throw Undescribed("not a collection of values")
    }
    let list = try elements.map { element -> DataStoreValue in
      guard case .value(let value) = try constant(element) else { return .null }
      return value
    }
    return .call(
      .contains,
      [
        .value(.list(elements is any SetAlgebra ? list.sorted(by: DataStoreValue.precedes) : list)),
        try value(element),
      ])
  }

  /// `min()` and `max()` of a list.
  mutating func extreme<List: PredicateExpression>(
    _ function: DataStoreQuery.Function, of list: List
  ) throws -> QueryExpression {
    guard let type = List.Output.self as? any ListType.Type, !type.isDictionary,
      case .natural = try PlainTypes.order(of: type.elementType)
    else { throw Undescribed("the minimum or maximum of other values than a list") }
    return try call(function, list)
  }

  /// The value of a key in a dictionary.
  mutating func entry<Key: PredicateExpression, List: PredicateExpression>(
    _ key: Key, of dictionary: List
  ) throws -> QueryExpression {
    guard Key.Output.self == String.self else {
      throw Undescribed("a key that is not a text")
    }
    return try call(.entry, dictionary, key)
  }

  // MARK: Classes

  /// A row as one of another class, or whether it is of that class.
  mutating func cast(
    of input: any PredicateExpression, to type: any Any.Type, _ function: DataStoreQuery.Function
  ) throws -> QueryExpression {
    guard let model = type as? any PersistentModel.Type else {
      throw Undescribed("a cast to a type that is not a model")
    }
    return .call(function, [try value(input), .string(model._$descriptor.entityName)])
  }
}
