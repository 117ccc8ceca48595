import Foundation
import OpenSwiftDataSQLSyntax

// `min()`, `max()` and subscripts of arrays and dictionaries that are stored in one column. Their
// SQL is in `ListTerm`.

extension PredicateExpressions.SequenceMinimum: PredicateNode {
  var operands: [any PredicateExpression] { [elements] }
  var form: SourceForm { .suffix(".min()") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.term(elements).extreme("swift_list_least"))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.extreme(.minimum, of: elements)
  }
}

extension PredicateExpressions.SequenceMaximum: PredicateNode {
  var operands: [any PredicateExpression] { [elements] }
  var form: SourceForm { .suffix(".max()") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.term(elements).extreme("swift_list_greatest"))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.extreme(.maximum, of: elements)
  }
}

extension PredicateExpressions.CollectionIndexSubscript: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, index] }
  var form: SourceForm { .method("subscript") }

  /// Fails for an index that the list lacks.
  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    guard case .list(let list) = try compiler.term(wrapped), !list.isDictionary,
      let position = try compiler.optionalScalar(compiler.term(index)),
      position.kind == .scalar(.int)
    else { throw NotInSQL("a position in a value that is not a list") }
    var element = list.found("swift_list_element", position)
    compiler.demands.add(element.isPresent)
    element.presence = .always
    return .scalar(element)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    if Wrapped.Output.self is any RelationshipCollection.Type {
      throw Undescribed("elements of a relationship have no order")
    }
    guard Wrapped.Output.self is any ListType.Type else {
      throw Undescribed("a position in a value that is not a list")
    }
    return try writer.call(.element, wrapped, index)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, key] }
  var form: SourceForm { .method("subscript") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .scalar(try compiler.term(wrapped).entry(key, in: &compiler))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.entry(key, of: wrapped)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: PredicateNode {
  var operands: [any PredicateExpression] { [wrapped, key, `default`] }
  var form: SourceForm { .method("subscript") }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    let entry = try compiler.term(wrapped).entry(key, in: &compiler)
    let replacement = try compiler.guarded(by: entry.isPresent.negated) { try $0.term(`default`) }
    return .scalar(try entry.replaced(by: replacement, in: &compiler))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    .call(.coalesce, [try writer.entry(key, of: wrapped), try writer.value(`default`)])
  }
}

extension SQLTerm {
  fileprivate func extreme(_ function: String) throws -> ScalarTerm {
    guard case .list(let list) = self, let extreme = list.extreme(function) else {
      throw NotInSQL("the minimum or maximum of \(label)")
    }
    return extreme
  }

  /// The value of a key in a dictionary.
  fileprivate func entry(
    _ key: any PredicateExpression, in compiler: inout PredicateCompiler
  ) throws -> ScalarTerm {
    guard case .list(let list) = self, list.isDictionary else {
      throw NotInSQL("a key of a value that is not a dictionary")
    }
    return list.found("swift_dictionary_value", try compiler.text(key))
  }
}
