import Foundation
import OpenSwiftDataSQLSyntax

// `is`, `as?` and `as!`.

extension PredicateExpressions.TypeCheck: PredicateNode {
  var operands: [any PredicateExpression] { [input] }
  var form: SourceForm { .suffix(" is \(Desired.self)") }

  func describe(to shape: inout ShapeCollector) { shape.add(input) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    .boolean(try compiler.term(input).cast(to: Desired.self, in: &compiler).isPresent)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    try writer.cast(of: input, to: Desired.self, .isEntity)
  }
}

extension PredicateExpressions.ConditionalCast: PredicateNode {
  var operands: [any PredicateExpression] { [input] }
  var form: SourceForm { .suffix(" as? \(Desired.self)") }

  func describe(to shape: inout ShapeCollector) { shape.add(input) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    if Desired.self == Input.Output.self || Output.self == Input.Output.self {
      return try compiler.term(input)
    }
    return .object(try compiler.term(input).cast(to: Desired.self, in: &compiler))
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    if Desired.self == Input.Output.self || Output.self == Input.Output.self {
      return try writer.write(input)
    }
    return try writer.cast(of: input, to: Desired.self, .asEntity)
  }
}

extension PredicateExpressions.ForceCast: PredicateNode {
  var operands: [any PredicateExpression] { [input] }
  var findsCaptures: Bool { true }
  var form: SourceForm { .suffix(" as! \(Desired.self)") }

  func describe(to shape: inout ShapeCollector) { shape.add(input) }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    // `name == nickname` casts one operand to the optional type of the other.
    if Desired.self == Input.Output.self || Desired.self == Input.Output?.self {
      return try compiler.term(input)
    }
    let term = try compiler.term(input)
    if term.isCaptured, let value = try compiler.evaluated(self) { return value }
    var object = try term.cast(to: Desired.self, in: &compiler)
    compiler.demands.add(object.isPresent)
    object.presence = .always
    return .object(object)
  }

  func plainForm(in writer: inout QueryWriter) throws -> QueryExpression {
    if Desired.self == Input.Output.self || Desired.self == Input.Output?.self {
      return try writer.write(input)
    }
    return .call(.forceUnwrap, [try writer.cast(of: input, to: Desired.self, .asEntity)])
  }
}

extension SQLTerm {
  /// The row as an object of another class of its hierarchy; absent if it is not of that class.
  fileprivate func cast<Desired>(
    to type: Desired.Type, in compiler: inout PredicateCompiler
  ) throws -> ObjectTerm {
    guard case .object(var object) = self, let model = type as? any PersistentModel.Type else {
      throw NotInSQL("a cast of \(label)")
    }
    guard let target = compiler.mapping.entity(for: model),
      target.rootName == object.entity.rootName
    else { throw NotInSQL("a cast to another hierarchy") }
    if target.subtreeNumbers.contains(object.entity.number) {
      return object
    }
    let isKind = target.isKind(alias: compiler.scopes.alias(of: object))
    object.presence = .when(.all([object.isPresent, isKind]))
    object.entity = target
    return object
  }
}
