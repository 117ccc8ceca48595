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
  var findsCaptures: Bool { true }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    // `name == nickname` casts one operand to the optional type of the other.
    if Desired.self == Input.Output.self || Desired.self == Input.Output?.self {
      return try compiler.term(input)
    }
    let term = try compiler.term(input)
    if term.isCaptured, let value = try compiler.evaluated(self) { return value }
    var object = try compiler.cast(term, to: Desired.self)
    compiler.demand(object.isPresent)
    object.presence = .always
    return .object(object)
  }
}

extension PredicateCompiler {
  /// The row as an object of another class of its hierarchy; absent if it is not of that class.
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
