import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.SequenceContainsWhere: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, test] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch try compiler.term(sequence) {
    case .collection(var collection):
      collection.filters.append(.init(variable: variable.key, test: test))
      return .boolean(.exists(try compiler.query(over: collection)))
    case .captured(let value):
      return .boolean(.any(try compiler.conditions(for: value, variable, test)))
    case let other: throw NotInSQL("elements of \(other.label)")
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, test] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch try compiler.term(sequence) {
    case .collection(let collection):
      let query = try compiler.query(over: collection) { compiler, element in
        try compiler.binding(variable, to: element) { try $0.condition(test).negated }
      }
      return .boolean(SQLExpression.exists(query).negated)
    case .captured(let value):
      return .boolean(.all(try compiler.conditions(for: value, variable, test)))
    case let other: throw NotInSQL("elements of \(other.label)")
    }
  }
}

extension PredicateExpressions.Filter: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, filter] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .collection(var collection) = try compiler.term(sequence) else {
      throw NotInSQL("a filter on what is no relationship")
    }
    collection.filters.append(.init(variable: variable.key, test: filter))
    return .collection(collection)
  }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateNode {
  var operands: [any PredicateExpression] { [base, other] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (text, part) = (try compiler.text(base), try compiler.text(other))
    return .scalar(
      compiler.combined(text, part, .scalar(.bool)) { .function("swift_contains", [$0, $1]) })
  }
}

extension PredicateExpressions.SequenceStartsWith: PredicateNode {
  var operands: [any PredicateExpression] { [base, prefix] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let (text, start) = (try compiler.text(base), try compiler.text(prefix))
    let narrowing = try compiler.narrowing(text.value, toPrefix: prefix)
    return .scalar(
      compiler.combined(text, start, .scalar(.bool)) {
        .all([narrowing, .function("swift_starts_with", [$0, $1])])
      })
  }
}

extension PredicateCompiler {
  /// With more captured elements, one condition for each costs more than evaluation in memory.
  private static var expansionLimit: Int { 64 }

  /// The test, applied to each captured element.
  fileprivate mutating func conditions<Element>(
    for value: Any, _ variable: PredicateExpressions.Variable<Element>,
    _ test: any PredicateExpression
  ) throws -> [SQLExpression] {
    guard let elements = elements(of: value), elements.count <= Self.expansionLimit else {
      throw NotInSQL("too many captured elements")
    }
    return try elements.map { element in
      try binding(variable, to: .captured(element)) { try $0.condition(test) }
    }
  }

  /// The elements of a captured collection.
  mutating func elements(of value: Any) -> [Any]? {
    dependsOnValues = true
    guard let collection = unwrap(value) as? any Collection else { return nil }
    return collection.map { $0 as Any }
  }
}
