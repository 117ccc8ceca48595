import Foundation
import OpenSwiftDataSQLSyntax

// `contains`, `allSatisfy` and `filter` on relationships, on captured collections, and on lists of
// values in one column.

extension PredicateExpressions.SequenceContains: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, element] }
  var form: SourceForm { .method("contains") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(sequence)
    shape.add(element)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch (try compiler.term(sequence), try compiler.term(element)) {
    case (.captured(let value), .scalar(let scalar)):
      return .boolean(try compiler.membership(of: scalar, inCaptured: value))
    case (.captured(let value), .object(let object)):
      return .boolean(try compiler.membership(of: object.keyTerm, inCaptured: value))
    case (.captured(let value), .identifier(let identifier)):
      return .boolean(try compiler.membership(of: identifier, inCaptured: value))
    case (.captured(let value), .composite(let composite)):
      guard let elements = compiler.elements(of: value), elements.count <= 16 else {
        throw NotInSQL("a list of composite values")
      }
      return .boolean(
        .any(try elements.map { try compiler.equality(.composite(composite), .captured($0)) }))
    case (.collection(let collection), let member):
      return .boolean(
        .exists(
          try compiler.query(over: collection) { compiler, element in
            try compiler.equality(element, member)
          }))
    case (.list(let list), let member):
      guard !list.isDictionary else { throw NotInSQL("elements of a dictionary") }
      guard let element = try compiler.optionalScalar(member), let found = list.contains(element)
      else { throw NotInSQL("\(member.label) in a list of other values") }
      return .scalar(found)
    case (.scalar(let text), .captured(let character)) where text.kind == .scalar(.string):
      guard let character = character as? Character else { throw NotInSQL("not a character") }
      let part = compiler.bindings.bind(derived: try compiler.forms.form(of: String(character)).0)
      return .scalar(
        ScalarTerm(
          of: text, ScalarTerm(value: part, kind: .scalar(.string)), .scalar(.bool)
        ) { .function("swift_contains", [$0, $1]) })
    case (let sequence, let element):
      throw NotInSQL("\(element.label) in \(sequence.label)")
    }
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.membership(of: element, in: sequence)
  }

  /// `contains` compares an element of a list with all others.
  var hashedCondition: (() -> PredicateCondition)? {
    guard let values = (sequence as? any PredicateNode)?.capturedValue as? LHS.Output,
      let list = values as? any Collection, list.count > 16, !(values is any SetAlgebra),
      let type = LHS.Output.Element.self as? any Hashable.Type
    else { return nil }
    return { condition(hashing: values, as: type) }
  }

  private func condition<Value: Hashable>(
    hashing values: LHS.Output, as type: Value.Type
  ) -> PredicateCondition {
    let known = Set(values.lazy.compactMap { $0 as? Value })
    return { bindings in
      guard let value = try element.evaluate(bindings) as? Value else { return false }
      return known.contains(value)
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, test] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }
  var form: SourceForm { .closure("contains") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(closure: test, of: variable.key, appliedTo: sequence)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch try compiler.term(sequence) {
    case .collection(var collection):
      collection.filters.append(
        .init(variable: variable.key, test: test, variables: compiler.variables))
      return .boolean(.exists(try compiler.query(over: collection)))
    case .captured(let value):
      return .boolean(.any(try variable.conditions(test, forEachOf: value, in: &compiler)))
    case let other: throw NotInSQL("elements of \(other.label)")
    }
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.closure(.contains, of: sequence, variable, test)
  }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, test] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }
  var form: SourceForm { .closure("allSatisfy") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(closure: test, of: variable.key, appliedTo: sequence)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch try compiler.term(sequence) {
    case .collection(let collection):
      let query = try compiler.query(over: collection) { compiler, element in
        try compiler.binding(variable, to: element) { try $0.condition(test).negated }
      }
      return .boolean(SQLExpression.exists(query).negated)
    case .captured(let value):
      return .boolean(.all(try variable.conditions(test, forEachOf: value, in: &compiler)))
    case let other: throw NotInSQL("elements of \(other.label)")
    }
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.closure(.allSatisfy, of: sequence, variable, test)
  }
}

extension PredicateExpressions.Filter: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, filter] }
  var boundVariable: PredicateExpressions.VariableID? { variable.key }
  var form: SourceForm { .closure("filter") }

  func describe(to shape: inout ShapeCollector) {
    shape.add(closure: filter, of: variable.key, appliedTo: sequence)
  }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .collection(var collection) = try compiler.term(sequence) else {
      throw NotInSQL("a filter on a value that is not a relationship")
    }
    collection.filters.append(
      .init(variable: variable.key, test: filter, variables: compiler.variables))
    return .collection(collection)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.closure(.filter, of: sequence, variable, filter)
  }
}

extension PredicateExpressions.Variable {
  /// The test, applied to each element of a captured collection.
  fileprivate func conditions(
    _ test: any PredicateExpression, forEachOf captured: Any,
    in compiler: inout PredicateCompiler
  ) throws -> [SQLExpression] {
    // With more elements, one condition for each costs more than evaluation in memory.
    guard let elements = compiler.elements(of: captured), elements.count <= 64 else {
      throw NotInSQL("too many captured elements")
    }
    return try elements.map { element in
      try compiler.binding(self, to: .captured(element)) { try $0.condition(test) }
    }
  }
}
