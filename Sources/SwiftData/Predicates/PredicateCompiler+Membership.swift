import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.SequenceContains: PredicateNode {
  var operands: [any PredicateExpression] { [sequence, element] }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch (try compiler.term(sequence), try compiler.term(element)) {
    case (.captured(let value), .scalar(let scalar)):
      return .boolean(try compiler.membership(of: scalar, in: value))
    case (.captured(let value), .object(let object)):
      return .boolean(try compiler.membership(of: object.keyTerm, in: value))
    case (.captured(let value), .identifier(let identifier)):
      return .boolean(try compiler.membership(of: identifier, in: value))
    case (.captured(let value), .composite(let composite)):
      guard let elements = compiler.elements(of: value), elements.count <= 16 else {
        throw NotInSQL("many composite values")
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
      return .scalar(try compiler.membership(of: member, in: list))
    case (.scalar(let text), .captured(let character)) where text.kind == .scalar(.string):
      guard let character = character as? Character else { throw NotInSQL("no character") }
      let part = compiler.bind(derived: .text(String(character)))
      return .scalar(
        compiler.combined(
          text, ScalarTerm(value: part, kind: .scalar(.string)), .scalar(.bool)
        ) { .function("swift_contains", [$0, $1]) })
    case (let sequence, let element):
      throw NotInSQL("\(element.label) in \(sequence.label)")
    }
  }
}

extension PredicateCompiler {
  /// Whether a value is one of several captured values.
  fileprivate mutating func membership(
    of scalar: ScalarTerm, in value: Any
  ) throws -> SQLExpression {
    guard let elements = elements(of: value) else { throw NotInSQL("no collection of values") }
    var scalar = scalar
    var values: [_StoredValue] = []
    var hasNil = false
    for element in elements {
      guard let element = unwrap(element) else {
        hasNil = true
        continue
      }
      let (stored, kind) = try storedForm(of: element)
      if scalar.kind.isComparable(to: kind) {
        values.append(stored)
      } else if scalar.kind.neverEquals(kind) {
        continue
      } else {
        throw NotInSQL("values of another kind")
      }
    }
    if scalar.isText {
      if let spellings = spellings(of: values) {
        if let found = search(scalar, spellings) {
          let isMember = SQLExpression.all([scalar.isPresent, found])
          return hasNil ? .any([scalar.isPresent.negated, isMember]) : isMember
        }
        values = spellings
      } else {
        values = values.map(\.canonical)
        scalar = scalar.mapped { .function("swift_canonical", [$0]) }
      }
    }
    if values.count > MembershipList.longestList,
      MembershipList(values, in: database.dialect) == nil
    {
      throw NotInSQL("a list of more values than a statement may have parameters")
    }
    var isMember = values.isEmpty ? SQLExpression.false : list(scalar.value, values)
    if scalar.mayBeNaN { isMember = .orFalse(isMember) }
    isMember = .all([scalar.isPresent, isMember])
    return hasNil ? .any([scalar.isPresent.negated, isMember]) : isMember
  }

  /// `value IN (…)`. The number of parameters is rounded up, so that statements can be reused; a
  /// long list is bound as one parameter.
  mutating func list(_ value: SQLExpression, _ values: [_StoredValue]) -> SQLExpression {
    if values.count > MembershipList.parameterLimit,
      let list = MembershipList(values, in: database.dialect)
    {
      let rows = TableReference(
        list: ListParameter(bind(derived: .text(list.text)), of: list.element))
      let element = SQLExpression.column(table: nil, name: ListParameter.value)
      let decoded = list.decoder.map { .function($0, [element]) } ?? element
      return .inSelect(value, Select([decoded], from: rows))
    }
    let padded =
      values + Array(repeating: values[0], count: MembershipList.padding(for: values.count))
    return .inList(value, padded.map { bind(derived: $0) })
  }
}

extension _StoredValue {
  fileprivate var canonical: _StoredValue {
    guard case .text(let text) = self else { return self }
    return .text(text.canonicallyComposed)
  }
}
