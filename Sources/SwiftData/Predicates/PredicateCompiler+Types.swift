import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.TypeCheck: PredicateNode {
  var operands: [any PredicateExpression] { [input] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .boolean(try compiler.cast(compiler.term(input), to: Desired.self).isPresent)
  }
}

extension PredicateExpressions.ConditionalCast: PredicateNode {
  var operands: [any PredicateExpression] { [input] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    if Desired.self == Input.Output.self || Output.self == Input.Output.self {
      return try compiler.term(input)
    }
    return .object(try compiler.cast(compiler.term(input), to: Desired.self))
  }
}

extension PredicateExpressions.ForceCast: PredicateNode {
  var operands: [any PredicateExpression] { [input] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    // `name == nickname` casts the one to the optional type of the other.
    if Desired.self == Input.Output.self || Desired.self == Input.Output?.self {
      return try compiler.term(input)
    }
    var object = try compiler.cast(compiler.term(input), to: Desired.self)
    compiler.demand(object.isPresent)
    object.presence = .always
    return .object(object)
  }
}

extension PredicateCompiler {
  /// The row as one of another class of its hierarchy, absent when it is not.
  fileprivate mutating func cast<Desired>(
    _ term: SQLTerm, to type: Desired.Type
  ) throws -> ObjectTerm {
    guard case .object(var object) = term, let model = type as? any PersistentModel.Type else {
      throw NotInSQL("a cast of \(term.label)")
    }
    guard let target = mapping.entity(for: model),
      target.rootName == object.entity.rootName
    else { throw NotInSQL("a cast to another hierarchy") }
    if target.subtreeNumbers.contains(object.entity.number) {
      return object
    }
    let isKind = target.isKind(alias: alias(of: object))
    object.presence = .when(.all([object.isPresent, isKind]))
    object.entity = target
    return object
  }
}
